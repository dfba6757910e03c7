// SPDX-License-Identifier: Apache-2.0
// Frame of a run on a communicator (engine/communicator.h), and its results, for any issuer of
// operations.
//
// Units: cycles since Communicator::start(); `wall_s` and `cpu_s` in seconds from there to the last
// completion.
// Errors: the issues' own; RunFailed as Communicator::wait() and finish(), passed to the
// machine's observers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/communicator.h"
#include "engine/machine.h"
#include "engine/run_engine.h"
#include "engine/simulated_plans.h"
#include "operations/system_operations.h"
#include "results/results.h"

namespace fredsim {

// Runs `plans` from an SC_THREAD until all issued operations are complete or the run is stopped
// (FabricOptions::stop); a stopped result is marked as incomplete. `on_progress`: as
// Communicator::report_to().
RunResult run_to_end(Machine& machine, Communicator& communicator, const SimulatedPlans& plans,
                     const RunSteps& steps,
                     const std::function<void(const Progress&)>& on_progress);

// Runs twice if the trigger of a waveform has to be found first (run_recorded()); observers see the
// second run.
RunResult run_for_wave(Machine& machine, const std::function<RunResult()>& run);

// Fills the result after a run of `cycles` and `wall_s`, complete or not: all but its operations,
// parts, bounds and bandwidths.
void fill_run(Machine& machine, const Communicator& communicator, const SimulatedPlans& plans,
              RunResult& result);
void fill_operations(const Communicator& communicator, RunResult& result);

// A flit-level run on a machine. Call from an SC_THREAD.
class ExactRun final : public RunEngine {
 public:
  // `rows`: as in Communicator. `plans`: all plans that the run issues.
  ExactRun(Machine& machine, std::span<const std::shared_ptr<const PreparedPlan>> plans,
           int rows = 0)
      : machine_(machine), plans_(plans_to_simulate(machine, plans)), communicator_(machine, rows) {
    if (topology().has_blocks()) by_collective_.emplace(communicator_);
  }

  const Topology& topology() const override { return machine_.topology(); }
  std::uint64_t seed() const override { return machine_.options().seed; }
  OperationEngine& operations() override {
    if (by_collective_) return *by_collective_;
    return communicator_;
  }
  const std::vector<std::shared_ptr<const PreparedPlan>>& plans() const override {
    return plans_.plans;
  }
  bool is_observed() const override;
  RunResult run(const RunSteps& steps,
                const std::function<void(const Progress&)>& on_progress) override {
    return run_to_end(machine_, communicator_, plans_, steps, on_progress);
  }
  void fill_operations(RunResult& result) const override {
    fredsim::fill_operations(communicator_, result);
  }

 private:
  Machine& machine_;
  const SimulatedPlans plans_;
  Communicator communicator_;
  std::optional<SystemOperations> by_collective_;
};

}  // namespace fredsim
