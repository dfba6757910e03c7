// A training run on one machine, from its task graph to iteration time and breakdown.
//
// Errors: those of run_graph() and critical_path().
#pragma once

#include <functional>

#include "observe/training_results.h"
#include "workload/graph_run.h"

namespace fredsim {

TrainingResult run_training(Machine& machine, const TaskGraph& graph, const ShapePlans& plans,
                            const std::function<void(const Progress&)>& on_progress = {});

// The rate of all NPUs at which a machine has the speed-up that is wanted over another, by what runs of both show:
// computing takes longer in proportion, the rest of an iteration stays what it is. `rate`: FLOP/s of these runs.
// Below 0: no rate gives it.
double rate_for_speedup(double wanted, double rate, const TrainingResult& base,
                        const TrainingResult& other);

// The same from runs at two rates: iterations take longer in proportion to 1 / rate. Exact where nothing overlaps, also
// where some layers have times of their own.
struct FitPoint {
  double rate = 0;  // FLOP/s
  double base_ns = 0, other_ns = 0;
};
double rate_for_speedup(double wanted, const FitPoint& before, const FitPoint& now);

}  // namespace fredsim
