// SPDX-License-Identifier: Apache-2.0
// Runs of `--engine flow` that are short enough to be exact ones: operations after each other, of works, training and inference.
//
// Short: all flits together cross no more links than operations by which flows would be calibrated may (runner/shape_surplus.h), so that
//   the exact run costs no more, and has no error. Operations of a few kilobytes overlap in ways that no measurement of one alone shows:
//   iterations of training that take some thousand cycles were up to 37 % off as flows.
#pragma once

#include <cstdint>
#include <span>

#include "operations/prepared_plan.h"
#include "results/results.h"
#include "topology/topology.h"

namespace fredsim {

// A plan of a run, and how often the run issues it.
struct IssuedPlan {
  const PreparedPlan* plan = nullptr;
  std::uint64_t times = 1;
};

bool is_short(const Topology& topology, std::span<const IssuedPlan> issued);

// The result of flows, of an exact run that was complete. Errors: Interrupted, where it was not.
RunResult flow_result_of(const Topology& topology, std::span<const IssuedPlan> issued,
                         RunResult exact);

}  // namespace fredsim
