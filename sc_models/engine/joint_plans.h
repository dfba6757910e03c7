// SPDX-License-Identifier: Apache-2.0
// Plans of operations that are issued apart and known before a run: those that can share a phase of the switches are
// planned together, so that they run side by side where they are under way at the same time.
//
// Why: a chiplet has one phase in use at a time. Groups that share no port of it still take turns there when each has a phase
//   of its own, and groups that were planned apart may have chosen the same uplinks.
// How: works that run in the switches alone, on one virtual channel, form sets. All works of a set are planned as if they ran
//   together, in one order, and each then keeps its own part of that (Plan::parts, trees) and the phases of all. Equal
//   rows are one phase in the stores (engine/row_store.h). Works of the same groups that differ in their bytes count once.
// Sets: first of works of the same collective, then of any, each work in the first set that takes it. A set takes a work if no
//   endpoint would send, or receive, for two works at once, the switches can route all of it, and every work keeps its trees:
//   none has fewer uplinks, or takes another path, than by itself.
// Physically, routes are computed before the run for all groups that will communicate (§5.3); nothing of it takes cycles
//   but the writes of the rows.
// Works that say with whom they are planned, before or beside them, are planned so, but on systems (topology/system.h), whose steps are planned apart.
// Errors: those of make_plan() of a work by itself.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "operations/prepared_plan.h"
#include "plan/collective_spec.h"
#include "plan/group_conflict.h"
#include "topology/topology.h"

namespace fredsim {

struct ApartWork {
  std::vector<CollectiveSpec> before{};  // planned with the work, in this order, and not issued
  std::vector<CollectiveSpec> work{};
  std::vector<CollectiveSpec> beside{};
};

// By work; equal works have one.
std::vector<std::shared_ptr<const PreparedPlan>> plan_apart(
    const Topology& topology, std::span<const ApartWork> works, OnConflict on_conflict,
    SystemForm form = SystemForm::kExpanded);

}  // namespace fredsim
