// SPDX-License-Identifier: Apache-2.0
// Report on the strategies that have a routing, as tables and as JSON (`fredsim strategies`).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/setting.h"
#include "placement/strategy_check.h"
#include "report/json.h"
#include "report/table_output.h"

namespace fredsim {

// The checks of one m.
struct StrategyRun {
  int middle = 0;
  std::vector<MachineKey> machine;
  std::vector<StrategyCheck> checks;
  int done = 0;  // strategies checked; fewer than the report's after an interruption
};

struct StrategyReport {
  std::string config;     // path of the machine file
  Settings settings;      // settings over the machine file, except --middle
  std::string fabric;     // its name
  std::string placement;  // its name
  int npus = 0;
  int strategies = 0;    // strategies in every run
  bool complete = true;  // the search is complete, except for outcomes "undecided"
  std::vector<StrategyRun> runs;
};

// Legend of the tables.
std::string strategy_legend(const StrategyReport& report);
// A line per m and dimension.
TitledTable strategy_summary(const StrategyReport& report);
// First failing strategy, in full, for every m and dimension with a failure; empty: none fails.
std::string strategy_failures(const StrategyReport& report);
// A line per strategy: outcomes of its dimensions for every m. As many m side by side as fit in
// `columns`, and at least one; further tables have the other m.
std::vector<TitledTable> strategy_lines(const StrategyReport& report, std::size_t columns);
// Table with a row per strategy, m and dimension.
TitledTable strategy_rows(const StrategyReport& report);
// "runs" has one object per m and dimension. Ends in a newline.
std::string strategy_json(const Origin& origin, const StrategyReport& report);

}  // namespace fredsim
