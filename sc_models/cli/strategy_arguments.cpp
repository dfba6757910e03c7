// SPDX-License-Identifier: Apache-2.0
#include "cli/strategy_arguments.h"

#include <fmt/format.h>

#include "cli/add_option.h"
#include "routing/fred_routing.h"
#include "runner/option_values.h"

namespace fredsim {

void StrategyStrings::add_to(CLI::App& command) {
  add(command, "--middle", middle, "M",
      fmt::format("middle sub-networks, {} to {}: 3, a list 2,3 or a sweep 2:4 (default: as in the "
                  "machine file)",
                  kMinMiddle, kMaxMiddle));
  add(command, "--placement", placement, "WHERE",
      "NPU of every worker: paper (default), snake, identity or a file with a list of all NPUs");
  command.add_flag("--all", all, "a line per strategy, too");
}

StrategyOptions StrategyStrings::checked() const {
  StrategyOptions options;
  if (!middle.empty()) options.middles = parse_numbers(middle, "--middle", kMinMiddle, kMaxMiddle);
  options.placement = parse_placement(placement);
  options.all = all;
  return options;
}

}  // namespace fredsim
