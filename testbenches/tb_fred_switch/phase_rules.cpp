// SPDX-License-Identifier: Apache-2.0
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
      slots_(static_cast<std::size_t>(shape.phases_in_use), Slot{.silent = yield_}),
      since_load_(config_edges_) {}

void PhaseRules::add_phase(const Phase& phase) { phases_.push_back(phase); }

const FlitHeader* PhaseRules::other(const SwitchView& view, int input, int vc) const {
  const FlitHeader* hol = view.hol(input, vc);
  if (hol == nullptr || hol->phase == kPhaseOnline) return nullptr;
  const bool taken = std::ranges::any_of(slots_, [&](const Slot& slot) {
    return slot.phase >= 0 && vc == phases_[slot.phase].vc && hol->phase == slot.phase;
  });
  return taken ? nullptr : hol;
}

// Looks up VCs and ports in turn, skipping VCs that already have a candidate.
std::optional<PhaseRules::Lookup> PhaseRules::look_up(const SwitchView& view) const {
  if (decided_) return std::nullopt;
  for (int i = 0; i < kNumVcs; ++i) {
    const int vc = (next_vc_ + i) % kNumVcs;
    if (candidates_[vc]) continue;
    for (int k = 0; k < ports_; ++k) {
      const int port = (next_port_[vc] + k) % ports_;
      if (const FlitHeader* hol = other(view, port, vc)) return Lookup{port, vc, hol->phase};
    }
  }
  return std::nullopt;
}

// At least one of its flows could fire.
bool PhaseRules::ready(const SwitchView& view, const Lookup& lookup) const {
  return std::ranges::any_of(phases_.at(lookup.phase).flows, [&](const Flow& flow) {
    for (int p = 0; p < ports_; ++p) {
      if (!has(flow.inputs, p)) continue;
      const FlitHeader* hol = other(view, p, lookup.vc);
      if (hol == nullptr || hol->phase != lookup.phase) return false;
    }
    return view.room(flow.outputs, lookup.vc);
  });
}

bool PhaseRules::between_packets(const Slot& slot) {
  return std::ranges::find(slot.open, true) == slot.open.end();
}

// A port, or a select code of the µSwitches: two bits each.
bool PhaseRules::share_something(const Phase& one, const Phase& other) const {
  for (const Flow& a : one.flows) {
    for (const Flow& b : other.flows) {
      if ((a.inputs & b.inputs) != 0 || (a.outputs & b.outputs) != 0) return true;
    }
  }
  for (std::size_t bit = 0; bit < one.route.bits.size(); bit += 2) {
    if ((one.route.bits[bit] || one.route.bits[bit + 1]) &&
        (other.route.bits[bit] || other.route.bits[bit + 1]))
      return true;
  }
  return false;
}

bool PhaseRules::gives_way(const Slot& slot, int vc) const {
  if (slot.phase < 0 || (slot.silent == yield_ && between_packets(slot))) return true;
  const int now = rank(first_to_last_, phases_[slot.phase].vc);
  const int then = rank(first_to_last_, vc);
  return then < now || (then == now && slot.busy == quantum_);
}

// Slot of a phase: replaces the phases with which it shares something; if there are none, takes a
// free slot or the first one that yields. With one slot it always takes that.
PhaseRules::Place PhaseRules::place_of(int phase) const {
  const Phase& of = phases_.at(phase);
  if (slots_.size() == 1) return {phase, 0, {0}};
  std::vector<int> in_way;
  for (int s = 0; s < 2; ++s) {
    if (slots_[s].phase >= 0 && share_something(of, phases_[slots_[s].phase])) in_way.push_back(s);
  }
  if (!in_way.empty()) return {phase, in_way.front(), in_way};
  for (int s = 0; s < 2; ++s) {
    if (slots_[s].phase < 0) return {phase, s, {s}};
  }
  const int slot = gives_way(slots_[0], of.vc) ? 0 : 1;
  return {phase, slot, {slot}};
}

// The first of the candidates that take over.
std::optional<PhaseRules::Place> PhaseRules::decide() const {
  // Changes are at least CONFIG_STAGES + 1 edges apart; a change follows its decision by at least
  // one edge.
  if (decided_ || since_load_ < std::max(1, config_stages_ - 1)) return std::nullopt;
  for (const int vc : first_to_last_) {
    if (!candidates_[vc]) continue;
    const Place place = place_of(*candidates_[vc]);
    if (std::ranges::all_of(place.replaced, [&](int s) { return gives_way(slots_[s], vc); }))
      return place;
  }
  return std::nullopt;
}

bool PhaseRules::holds_heads(int slot) const {
  return decided_ && std::ranges::find(next_.replaced, slot) != next_.replaced.end();
}

// Flows fire independently, one flit each.
void PhaseRules::join(const SwitchView& view, int slot, Edge& edge) const {
  const Slot& now = slots_[slot];
  edge.open.push_back(now.open);
  if (now.phase < 0) return;
  const Phase& phase = phases_[now.phase];
  for (std::size_t f = 0; f < phase.flows.size(); ++f) {
    const Flow& flow = phase.flows[f];
    std::uint32_t there = 0;
    bool tail = false;
    for (int p = 0; p < ports_; ++p) {
      const FlitHeader* hol = view.hol(p, phase.vc);
      if (!has(flow.inputs, p) || hol == nullptr || hol->phase != now.phase) continue;
      if (has(view.held, p)) {
        ++edge.held;
        continue;
      }
      there |= 1U << p;
      tail = hol->tail;
    }
    if (there == 0) continue;
    if (there != flow.inputs) {
      ++edge.join;
    } else if (!now.open[f] && !view.room(flow.outputs, phase.vc)) {
      ++edge.credit;
    } else if (now.open[f] || !holds_heads(slot)) {
      edge.entries.push_back({phase.vc, flow.inputs, flow.outputs});
      edge.additions += static_cast<std::uint64_t>(std::popcount(flow.inputs) - 1);
      edge.open[slot][f] = !tail;
    }
  }
}

PhaseRules::Edge PhaseRules::judge(const SwitchView& view, bool store_free) const {
  Edge edge;
  edge.change = decided_ && std::ranges::all_of(next_.replaced,
                                                [&](int s) { return between_packets(slots_[s]); });
  if (store_free) edge.read = look_up(view);
  if (read_ && ready(view, *read_)) edge.ready = read_;
  edge.decision = decide();
  for (int s = 0; s < std::ssize(slots_); ++s) {
    const std::size_t before = edge.entries.size();
    join(view, s, edge);
    edge.fired.push_back(edge.entries.size() > before);
  }
  for (int p = 0; p < ports_; ++p) {
    for (int v = 0; v < kNumVcs; ++v) edge.waiting += other(view, p, v) != nullptr ? 1 : 0;
  }
  return edge;
}

void PhaseRules::advance(const Edge& edge) {
  ++since_load_;
  for (int s = 0; s < std::ssize(slots_); ++s) {
    Slot& slot = slots_[s];
    slot.open = edge.open[s];
    if (edge.fired[s]) {
      slot.silent = 0;
      slot.busy = std::min(slot.busy + 1, quantum_);
    } else if (edge.held == 0) {
      slot.silent = std::min(slot.silent + 1, yield_);
    }
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
  if (edge.change) {  // candidates and look-ups are cleared
    for (const int s : next_.replaced) slots_[s].phase = -1;
    slots_[next_.slot] = {.phase = next_.phase,
                          .silent = 0,
                          .open = std::vector<bool>(phases_[next_.phase].flows.size())};
    decided_ = false;
    since_load_ = 0;
    read_.reset();
    candidates_.fill(std::nullopt);
  }
}

bool PhaseRules::is_open(int output, int vc) const {
  return std::ranges::any_of(slots_, [&](const Slot& slot) {
    if (slot.phase < 0 || phases_[slot.phase].vc != vc) return false;
    for (std::size_t f = 0; f < slot.open.size(); ++f) {
      if (slot.open[f] && has(phases_[slot.phase].flows[f].outputs, output)) return true;
    }
    return false;
  });
}

bool PhaseRules::is_idle() const {
  return !decided_ && since_load_ >= config_edges_ &&
         std::ranges::all_of(slots_, [&](const Slot& slot) { return slot.silent == yield_; });
}

// The first of two phases in use, or the only one.
SwitchPhase PhaseRules::shown() const {
  const bool is_between = std::ranges::all_of(slots_, between_packets);
  const bool is_silent =
      std::ranges::all_of(slots_, [&](const Slot& slot) { return slot.silent == yield_; });
  SwitchPhase shown{.loading = decided_ && is_between,
                    .busy = !is_silent || !is_between,
                    .next = static_cast<std::uint8_t>(next_.phase)};
  for (const Slot& slot : slots_) {
    if (slot.phase < 0) continue;
    shown.active = true;
    shown.phase = static_cast<std::uint8_t>(slot.phase);
    shown.vc = static_cast<std::uint8_t>(phases_[slot.phase].vc);
    break;
  }
  return shown;
}

}  // namespace fredsim::tb
