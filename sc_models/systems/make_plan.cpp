// SPDX-License-Identifier: Apache-2.0
#include "systems/make_plan.h"

#include "collective/planner.h"
#include "systems/system_plan.h"

namespace fredsim {

Plan make_plan(const Topology& topology, std::span<const CollectiveSpec> work,
               OnConflict on_conflict) {
  if (topology.has_blocks()) return expanded(topology, plan_system(topology, work));
  return plan_on_fabric(topology, work, on_conflict);
}

Plan make_plan(const Topology& topology, Collective collective, const std::vector<int>& group,
               std::uint64_t bytes, const std::string& algorithm) {
  CollectiveSpec spec;
  spec.collective = collective;
  spec.group = group;
  spec.bytes = bytes;
  spec.algorithm = algorithm;
  return make_plan(topology, {&spec, 1});
}

}  // namespace fredsim
