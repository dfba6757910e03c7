// SPDX-License-Identifier: Apache-2.0
// Frame of a run on a communicator (engine/communicator.h), and its results, whatever issues its operations.
//
// Units: cycles since Communicator::start(); seconds for `wall_s` and `cpu_s`, which are those from there to the last completion.
// Errors: those of what a run issues; RunFailed as Communicator::wait() and finish(), which the machine's observers are told.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/communicator.h"
#include "engine/machine.h"
#include "engine/simulated_plans.h"
#include "results/results.h"

namespace fredsim {

// Steps of a run that are its own.
struct RunSteps {
  std::vector<const Part*> parts{};  // parts of its result, for the machine's observers
  std::uint64_t total_bytes = 0;     // bytes of results, at all NPUs
  bool routes = true;                // Communicator::begin()
  bool memoises = true;              // Communicator::skip_idle()
  std::function<void()> issue{};     // issues operations before cycle 0
  // After the run, complete and balanced, or stopped: what fill_run() leaves out.
  std::function<void(RunResult&)> fill{};
};

// From an SC_THREAD: all of a run of `plans`, until everything that was issued is complete or the run is stopped
// (FabricOptions::stop), which is marked as incomplete. `on_progress`: as Communicator::report_to().
RunResult run_to_end(Machine& machine, Communicator& communicator, const SimulatedPlans& plans,
                     const RunSteps& steps,
                     const std::function<void(const Progress&)>& on_progress);

// A run that is made twice where the trigger of a waveform has to be found first (run_recorded()); observers have the second one.
RunResult run_for_wave(Machine& machine, const std::function<RunResult()>& run);

// After a run, complete or not, of `cycles` and `wall_s`: all but its operations, parts, bounds and bandwidths.
void fill_run(Machine& machine, const Communicator& communicator, const SimulatedPlans& plans,
              RunResult& result);
void fill_operations(const Communicator& communicator, RunResult& result);

}  // namespace fredsim
