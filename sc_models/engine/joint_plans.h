// SPDX-License-Identifier: Apache-2.0
// Joint plans of separately issued operations that are known before a run: operations that can
// share a phase of the switches are planned together, so that they run side by side when in flight
// at the same time.
//
// Reason: a chiplet has one phase in use at a time. Groups without a common port there still take
//   turns if each has a phase of its own, and separately planned groups may use the same uplinks.
// Method: works that run in the switches alone, on one virtual channel, form sets. All works of a
//   set are planned as if they ran together, in one order; each then keeps its own part of that
//   plan (Plan::parts, trees) and the phases of all. Equal rows are one phase in the stores
//   (engine/row_store.h). Works of the same groups that differ in their bytes count once.
// Sets: each work joins the first set that accepts it; sets of works of the same collective are
//   formed first, then sets of any works. A set accepts a work if no endpoint would send, or
//   receive, for two works at once, if the switches can route the whole set, and if every work
//   keeps its trees, with as many uplinks and the same path as when planned alone.
// Physically, routes are computed before the run for all groups that will communicate (§5.3); only
//   the writes of the rows take cycles.
// Works that name their neighbours (before or beside them) are planned with these, except on
//   systems (topology/system.h), whose steps are planned separately.
// Errors: as make_plan() of a work by itself.
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
  std::vector<CollectiveSpec> before{};  // planned before the work, in this order, and not issued
  std::vector<CollectiveSpec> work{};
  std::vector<CollectiveSpec> beside{};
};

// Plans of the works, in their order; equal works share one.
std::vector<std::shared_ptr<const PreparedPlan>> plan_apart(
    const Topology& topology, std::span<const ApartWork> works, OnConflict on_conflict,
    SystemForm form = SystemForm::kExpanded);

}  // namespace fredsim
