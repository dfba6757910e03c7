// SPDX-License-Identifier: Apache-2.0
// Training runs as flows, without calibration: an iteration of GPT-3, and the traces of one.
//
// Errors: those of machine, model and traces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collective/parallelism.h"

namespace fredsim {

struct TrainingCosts {
  double plan_s = 0;  // processor time of graph and plans
  double flow_s = 0;
  std::uint64_t tasks = 0, operations = 0;
};

// `settings`: KEY=VALUE of the machine file.
TrainingCosts train_gpt3(const std::string& machine, const std::vector<std::string>& settings,
                         const Strategy& strategy);
// The same of execution traces, of `layers` layers, written to a folder and read as they are run. `plan_s` is for reading what they send.
TrainingCosts run_traces(const std::string& machine, const std::vector<std::string>& settings,
                         const Strategy& strategy, int layers);

}  // namespace fredsim
