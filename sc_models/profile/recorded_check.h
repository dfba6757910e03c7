// SPDX-License-Identifier: Apache-2.0
// Holds the rules of a converted profile against what was recorded.
//
// The total time proves little: threads go on by recorded gaps, whichever rule is left out. So the
// begin of each operation is compared with the ends of what it is said to wait for.
// Violated: it began in the recording more than 1 µs before such an end: the rule is wrong there.
// Unexplained: it began more than 20 µs after the last of them: something else held it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile_graph.h"

namespace fredsim {

// Kinds of nodes.
enum class RecordedKind : std::uint8_t { kComputation, kMemory, kCommunication, kCpu };
inline constexpr std::array<std::string_view, 4> kRecordedKinds{"computation", "copy",
                                                                "communication", "CPU"};

// `unexplained`: operations that begin late, of which this was the last dependency. A CPU has none:
// its gaps are nodes.
struct RuleCheck {
  std::uint64_t dependencies = 0, violated = 0, unexplained = 0;
};

struct RecordedCheck {
  using ByKind = std::array<RuleCheck, kRecordedKinds.size()>;
  std::array<ByKind, kTraceRules.size()> rules{};           // by rule and kind of what waits
  std::array<std::uint64_t, kRecordedKinds.size()> free{};  // unexplained: they wait for nothing
  // Operations of the GPU: computations (with copies) and communications.
  std::uint64_t computations = 0, unexplained_computations = 0;
  std::uint64_t communications = 0, unexplained_communications = 0;
  Kineto::Ps largest_gap = 0;  // that nothing explains
  std::string largest{};       // operation behind it
  // Time from the begin of the steps to their end, or the end of the last operation; and the same
  // with each node as early as its dependencies allow.
  Kineto::Ps recorded = 0, replayed = 0;
  // Time in which a communication runs and no computation of the GPU does.
  Kineto::Ps exposed = 0;
};

// Sum over kinds.
RuleCheck sum_of(const RecordedCheck::ByKind& rule);

RecordedCheck check_recorded(const ProfileGraph& graph);

}  // namespace fredsim
