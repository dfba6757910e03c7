// SPDX-License-Identifier: Apache-2.0
// Training runs as flows, without calibration: an iteration of GPT-3, the traces of one, and two
// iterations of a model with streamed weights.
//
// Errors: errors of machine, model and traces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/parallelism.h"

namespace fredsim {

struct TrainingCosts {
  double plan_s = 0;  // processor time of graph and plans
  double flow_s = 0;
  std::uint64_t tasks = 0, operations = 0;
};

// `settings`: KEY=VALUE of the machine file.
TrainingCosts train_gpt3(const std::string& machine, const std::vector<std::string>& settings,
                         const Strategy& strategy);
// Runs execution traces of `layers` layers, written to a folder and read while they run. `plan_s`
// is the time to read the messages of the traces.
TrainingCosts run_traces(const std::string& machine, const std::vector<std::string>& settings,
                         const Strategy& strategy, int layers);

// Two iterations of a built-in model, its first `layers` layers or all (0), whose weights I/O
// controllers stream beside computing.
TrainingCosts train_streamed(const std::string& machine, const std::string& model,
                             const Strategy& strategy, int layers);

}  // namespace fredsim
