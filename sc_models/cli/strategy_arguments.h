// SPDX-License-Identifier: Apache-2.0
// Options of `fredsim strategies`, a row each.
//
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <string>
#include <vector>

#include "results/option_row.h"
#include "routing/fred_routing.h"
#include "runner/option_values.h"
#include "runner/placement.h"

namespace fredsim {

static_assert(kMinMiddle == 2 && kMaxMiddle == 4);  // in the meanings

struct StrategyOptions {
  std::vector<int> middles;  // ascending; empty: the machine's own
  Placement placement;
  bool all = false;  // a line per strategy, too
};
inline constexpr auto kStrategyRows = rows::under(
    headings::kWork,
    rows::parsed<parse_middles, &StrategyOptions::middles>(
        "--middle", "M",
        "middle sub-networks, 2 to 4: 3, a list 2,3 or a sweep 2:4 (default: as in the machine "
        "file)"),
    rows::parsed<parse_placement, &StrategyOptions::placement>(
        "--placement", "WHERE",
        "NPU of every worker: paper (default), snake, identity or a file with a list of all NPUs",
        {.initial = "paper"}),
    rows::flag<&StrategyOptions::all>("--all", "a line per strategy, too"));

}  // namespace fredsim
