// SPDX-License-Identifier: Apache-2.0
// Size of a plan, before it is made: collectives of thousands of NPUs can need more memory than a
// machine has, and take minutes to find out.
//
// Bytes are the heap memory of the plan, within a fourth of the true figure for plans of more than
// a megabyte (tests/collective/plan_size_test.cpp); fallbacks for groups that do not fit in the
// switches are not taken into account, and `auto` counts as its choice for large sizes.
#pragma once

#include <cstdint>
#include <span>

#include "plan/collective_spec.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Entries of all candidates of a part that `auto` plans (collective/choice.h), at most: about ten
// milliseconds.
inline constexpr std::uint64_t kMaxWeighedEntries = 1U << 16U;

struct PlanSize {
  std::uint64_t trees = 0;    // exact for all-to-alls, gathers and scatters, else at most
  std::uint64_t entries = 0;  // TreeRanks of all trees
  std::uint64_t bytes = 0;
  std::uint64_t run_bytes = 0;  // temporary memory of planning or a run beside it
};

// On a fabric without blocks; systems/system_plan_size.h takes any.
PlanSize plan_size_on_fabric(const Topology& topology, std::span<const CollectiveSpec> work);
// Trees of a plan that is made.
PlanSize size_of(const Plan& plan);

}  // namespace fredsim
