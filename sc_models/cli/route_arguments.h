// SPDX-License-Identifier: Apache-2.0
// Options of `fredsim route` and `fredsim conflicts`, a row each: one switch, no machine file.
//
// Errors: BadInput naming the option or flow, what was found and what is allowed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/flit.h"
#include "results/option_row.h"
#include "routing/fred_routing.h"
#include "routing/random_flows.h"
#include "runner/option_values.h"

namespace fredsim {

// Numbers in the meanings.
static_assert(kMaxPorts == 32 && kMinMiddle == 2 && kMaxMiddle == 4);

struct RouteOptions {
  FredSwitchShape shape;
  std::vector<std::string> flow_texts;  // as typed
  std::vector<Flow> flows;              // parallel to flow_texts
  int vc = kMp;                         // VC in the phase store's row
};

inline constexpr auto kRouteRows = rows::under(
    headings::kWork,
    rows::number<&RouteOptions::shape, &FredSwitchShape::ports>(
        "--ports", "P", "of the switch, 2 to 32", {.least = 1, .min = 2, .max = kMaxPorts}),
    rows::number<&RouteOptions::shape, &FredSwitchShape::middle>(
        "--middle", "M", "middle sub-networks, 2 to 4",
        {.least = 1, .min = kMinMiddle, .max = kMaxMiddle}),
    rows::word<&RouteOptions::vc>("--vc", "NAME",
                                  "virtual channel in the phase's row: mp (default), pp or dp",
                                  {.words = "mp pp dp", .initial = "mp"}),
    rows::text<&RouteOptions::flow_texts>(
        "FLOW", "",
        "input ports, a colon, output ports: 0,1,2:4,5 or 0-3:4-7; reduces over the inputs, "
        "delivers the sum to every output",
        {.least = 1, .most = kAnyNumber}));

struct ConflictOptions {
  FlowKind kind = FlowKind::kAny;
  int ports = 0;
  std::vector<int> middles;      // ascending
  std::vector<int> flow_counts;  // ascending
  std::uint64_t trials = 0, seed = 1;
};

// --flows is read last.
inline constexpr auto kConflictRows = rows::under(
    headings::kWork,
    rows::number<&ConflictOptions::ports>("--ports", "P", "of the switch, 2 to 32",
                                          {.least = 1, .min = 2, .max = kMaxPorts}),
    rows::parsed<parse_middles, &ConflictOptions::middles>(
        "--middle", "M", "middle sub-networks, 2 to 4: 3, a list 2,3 or a sweep 2:4", {.least = 1}),
    rows::given<ConflictOptions>("--flows", "K", "flows of a set: 4, a list 2,4 or a sweep 1:6",
                                 {.least = 1}),
    rows::word<&ConflictOptions::kind>(
        "--kind", "NAME", "unicast, multicast, reduce, all_reduce or any (default)",
        {.words = "unicast multicast reduce all_reduce any", .initial = "any"}),
    rows::number<&ConflictOptions::trials>("--trials", "N",
                                           "random sets for each K (default 10000)",
                                           {.initial = "10000", .max = 1'000'000'000}));

}  // namespace fredsim
