// SPDX-License-Identifier: Apache-2.0
// Workers of a task graph that get the input of each iteration from the I/O controllers (workload/input_loads.h): loads of the next
// iteration are under way beside the present one, which waits for its own.
#pragma once

#include <vector>

#include "workload/expert_workers.h"
#include "workload/training_graph.h"

namespace fredsim {

class InputWorkers : protected ExpertWorkers {
 protected:
  using ExpertWorkers::ExpertWorkers;
  ~InputWorkers() = default;

  // Input of the next iteration; behind the loads of the one before.
  void load_input(const ModelShape& model, const TrainingOptions& options);
  // The first stage waits for the input of this iteration, if that is loaded.
  void wait_for_input();
  // The iteration at work is over: the next one has what was loaded.
  void loaded();

 private:
  // Tasks of a controller of its latest operation.
  std::vector<int> latest_of(int rank) const;

  // By worker: tasks of the input under way, for the next iteration, and of that which this one waits for.
  std::vector<std::vector<int>> loads_, next_loads_;
};

}  // namespace fredsim
