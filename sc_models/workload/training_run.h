// SPDX-License-Identifier: Apache-2.0
// Run of training on one machine: from the task graph to iteration time and breakdown.
//
// Breakdown: time by cause (rank_time.h), mean over the NPUs that have tasks; the time from an
//   NPU's last task to the end of the run is `bubble`, too. The result also has the breakdown of
//   the critical path (critical_path.h).
// `on_complete`: called with the run unless it was interrupted; its records have the times of the
//   tasks. The result of an interrupted run has the complete iterations, the counters so far and
//   nothing else.
// Errors: errors of run_graph() and critical_path(); BadInput if no task takes time, so that there
//   is no result.
#pragma once

#include <functional>
#include <vector>

#include "results/training_results.h"
#include "workload/graph_run.h"
#include "workload/inference_graph.h"

namespace fredsim {

TrainingResult run_training(Machine& machine, const TaskGraph& graph, const ShapePlans& plans,
                            const std::function<void(const Progress&)>& on_progress = {},
                            const std::function<void(const GraphOutcome&)>& on_complete = {});

// Runs tasks that are read on demand.
TrainingResult run_training(Machine& machine, TaskSource& source, const ShapePlans& plans,
                            const std::function<void(const Progress&)>& on_progress = {});

// Runs a graph on an engine that has the plans.
TrainingResult run_training(RunEngine& engine, const TaskGraph& graph,
                            const std::function<void(const Progress&)>& on_progress = {},
                            const std::function<void(const GraphOutcome&)>& on_complete = {});
TrainingResult run_training(RunEngine& engine, TaskSource& source,
                            const std::function<void(const Progress&)>& on_progress = {});

// Times of inference, from the times between the ends of its passes. Prefill: the first pass
// counts; decode: the later passes count if there are any, since the first one fills the pipeline.
TokenTimes token_times(const std::vector<double>& passes_ns, const InferenceOptions& options);

// Compute rate of all NPUs at which a machine reaches a wanted speed-up over another, from one run
// of each: compute time scales with 1 / rate, the rest of an iteration stays constant. `rate`:
// FLOP/s of these runs. Below 0: no rate reaches it.
double rate_for_speedup(double wanted, double rate, const TrainingResult& base,
                        const TrainingResult& other);

// Rate for a speed-up from runs at two rates: iteration time is linear in 1 / rate. Exact where
// nothing overlaps, also where some layers have times of their own.
struct FitPoint {
  double rate = 0;  // FLOP/s
  double base_ns = 0, other_ns = 0;
};
double rate_for_speedup(double wanted, const FitPoint& before, const FitPoint& now);

}  // namespace fredsim
