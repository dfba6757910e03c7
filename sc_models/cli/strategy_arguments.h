// SPDX-License-Identifier: Apache-2.0
// Command line of `fredsim strategies`.
//
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "runner/placement.h"

namespace fredsim {

struct StrategyOptions {
  std::vector<int> middles;  // ascending; empty: the machine's own
  Placement placement;
  bool all = false;  // a line per strategy, too
};

// The options' strings, as CLI11 collects them.
struct StrategyStrings {
  std::string middle;
  std::string placement = "paper";
  bool all = false;
  void add_to(CLI::App& command);
  StrategyOptions checked() const;
};

}  // namespace fredsim
