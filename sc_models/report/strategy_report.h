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
  int done = 0;  // strategies; fewer than the report's where it was interrupted
};

struct StrategyReport {
  std::string config;     // path
  Settings settings;      // over what the file says, but for --middle
  std::string fabric;     // name
  std::string placement;  // name
  int npus = 0;
  int strategies = 0;    // strategies in every run
  bool complete = true;  // the search is, where it does not say undecided
  std::vector<StrategyRun> runs;
};

// Legend of the tables.
std::string strategy_legend(const StrategyReport& report);
// A line per m and dimension.
TitledTable strategy_summary(const StrategyReport& report);
// First strategy that fails, in full, for every m and dimension with a failure; empty: none fails.
std::string strategy_failures(const StrategyReport& report);
// A line per strategy: what became of its dimensions for every m. Side by side as many m as `columns` have
// room for, and at least one; the others in further tables.
std::vector<TitledTable> strategy_lines(const StrategyReport& report, std::size_t columns);
// The same with a row per strategy, m and dimension.
TitledTable strategy_rows(const StrategyReport& report);
// "runs" has one object per m and dimension. Ends in a newline.
std::string strategy_json(const Origin& origin, const StrategyReport& report);

}  // namespace fredsim
