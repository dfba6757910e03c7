// SPDX-License-Identifier: Apache-2.0
// Bandwidth search of `fredsim optimize`: takes a machine and workloads, returns the optimum.
//
// Methods: the analytical model (optimize/bandwidth_search.h), or simulation
//   (optimize/simulated_search.h, runner/detail/simulated_time.h), which starts at the model's
//   optimum if there is one.
// Errors: BadInput for machines without dimensions and for input that the search or the workloads
//   refuse.
#pragma once

#include "config/config.h"
#include "report/optimum_table.h"
#include "runner/bandwidth_options.h"

namespace fredsim {

struct FoundBandwidths {
  OptimumSetup setup{};
  OptimumResult result{};
};

FoundBandwidths find_bandwidths(const MachineConfig& machine, const BandwidthOptions& options);

}  // namespace fredsim
