// Results of a run on a communicator (engine/communicator.h), whatever issued its operations.
#pragma once

#include "engine/communicator.h"
#include "engine/machine.h"
#include "engine/simulated_plans.h"
#include "results/results.h"

namespace fredsim {

// After a run, complete or not, of `cycles` and `wall_s`: all but its operations, parts, bounds and bandwidths.
void fill_run(Machine& machine, const Communicator& communicator, const SimulatedPlans& plans,
              RunResult& result);
void fill_operations(const Communicator& communicator, RunResult& result);

}  // namespace fredsim
