// SPDX-License-Identifier: Apache-2.0
// Options of `info --plan`: a collective whose plan is written as a schedule
// (schedule_files/schedule.h), which --algorithm reads.
#pragma once

#include <string>
#include <vector>

#include "plan/collective.h"
#include "results/option_row.h"
#include "runner/option_values.h"
#include "topology/topology.h"

namespace fredsim {

struct PlanOptions {
  std::string file;  // empty: none; "-": standard output
  Collective collective = Collective::kAllReduce;
  std::string size = "1MiB";
  std::vector<int> group{};  // empty: all NPUs
  std::string algorithm = "auto";
  int root = 0;
};
inline constexpr auto kPlanRows = rows::under(
    headings::kWork,
    rows::text<&PlanOptions::file>("--plan", "FILE.json",
                                   "the plan of a collective as a schedule, which --algorithm "
                                   "reads; nothing else. - is standard output"),
    rows::parsed<parse_collective, &PlanOptions::collective>(
        "--collective", "NAME", "with --plan: all_reduce (default) or another one of run",
        {.offer = "all_reduce reduce_scatter all_gather reduce broadcast multicast gather "
                  "scatter all_to_all unicast",
         .needs = "--plan",
         .allowed = "together with --plan FILE.json"}),
    rows::text<&PlanOptions::size>(
        "--size", "SIZE", "with --plan: as in run (default 1MiB)",
        {.needs = "--plan", .allowed = "together with --plan FILE.json"}),
    rows::parsed<parse_group, &PlanOptions::group>(
        "--group", "RANKS", "with --plan: members of the group (default: all NPUs)",
        {.needs = "--plan", .allowed = "together with --plan FILE.json"}),
    rows::number<&PlanOptions::root>(
        "--root", "R", "with --plan: position of the root (default 0)",
        {.min = 0, .needs = "--plan", .allowed = "together with --plan FILE.json"}),
    rows::text<&PlanOptions::algorithm>("--algorithm", "NAME",
                                        "with --plan: as in run (default auto)",
                                        {.more_words = algorithm_words,
                                         .needs = "--plan",
                                         .allowed = "together with --plan FILE.json"}));

// The schedule as text. Errors: BadInput for a plan that no schedule expresses, and those of the
// planner.
std::string plan_text(const Topology& topology, const PlanOptions& options);

}  // namespace fredsim
