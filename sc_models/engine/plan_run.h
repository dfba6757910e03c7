// SPDX-License-Identifier: Apache-2.0
// One plan on a machine: what `fredsim run` runs. The plan is the only operation of a communicator (engine/communicator.h),
// and known before cycle 0: its rows are written in the set-up.
//
// Slices: with twins, of the slices of a FRED tree that do the same one is simulated for all, unless the machine file says
//   otherwise; the results are those of all (operations/equal_slices.h).
// Errors: BadInput for a plan with members that are no endpoints; the communicator's.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/machine.h"
#include "engine/run_limits.h"
#include "plan/plan.h"
#include "results/results.h"

namespace fredsim {

// From an SC_THREAD. Fills everything of a result but config, layout and groups' order (groups = the plan's members by
// rank in the machine). `on_progress` is called every 4096 cycles. A run that was stopped (FabricOptions::stop) gives what
// was counted so far, marked incomplete; so does one of which more than `max_simulated` cycles would have to be simulated, those that
// are left out not counted.
RunResult run_plan(Machine& machine, const Plan& plan,
                   const std::function<void(const Progress&)>& on_progress = {},
                   std::uint64_t max_simulated = RunLimits::kNever);

}  // namespace fredsim
