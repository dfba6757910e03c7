// SPDX-License-Identifier: Apache-2.0
#include "switch_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "switch/register_map.h"

namespace fredsim::tb {
namespace {

constexpr int kToInterconnect =
    3;  // edges from the buffer to the first stage: memory, flit register, stage

[[noreturn]] void broken(const std::string& what) { throw std::runtime_error(what); }

std::string text(const SwitchPhase& p) {
  return fmt::format("phase {} VC {}{}{}{}", p.phase, p.vc, p.active ? ", active" : "",
                     p.busy ? ", busy" : "", p.loading ? fmt::format(", loads {}", p.next) : "");
}

}  // namespace

SwitchRules::SwitchRules(const TestedSwitch& shape)
    : shape_(shape),
      words_(flit_words(shape.lanes)),
      stages_(shape.stages()),
      view_(shape_),
      phase_(shape),
      online_(shape),
      sums_(shape),
      quiet_(stages_ + kToInterconnect) {
  for (auto& output : view_.outputs) {
    for (int v = 0; v < kNumVcs; ++v) {
      output[v].places = shape.buffers.output_flits;
      output[v].credits = shape.buffers.depth(v);
    }
  }
}

void SwitchRules::check_launches(const SwitchPins& pins) const {
  std::uint32_t due = 0;
  for (const auto& [o, want] : launches_) {
    due |= 1U << o;
    if (!has(pins.out_valid, o)) broken(fmt::format("output {}: packet {} stays", o, want.tag));
    const FlitHeader got = unpack_header(&pins.out_flit[o * words_]);
    if (got.vc != want.vc || got.tag != want.tag || got.tail != want.tail) {
      broken(fmt::format("output {}: VC {} packet {} where VC {} packet {} is first", o, got.vc,
                         got.tag, want.vc, want.tag));
    }
  }
  if (pins.out_valid != due) {
    broken(fmt::format("outputs {:b} launch, and {:b} may", pins.out_valid, due));
  }
}

void SwitchRules::decide_launches(const SwitchPins& pins) {
  launches_.clear();
  for (int o = 0; o < shape_.ports(); ++o) {
    int first = -1;
    for (const int vc : shape_.vc_order) {
      SwitchView::Output& output = view_.outputs[o][vc];
      output.credits += has(pins.out_credit[vc], o) ? 1 : 0;
      if (output.staged.empty() || output.credits == 0) continue;
      if (first < 0 || (output.inside && !view_.outputs[o][first].inside)) first = vc;
    }
    if (first < 0) continue;
    if (!has(pins.out_ready, o)) {
      ++counts_.link;
      continue;
    }
    SwitchView::Output& output = view_.outputs[o][first];
    launches_[o] = output.staged.front();
    output.inside = !output.staged.front().tail && output.staged.front().phase != kPhaseOnline;
    output.staged.pop_front();
    ++output.places;
    --output.credits;
  }
}

void SwitchRules::check_credits(const SwitchPins& pins, const std::vector<Entry>& entries) const {
  std::array<std::uint32_t, kNumVcs> leave{};
  for (const Entry& entry : entries) leave[entry.vc] |= entry.inputs;
  for (int v = 0; v < kNumVcs; ++v) {
    if (pins.in_credit[v] != leave[v]) {
      broken(fmt::format("VC {}: inputs {:b} let a flit go, not {:b}", v, pins.in_credit[v],
                         leave[v]));
    }
  }
}

void SwitchRules::check_phase(const SwitchCore& core) const {
  SwitchPhase shown;
  if (!core.peek_phase(shown)) return;
  SwitchPhase want = phase_.shown();
  if (!want.loading) want.next = shown.next;
  if (shown != want) {
    broken(fmt::format("the control unit has {}; expected {}", text(shown), text(want)));
  }
}

void SwitchRules::check_idle(bool idle) const {
  bool empty = launched_ == 0 && launches_.empty() && pins_in_.empty() &&
               quiet_ >= stages_ + kToInterconnect && phase_.is_idle() && sums_.is_idle();
  for (int p = 0; p < shape_.ports(); ++p) {
    for (int v = 0; v < kNumVcs; ++v) {
      empty = empty && view_.hol(p, v) == nullptr &&
              view_.outputs[p][v].places == shape_.buffers.output_flits;
    }
  }
  if (idle != empty) broken(idle ? "idle, but not empty" : "not idle, but empty");
}

void SwitchRules::arrive() {
  for (Arrival& arrival : inside_) --arrival.left;
  while (!inside_.empty() && inside_.front().left == 0) {
    const Arrival& arrival = inside_.front();
    view_.outputs[arrival.output][arrival.flit.vc].staged.push_back(arrival.flit);
    inside_.pop_front();
  }
}

// Returns the flits that enter the adders.
std::vector<SumRules::Fired> SwitchRules::enter(const std::vector<Entry>& entries) {
  std::vector<SumRules::Fired> fired;
  quiet_ = entries.empty() ? quiet_ + 1 : 0;
  for (const Entry& entry : entries) {
    const FlitHeader flit = *view_.hol(std::countr_zero(entry.inputs), entry.vc);
    for (int p = 0; p < shape_.ports(); ++p) {
      if (has(entry.inputs, p)) view_.inputs[p][entry.vc].pop_front();
      if (!has(entry.outputs, p)) continue;
      --view_.outputs[p][entry.vc].places;
      if (!sums_.adds(entry.inputs)) inside_.push_back({stages_ + kToInterconnect, p, flit});
    }
    if (sums_.adds(entry.inputs)) fired.push_back({entry.inputs, flit});
  }
  return fired;
}

void SwitchRules::take_in(const SwitchPins& pins) {
  for (const auto& [p, flit] : pins_in_) view_.inputs[p][flit.vc].push_back(flit);
  pins_in_.clear();
  for (int p = 0; p < shape_.ports(); ++p) {
    if (has(pins.in_valid, p)) pins_in_[p] = unpack_header(&pins.in_flit[p * words_]);
  }
}

void SwitchRules::check(const SwitchPins& pins, const SwitchCore& core) {
  // Decisions use the state before the edge: first decide, then move.
  const bool store_free = !pins.reg.valid || pins.reg.address < reg::kPhaseStore;
  sums_.show(view_);
  const PhaseRules::Edge phase = phase_.judge(view_, store_free);
  const OnlineRules::Edge online = online_.judge(view_, phase_, phase.entries);
  std::vector<Entry> entries = phase.entries;
  entries.insert(entries.end(), online.entries.begin(), online.entries.end());
  check_credits(pins, entries);
  check_launches(pins);
  launched_ = pins.out_valid;

  arrive();
  online_.advance(online, view_);
  const std::vector<SumRules::Fired> fired = enter(entries);
  const auto change = phase.change ? std::optional(phase_.next()) : std::nullopt;
  for (const SumRules::Done& sum : sums_.advance(fired, change)) {
    for (int p = 0; p < shape_.ports(); ++p) {
      if (has(sum.outputs, p)) view_.outputs[p][sum.flit.vc].staged.push_back(sum.flit);
    }
  }
  decide_launches(pins);
  take_in(pins);
  counts_.phase_changes += phase.change ? 1 : 0;
  phase_.advance(phase);
  counts_.reductions += phase.additions;
  counts_.join += phase.join;
  counts_.credit += phase.credit + online.credit;
  counts_.phase += phase.waiting;
  counts_.arbiter += online.arbiter + phase.held;

  check_phase(core);
  check_idle(core.idle());
}

}  // namespace fredsim::tb
