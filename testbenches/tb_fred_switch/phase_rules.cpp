#include "phase_rules.h"

#include <algorithm>
#include <bit>

namespace fredsim::tb {
namespace {

// 0 is first.
int rank(int vc) {
  return static_cast<int>(std::ranges::find(kFirstToLast, vc) - kFirstToLast.begin());
}

// The sub-networks that a flow was routed through.
std::array<int, 4> middle_of(const FredRoute& route, int flow) {
  std::array<int, 4> middle{};
  for (const RouteLevel& level : route.levels) {
    for (std::size_t i = 0; i < level.colours.size(); ++i) {
      if (level.flows[i] == flow) middle[level.depth] = level.colours[i];
    }
  }
  return middle;
}

}  // namespace

PhaseRules::PhaseRules(const FredShape& shape)
    : ports_(shape.ports()),
      stages_(fred_stages(shape.fred.ports)),
      yield_(shape.yield),
      quantum_(shape.quantum),
      since_load_(stages_),
      silent_(yield_) {}

void PhaseRules::add_phase(const Phase& phase) { phases_.push_back(phase); }

const FlitHeader* PhaseRules::other(const SwitchView& view, int input, int vc) const {
  const FlitHeader* front = view.front(input, vc);
  if (front == nullptr || front->phase == kPhaseOnline) return nullptr;
  const bool taken =
      active_ >= 0 && !loading_ && vc == phases_[active_].vc && front->phase == active_;
  return taken ? nullptr : front;
}

// Round robin over the ports.
int PhaseRules::candidate(const SwitchView& view, int vc) const {
  for (int i = 0; i < ports_; ++i) {
    const int p = (pointers_[vc] + i) % ports_;
    if (other(view, p, vc) != nullptr) return p;
  }
  return -1;
}

// At least one of its flows could fire.
bool PhaseRules::ready(const SwitchView& view, int phase) const {
  const Phase& of = phases_.at(phase);
  return std::ranges::any_of(of.flows, [&](const Flow& flow) {
    for (int p = 0; p < ports_; ++p) {
      if (!has(flow.inputs, p)) continue;
      const FlitHeader* front = other(view, p, of.vc);
      if (front == nullptr || front->phase != phase) return false;
    }
    return view.room(flow.outputs, of.vc);
  });
}

// Which ready candidate is first, and whether it takes over.
void PhaseRules::choose(const SwitchView& view, Edge& edge) const {
  edge.pointers = pointers_;
  int first = -1;
  for (const int vc : kFirstToLast) {
    const int port = candidate(view, vc);
    if (port < 0) continue;
    const int phase = view.front(port, vc)->phase;
    if (!ready(view, phase)) {
      edge.pointers[vc] = (port + 1) % ports_;
    } else if (first < 0) {
      first = phase;
    }
  }
  if (first < 0 || loading_ || since_load_ < stages_) return;
  edge.next = first;
  const bool between_packets = std::ranges::find(open_, true) == open_.end();
  if (active_ < 0 || (silent_ == yield_ && between_packets)) {
    edge.change = true;
    return;
  }
  const int now = rank(phases_[active_].vc);
  const int then = rank(phases_[first].vc);
  edge.change = then < now || (then == now && busy_ == quantum_);
}

// All flows independently, one flit each.
void PhaseRules::join(const SwitchView& view, Edge& edge) const {
  edge.open = open_;
  if (active_ < 0 || loading_) return;
  const Phase& phase = phases_[active_];
  for (std::size_t f = 0; f < phase.flows.size(); ++f) {
    const Flow& flow = phase.flows[f];
    std::uint32_t there = 0;
    bool tail = false;
    for (int p = 0; p < ports_; ++p) {
      const FlitHeader* front = view.front(p, phase.vc);
      if (!has(flow.inputs, p) || front == nullptr || front->phase != active_) continue;
      there |= 1U << p;
      tail = front->tail;
    }
    if (there == 0) continue;
    if (there != flow.inputs) {
      ++edge.join;
    } else if (!open_[f] && !view.room(flow.outputs, phase.vc)) {
      ++edge.credit;
    } else if (open_[f] || !edge.change) {
      edge.entries.push_back(
          {phase.vc, flow.inputs, flow.outputs, middle_of(phase.route, static_cast<int>(f))});
      edge.additions += static_cast<std::uint64_t>(std::popcount(flow.inputs) - 1);
      edge.open[f] = !tail;
    }
  }
}

PhaseRules::Edge PhaseRules::judge(const SwitchView& view) const {
  Edge edge;
  choose(view, edge);
  join(view, edge);
  for (int p = 0; p < ports_; ++p) {
    for (int v = 0; v < kNumVcs; ++v) edge.waiting += other(view, p, v) != nullptr ? 1 : 0;
  }
  // At a packet boundary of every flow.
  edge.change = edge.change && std::ranges::find(edge.open, true) == edge.open.end();
  return edge;
}

void PhaseRules::advance(const Edge& edge) {
  pointers_ = edge.pointers;
  open_ = edge.open;
  ++since_load_;
  if (edge.entries.empty()) {
    silent_ = std::min(silent_ + 1, yield_);
  } else {
    silent_ = 0;
    busy_ = std::min(busy_ + 1, quantum_);
  }
  if (loading_) {
    active_ = next_;
    open_.assign(phases_[active_].flows.size(), false);
    since_load_ = silent_ = busy_ = 0;
  }
  loading_ = edge.change;
  if (edge.change) next_ = edge.next;
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
          .loading = loading_,
          .busy = silent_ != yield_ || open_outputs() != 0,
          .phase = static_cast<std::uint8_t>(std::max(active_, 0)),
          .vc = static_cast<std::uint8_t>(vc()),
          .next = static_cast<std::uint8_t>(next_)};
}

}  // namespace fredsim::tb
