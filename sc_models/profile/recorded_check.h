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
#include <vector>

#include "profile/profile_graph.h"

namespace fredsim {

struct RuleCheck {
  std::uint64_t dependencies = 0, violated = 0;
};

struct RecordedCheck {
  std::array<RuleCheck, kTraceRules.size()> rules{};
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

RecordedCheck check_recorded(const ProfileGraph& graph);

}  // namespace fredsim
