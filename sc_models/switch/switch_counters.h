// SPDX-License-Identifier: Apache-2.0
// Performance counters of a switch: the list of all, with their meanings and registers.
//
// A kind declares the counters that it has (SwitchKind::has()); the others stay zero. Results,
//   timelines, the comparison in lockstep and triggers use this one table, and print its names.
//   rtl/common/noc_pkg.sv describes each register.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "switch/register_map.h"

namespace fredsim {

// Counts since reset.
struct SwitchCounters {
  std::vector<std::uint64_t> flits_in, flits_out;  // index: port
  std::uint64_t reductions = 0, phase_changes = 0;
  // Cycles x (flow or port) in which a head-of-line flit could not leave, by reason.
  std::uint64_t stall_join = 0, stall_credit = 0, stall_phase = 0, stall_arbiter = 0,
                stall_link = 0;
  bool operator==(const SwitchCounters&) const = default;
};

struct CounterInfo {
  const char* name;       // example: "stall_join"
  const char* stall;      // reason of a stall: "join"; else null
  std::uint16_t address;  // address of its register, 64 bits as two words
  std::uint64_t SwitchCounters::*value;
};

// All counters except the per-port ones, which every switch has; in the order of output.
inline constexpr CounterInfo kSwitchCounters[] = {
    {"reductions", nullptr, reg::kReductions, &SwitchCounters::reductions},
    {"phase_changes", nullptr, reg::kPhaseChanges, &SwitchCounters::phase_changes},
    {"stall_join", "join", reg::kStallJoin, &SwitchCounters::stall_join},
    {"stall_credit", "credit", reg::kStallCredit, &SwitchCounters::stall_credit},
    {"stall_phase", "phase", reg::kStallPhase, &SwitchCounters::stall_phase},
    {"stall_arbiter", "arbiter", reg::kStallArbiter, &SwitchCounters::stall_arbiter},
    {"stall_link", "link", reg::kStallLink, &SwitchCounters::stall_link}};

}  // namespace fredsim
