// SPDX-License-Identifier: Apache-2.0
// Question as a value: machines, work, and how it is answered.
//
// The command line, studies, Python and testbenches only create questions; runner/run.h answers
// them. Defaults equal the defaults of the options (docs/reference/options.md).
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "results/option_row.h"
#include "routing/fred_routing.h"
#include "routing/random_flows.h"
#include "runner/bandwidth_options.h"
#include "runner/option_values.h"
#include "runner/placement.h"
#include "runner/run_options.h"
#include "runner/topoopt_options.h"
#include "runner/traffic_jobs.h"
#include "runner/training_jobs.h"
#include "runner/work_jobs.h"

namespace fredsim {

// Numbers quoted in the help texts.
static_assert(kMaxPorts == 32 && kMinMiddle == 2 && kMaxMiddle == 4);

// A search over machines (`optimize`), starting at the first one.
struct OptimizeRequest : MachineOptions, OutputOptions {
  std::variant<BandwidthOptions, TopooptAsked> search;
};

// Strategies that the switches of a machine can route.
struct StrategiesRequest : MachineOptions, OutputOptions {
  std::vector<int> middles;  // ascending; empty: m of the machine
  Placement placement;
  bool all = false;  // also a line per strategy
};
inline constexpr auto kStrategyRows = rows::under(
    headings::kWork,
    rows::parsed<parse_middles, &StrategiesRequest::middles>(
        "--middle", "M",
        "middle sub-networks, 2 to 4: 3, a list 2,3 or a sweep 2:4 (default: as in the machine "
        "file)"),
    rows::parsed<parse_placement, &StrategiesRequest::placement>(
        "--placement", "WHERE",
        "NPU of every worker: paper (default), snake, identity or a file with a list of all NPUs",
        {.initial = "paper"}),
    rows::flag<&StrategiesRequest::all>("--all", "a line per strategy, too"));

// Random sets of flows through one switch.
struct ConflictsRequest : OutputOptions {
  FlowKind kind = FlowKind::kAny;
  int ports = 0;
  std::vector<int> middles;      // ascending
  std::vector<int> flow_counts;  // ascending
  std::uint64_t trials = 0;      // for each number of flows
  std::uint64_t seed = 1;
};
// Rows of `conflicts`; --flows is read last.
inline constexpr auto kConflictRows = rows::under(
    headings::kWork,
    rows::number<&ConflictsRequest::ports>("--ports", "P", "of the switch, 2 to 32",
                                           {.least = 1, .min = 2, .max = kMaxPorts}),
    rows::parsed<parse_middles, &ConflictsRequest::middles>(
        "--middle", "M", "middle sub-networks, 2 to 4: 3, a list 2,3 or a sweep 2:4", {.least = 1}),
    rows::given<ConflictsRequest>("--flows", "K", "flows of a set: 4, a list 2,4 or a sweep 1:6",
                                  {.least = 1}),
    rows::word<&ConflictsRequest::kind>(
        "--kind", "NAME", "unicast, multicast, reduce, all_reduce or any (default)",
        {.words = "unicast multicast reduce all_reduce any", .initial = "any"}),
    rows::number<&ConflictsRequest::trials>("--trials", "N",
                                            "random sets for each K (default 10000)",
                                            {.initial = "10000", .max = 1'000'000'000}));

using Question = std::variant<RunRequest, TrainRequest, TrafficRequest, OptimizeRequest,
                              StrategiesRequest, ConflictsRequest>;

}  // namespace fredsim
