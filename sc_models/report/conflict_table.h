// SPDX-License-Identifier: Apache-2.0
// Frequency of conflicts of random flow sets (`fredsim conflicts`), as a table; JSON: json.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "report/table_output.h"

namespace fredsim {

struct ConflictSetup {
  std::string kind;  // kind of the flows
  int ports = 0;
  std::uint64_t trials = 0;  // sets asked for per number of flows
  std::uint64_t seed = 1;
};

struct ConflictPoint {
  int flows = 0;   // flows per set
  int middle = 0;  // m, middle sub-networks
  std::uint64_t conflicts = 0;
  std::uint64_t trials = 0;  // sets tried, > 0; fewer than asked for after an interruption
};

struct Interval {
  double low = 0;
  double high = 0;
};

// Wilson's 95 % confidence interval of a probability, given `successes` in `trials` > 0 draws.
Interval wilson_95(std::uint64_t successes, std::uint64_t trials);

inline constexpr const char* kConflictLegend =
    "A set conflicts when it has no routing in which every flow has one colour per level; the "
    "search is complete. Interval: Wilson, 95 %. For a number of flows every m gets the same sets: "
    "a set that conflicts with a larger m conflicts with every smaller one.";

TitledTable conflict_table(const ConflictSetup& setup, std::span<const ConflictPoint> points);

}  // namespace fredsim
