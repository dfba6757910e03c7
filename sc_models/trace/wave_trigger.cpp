// SPDX-License-Identifier: Apache-2.0
#include "trace/wave_trigger.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "nic/packet_extension.h"

namespace fredsim {
namespace {

// Bits of the VCs of lower priority than each.
std::array<std::uint32_t, kNumVcs> lower_vcs(const VcOrder& order) {
  std::array<std::uint32_t, kNumVcs> masks{};
  std::uint32_t lower = 0;
  for (auto vc = order.rbegin(); vc != order.rend(); ++vc) {
    masks[*vc] = lower;
    lower |= 1U << *vc;
  }
  return masks;
}

bool needs_counters(WaveTriggerKind kind) {
  return kind == WaveTriggerKind::kStall || kind == WaveTriggerKind::kPhaseChange;
}

}  // namespace

TriggerWatch::TriggerWatch(const WaveTrigger& trigger,
                           const std::vector<const SwitchCore*>& switches, std::size_t links,
                           const VcOrder& order)
    : trigger_(trigger), open_(links), lower_vcs_(lower_vcs(order)) {
  if (!needs_counters(trigger.kind)) return;
  for (const SwitchCore* core : switches) {
    if (core->peek_counters(counters_)) switches_.push_back({core});
  }
  if (switches_.empty()) {
    throw BadInput(
        "--wave-trigger: found one on the counters of switches, but no switch in --wave-scope "
        "tells them without a register access; allowed: with a scope that has one of ours");
  }
}

void TriggerWatch::begin_run() {
  seen_ = false;
  std::ranges::fill(open_, 0U);
  for (Watched& watched : switches_) watched = {watched.core};
}

void TriggerWatch::launch(int link, const FlitHeader& header) {
  switch (trigger_.kind) {
    case WaveTriggerKind::kPacket:
      seen_ |= header.tag == trigger_.argument;
      break;
    case WaveTriggerKind::kStream:
      seen_ |= header.tag >> kStreamShift == trigger_.argument;
      break;
    case WaveTriggerKind::kPreemption:
      watch_preemption(link, header);
      break;
    default:
      break;
  }
}

void TriggerWatch::watch_preemption(int link, const FlitHeader& header) {
  const std::uint32_t bit = 1U << header.vc;
  seen_ |= (open_[link] & lower_vcs_[header.vc]) != 0;
  open_[link] = header.tail ? open_[link] & ~bit : open_[link] | bit;
}

void TriggerWatch::watch_counters() {
  const bool is_stall = trigger_.kind == WaveTriggerKind::kStall;
  for (Watched& watched : switches_) {
    watched.core->peek_counters(counters_);
    std::uint64_t count = counters_.phase_changes;
    if (is_stall) {
      count = 0;
      for (const CounterInfo& counter : kSwitchCounters) {
        if (counter.stall != nullptr) count += counters_.*counter.value;
      }
    }
    watched.cycles_in_row = count > watched.count ? watched.cycles_in_row + 1 : 0;
    watched.count = count;
    seen_ |= watched.cycles_in_row > (is_stall ? trigger_.argument : 0);
  }
}

bool TriggerWatch::edge() {
  watch_counters();
  return seen_;
}

}  // namespace fredsim
