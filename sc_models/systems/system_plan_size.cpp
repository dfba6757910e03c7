// SPDX-License-Identifier: Apache-2.0
#include "systems/system_plan_size.h"

#include "systems/system_plan.h"

namespace fredsim {

PlanSize plan_size(const Topology& topology, std::span<const CollectiveSpec> work) {
  if (!topology.has_blocks()) return plan_size_on_fabric(topology, work);
  PlanSize size;
  for (const SystemStep& step : plan_system(topology, work).steps) {
    const std::uint64_t groups = step.groups.size();
    const PlanSize of_step = size_of(*step.plan);
    size.trees += groups * of_step.trees;
    size.entries += groups * of_step.entries;
    size.bytes += groups * of_step.bytes;
  }
  return size;
}

}  // namespace fredsim
