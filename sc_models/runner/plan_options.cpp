// SPDX-License-Identifier: Apache-2.0
#include "runner/plan_options.h"

#include "base/error.h"
#include "collective/schedule_algorithm.h"
#include "runner/detail/group_members.h"
#include "schedule_files/schedule_text.h"
#include "systems/make_plan.h"
#include "topology/faults.h"

namespace fredsim {

std::string plan_text(const Topology& topology, const PlanOptions& options) {
  const std::vector<std::vector<int>> groups =
      groups_on(topology, options.group, npus_left(topology), false);
  if (groups.size() != 1) throw BadInput("--group: found several groups with --plan; allowed: one");
  CollectiveSpec spec;
  spec.collective = options.collective;
  spec.group = groups.front();
  spec.bytes = parse_collective_size(options.size, "--size");
  spec.algorithm = options.algorithm;
  spec.root = options.root;
  return schedule_text(schedule_of(topology, make_plan(topology, std::vector{spec})));
}

}  // namespace fredsim
