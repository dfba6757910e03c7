#include "phase_rules.h"

#include <algorithm>
#include <bit>

namespace fredsim::tb {

PhaseRules::PhaseRules(const TestedSwitch& shape)
    : ports_(shape.ports()),
      config_stages_(shape.config_stages()),
      config_edges_(shape.config_edges()),
      yield_(shape.yield),
      quantum_(shape.quantum),
      first_to_last_(shape.vc_order),
      since_load_(config_edges_),
      silent_(yield_) {}

void PhaseRules::add_phase(const Phase& phase) { phases_.push_back(phase); }

const FlitHeader* PhaseRules::other(const SwitchView& view, int input, int vc) const {
  const FlitHeader* front = view.front(input, vc);
  if (front == nullptr || front->phase == kPhaseOnline) return nullptr;
  const bool taken = active_ >= 0 && vc == phases_[active_].vc && front->phase == active_;
  return taken ? nullptr : front;
}

// Of VCs and ports in turn, VCs that have a candidate already left out.
std::optional<PhaseRules::Lookup> PhaseRules::look_up(const SwitchView& view) const {
  if (decided_) return std::nullopt;
  for (int i = 0; i < kNumVcs; ++i) {
    const int vc = (next_vc_ + i) % kNumVcs;
    if (candidates_[vc]) continue;
    for (int k = 0; k < ports_; ++k) {
      const int port = (next_port_[vc] + k) % ports_;
      if (const FlitHeader* front = other(view, port, vc)) return Lookup{port, vc, front->phase};
    }
  }
  return std::nullopt;
}

// At least one of its flows could fire.
bool PhaseRules::ready(const SwitchView& view, const Lookup& lookup) const {
  return std::ranges::any_of(phases_.at(lookup.phase).flows, [&](const Flow& flow) {
    for (int p = 0; p < ports_; ++p) {
      if (!has(flow.inputs, p)) continue;
      const FlitHeader* front = other(view, p, lookup.vc);
      if (front == nullptr || front->phase != lookup.phase) return false;
    }
    return view.room(flow.outputs, lookup.vc);
  });
}

bool PhaseRules::between_packets() const { return std::ranges::find(open_, true) == open_.end(); }

// Which candidate is first, and whether it takes over.
std::optional<int> PhaseRules::decide() const {
  // Changes are at least one edge more apart than there are stages; from a decision to its change it is one.
  if (decided_ || since_load_ < std::max(1, config_stages_ - 1)) return std::nullopt;
  for (const int vc : first_to_last_) {
    if (!candidates_[vc]) continue;
    if (active_ < 0 || (silent_ == yield_ && between_packets())) return candidates_[vc];
    const int now = rank(first_to_last_, phases_[active_].vc);
    const int then = rank(first_to_last_, vc);
    if (then < now || (then == now && busy_ == quantum_)) return candidates_[vc];
    return std::nullopt;
  }
  return std::nullopt;
}

// All flows independently, one flit each.
void PhaseRules::join(const SwitchView& view, Edge& edge) const {
  edge.open = open_;
  if (active_ < 0) return;
  const Phase& phase = phases_[active_];
  for (std::size_t f = 0; f < phase.flows.size(); ++f) {
    const Flow& flow = phase.flows[f];
    std::uint32_t there = 0;
    bool tail = false;
    for (int p = 0; p < ports_; ++p) {
      const FlitHeader* front = view.front(p, phase.vc);
      if (!has(flow.inputs, p) || front == nullptr || front->phase != active_) continue;
      if (has(view.held, p)) {
        ++edge.held;
        continue;
      }
      there |= 1U << p;
      tail = front->tail;
    }
    if (there == 0) continue;
    if (there != flow.inputs) {
      ++edge.join;
    } else if (!open_[f] && !view.room(flow.outputs, phase.vc)) {
      ++edge.credit;
    } else if (open_[f] || !decided_) {
      edge.entries.push_back({phase.vc, flow.inputs, flow.outputs});
      edge.additions += static_cast<std::uint64_t>(std::popcount(flow.inputs) - 1);
      edge.open[f] = !tail;
    }
  }
}

PhaseRules::Edge PhaseRules::judge(const SwitchView& view, bool store_free) const {
  Edge edge;
  edge.change = decided_ && between_packets();
  if (store_free) edge.read = look_up(view);
  if (read_ && ready(view, *read_)) edge.ready = read_;
  edge.decision = decide();
  join(view, edge);
  for (int p = 0; p < ports_; ++p) {
    for (int v = 0; v < kNumVcs; ++v) edge.waiting += other(view, p, v) != nullptr ? 1 : 0;
  }
  return edge;
}

void PhaseRules::advance(const Edge& edge) {
  open_ = edge.open;
  ++since_load_;
  if (edge.entries.empty()) {
    if (edge.held == 0) silent_ = std::min(silent_ + 1, yield_);
  } else {
    silent_ = 0;
    busy_ = std::min(busy_ + 1, quantum_);
  }
  read_ = edge.read;
  if (read_) {
    next_port_[read_->vc] = (read_->port + 1) % ports_;
    next_vc_ = (read_->vc + 1) % kNumVcs;
  }
  if (edge.ready && !candidates_[edge.ready->vc]) candidates_[edge.ready->vc] = edge.ready->phase;
  if (edge.decision) {
    decided_ = true;
    next_ = *edge.decision;
  }
  if (edge.change) {  // all that was found is forgotten
    active_ = next_;
    decided_ = false;
    open_.assign(phases_[active_].flows.size(), false);
    since_load_ = silent_ = busy_ = 0;
    read_.reset();
    candidates_.fill(std::nullopt);
  }
}

std::uint32_t PhaseRules::open_outputs() const {
  std::uint32_t mask = 0;
  for (std::size_t f = 0; f < open_.size(); ++f) {
    if (open_[f]) mask |= phases_[active_].flows[f].outputs;
  }
  return mask;
}

SwitchPhase PhaseRules::shown() const {
  return {.active = active_ >= 0,
          .loading = decided_ && between_packets(),
          .busy = silent_ != yield_ || open_outputs() != 0,
          .phase = static_cast<std::uint8_t>(std::max(active_, 0)),
          .vc = static_cast<std::uint8_t>(vc()),
          .next = static_cast<std::uint8_t>(next_)};
}

}  // namespace fredsim::tb
