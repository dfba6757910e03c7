// SPDX-License-Identifier: Apache-2.0
// One plan on a machine, as in `fredsim run`. The plan is the only operation of a communicator
// (engine/communicator.h), and known before cycle 0: its rows are written in the set-up.
//
// Slices: with twins, one of several FRED-tree slices that do the same is simulated for all, unless
//   the machine file disables it; the results are the same (operations/equal_slices.h).
// Errors: BadInput for a plan with members that are no endpoints; the communicator's.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/machine.h"
#include "engine/run_limits.h"
#include "plan/plan.h"
#include "results/results.h"

namespace fredsim {

// Runs the plan; call from an SC_THREAD. Fills all of a result but config, layout and the groups'
// order (groups = the plan's members by rank in the machine). `on_progress` is called every 4096
// cycles. A stopped run (FabricOptions::stop) returns its counts so far, marked incomplete; so does
// one that needs more than `max_simulated` simulated cycles, skipped ones not counted.
RunResult run_plan(Machine& machine, const Plan& plan,
                   const std::function<void(const Progress&)>& on_progress = {},
                   std::uint64_t max_simulated = RunLimits::kNever);

}  // namespace fredsim
