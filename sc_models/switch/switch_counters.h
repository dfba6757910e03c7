// SPDX-License-Identifier: Apache-2.0
// Performance counters of a switch: every one that there is, what it counts, and where it is read.
//
// A kind says which of them it has (SwitchKind::has()); those that it lacks stay zero. Results, timelines, the
//   comparison in lockstep and triggers go by this one table, and print its names. rtl/common/noc_pkg.sv says what each
//   register counts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "switch/register_map.h"

namespace fredsim {

// Since reset.
struct SwitchCounters {
  std::vector<std::uint64_t> flits_in, flits_out;  // per port
  std::uint64_t reductions = 0, phase_changes = 0;
  // Cycles x (flow or port) in which a head-of-line flit could not leave, by reason.
  std::uint64_t stall_join = 0, stall_credit = 0, stall_phase = 0, stall_arbiter = 0,
                stall_link = 0;
  bool operator==(const SwitchCounters&) const = default;
};

struct CounterInfo {
  const char* name;       // "stall_join"
  const char* stall;      // reason of a stall: "join"; else null
  std::uint16_t address;  // address of its register, 64 bits as two words
  std::uint64_t SwitchCounters::*value;
};

// But for those per port, which every switch has; in the order in which they are printed.
inline constexpr CounterInfo kSwitchCounters[] = {
    {"reductions", nullptr, reg::kReductions, &SwitchCounters::reductions},
    {"phase_changes", nullptr, reg::kPhaseChanges, &SwitchCounters::phase_changes},
    {"stall_join", "join", reg::kStallJoin, &SwitchCounters::stall_join},
    {"stall_credit", "credit", reg::kStallCredit, &SwitchCounters::stall_credit},
    {"stall_phase", "phase", reg::kStallPhase, &SwitchCounters::stall_phase},
    {"stall_arbiter", "arbiter", reg::kStallArbiter, &SwitchCounters::stall_arbiter},
    {"stall_link", "link", reg::kStallLink, &SwitchCounters::stall_link}};

}  // namespace fredsim
