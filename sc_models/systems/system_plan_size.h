// SPDX-License-Identifier: Apache-2.0
// Size of a plan on any topology before it is made (collective/plan_size.h); on systems each step's
// plan counts once per group.
#pragma once

#include <span>

#include "collective/plan_size.h"
#include "plan/collective_spec.h"
#include "topology/topology.h"

namespace fredsim {

PlanSize plan_size(const Topology& topology, std::span<const CollectiveSpec> work);

}  // namespace fredsim
