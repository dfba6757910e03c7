// SPDX-License-Identifier: Apache-2.0
// A question as a value: machines, what is asked of them, and how it is answered.
//
// The command line, studies, Python and testbenches only make one; runner/run.h answers it. A default is that of the option
// (docs/reference/options.md).
#pragma once

#include <variant>

#include "runner/bandwidth_options.h"
#include "runner/run_options.h"
#include "runner/topoopt_options.h"
#include "runner/traffic_jobs.h"
#include "runner/training_jobs.h"
#include "runner/work_jobs.h"

namespace fredsim {

// A search over machines (`optimize`), of which the first is where it begins.
struct OptimizeRequest : MachineOptions, OutputOptions {
  std::variant<BandwidthOptions, TopooptAsked> search;
};

using Question = std::variant<RunRequest, TrainRequest, TrafficRequest, OptimizeRequest>;

}  // namespace fredsim
