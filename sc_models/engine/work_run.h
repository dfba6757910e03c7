// SPDX-License-Identifier: Apache-2.0
// A work of dependent collectives: steps with names, dependencies, delays and repetitions, as in a
// work file (runner/work_file.h).
//
// Steps without repetition that come after the same steps with the same delay are issued as one
//   operation, and thus planned together (engine/communicator.h); a repeated step is an operation
//   each time, with the same plan and rows. Operations that can run side by side in the switches
//   share phases (engine/joint_plans.h).
// Times: a step begins at the start cycle of its specs, counted from the beginning of the run, and
//   not before `delay` cycles after its predecessors are complete. Each repetition begins `delay`
//   cycles after the one before. Each NPU starts later by its lag (RunEngine::arrivals()).
// Ranks: an NPU waits only for its own parts of the predecessors, and for all ranks of a
//   predecessor in which it has no part; with `all_ranks`, for all ranks of all predecessors.
// Result: a part per spec, all of its repetitions together.
// Errors: as make_plan() when it is planned, RunFailed when it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/machine.h"
#include "engine/run_engine.h"
#include "operations/prepared_plan.h"
#include "results/results.h"

namespace fredsim {

struct WorkStep {
  struct After {
    int step = 0;
    bool all_ranks = false;
    bool operator==(const After&) const = default;
  };
  std::string name;
  std::vector<CollectiveSpec> specs;
  std::vector<After> after;
  std::uint64_t delay = 0;   // cycles
  std::uint64_t repeat = 1;  // at least 1
};

// A work on a topology, ready to run.
struct WorkPlan {
  struct Batch {  // steps that are one operation
    std::vector<int> steps;
    std::shared_ptr<const PreparedPlan> plan;
    std::vector<std::uint64_t> starts;  // index: part
  };
  struct StepPlace {
    int batch = 0;
    int first_part = 0;
  };
  std::vector<WorkStep> steps;
  std::vector<StepPlace> places;  // index: step
  std::vector<Batch> batches;
  std::vector<std::string> notes;
  double bound_ns = 0;  // analytic: all flits of the busiest link
};

// Plans in the order of batches.
std::vector<std::shared_ptr<const PreparedPlan>> plans_of(const WorkPlan& work);

WorkPlan plan_steps(const Topology& topology, std::vector<WorkStep> steps, OnConflict on_conflict,
                    SystemForm form = SystemForm::kExpanded);

// Runs the work; call from an SC_THREAD, like run_plan(). `rows`: maximum of used rows in each
// phase store; 0: all.
RunResult run_work(Machine& machine, const WorkPlan& work,
                   const std::function<void(const Progress&)>& on_progress = {}, int rows = 0,
                   const Arrivals& arrivals = {});

// Runs the work on an engine that has the plans of plans_of().
RunResult run_work(RunEngine& engine, const WorkPlan& work,
                   const std::function<void(const Progress&)>& on_progress = {});

}  // namespace fredsim
