// SPDX-License-Identifier: Apache-2.0
// The search for bandwidths of `fredsim optimize`: machine and workloads to the optimum.
//
// By the model (optimize/bandwidth_search.h) or by simulation (optimize/simulated_search.h,
//   runner/detail/simulated_time.h), which begins at the model's optimum
//   where there is one.
// Errors: BadInput for machines without dimensions, for what the search and the workloads refuse.
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
