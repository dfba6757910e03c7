// SPDX-License-Identifier: Apache-2.0
// A training run on one machine, from its task graph to iteration time and breakdown.
//
// Breakdown: the mean over the NPUs that have something to do of where their time went
//   (rank_time.h); what is left after an NPU's last task until the end of the run is `bubble`, too.
//   Beside it the critical path's (critical_path.h).
// `on_complete`: of the run, unless it was interrupted; its records say when each task was. Of an
//   interrupted run the result has
// the iterations that were complete, the counters so far and nothing else.
// Errors: those of run_graph() and critical_path(); BadInput where nothing takes time, so that
//   there is no result.
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

// The same of tasks that come as they are needed.
TrainingResult run_training(Machine& machine, TaskSource& source, const ShapePlans& plans,
                            const std::function<void(const Progress&)>& on_progress = {});

// By an engine that has the plans.
TrainingResult run_training(RunEngine& engine, const TaskGraph& graph,
                            const std::function<void(const Progress&)>& on_progress = {},
                            const std::function<void(const GraphOutcome&)>& on_complete = {});
TrainingResult run_training(RunEngine& engine, TaskSource& source,
                            const std::function<void(const Progress&)>& on_progress = {});

// Times of inference, from the times between the ends of its passes. For prefill the first counts;
// for decode the others where there are any, since the first one fills the pipeline.
TokenTimes token_times(const std::vector<double>& passes_ns, const InferenceOptions& options);

// The rate of all NPUs at which a machine has the speed-up that is wanted over another, by what
// runs of both show: computing takes longer in proportion, the rest of an iteration stays what it
// is. `rate`: FLOP/s of these runs.
// Below 0: no rate gives it.
double rate_for_speedup(double wanted, double rate, const TrainingResult& base,
                        const TrainingResult& other);

// The same from runs at two rates: iterations take longer in proportion to 1 / rate. Exact where
// nothing overlaps, also where some layers have times of their own.
struct FitPoint {
  double rate = 0;  // FLOP/s
  double base_ns = 0, other_ns = 0;
};
double rate_for_speedup(double wanted, const FitPoint& before, const FitPoint& now);

}  // namespace fredsim
