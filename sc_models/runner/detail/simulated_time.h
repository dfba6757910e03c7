// SPDX-License-Identifier: Apache-2.0
// Time of a workload at an allocation of bandwidth, simulated as flows without calibration
// (flow/flow_simulation.h).
//
// Searched: the bandwidth of each dimension of a system (fabric.dimensions.N.bandwidth); of a tree
//   of two levels that of an NPU, `l1`, and what an
//   L1 switch sends upwards, `l2`, as the share of each of its NPUs. Bandwidths are rounded down to
//   what links can share.
// Time: of an iteration, or of an all-reduce over all NPUs; of several the weighted mean.
// Errors: BadInput for machines that have no such keys; those of reload_config(), plans and flows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "runner/bandwidth_options.h"

namespace fredsim {

struct SearchedBandwidth {
  std::string dimension{}, block{};
  std::string key{};  // its path in the machine file; empty: no key says it
  double share = 1;   // value of the key, over the bandwidth of an NPU
  int parts = 1;      // that the value must come out even over
  bool has_switch = false;
};

// Lowest first.
std::vector<SearchedBandwidth> searched_bandwidths(const MachineConfig& machine);

class SimulatedTime {
 public:
  // All are kept by reference.
  SimulatedTime(const MachineConfig& machine, const std::vector<SearchedBandwidth>& searched,
                const BandwidthOptions& options);

  double operator()(const std::vector<double>& gbps) const;
  // The most that the machine's links can take in a dimension, up to `total` GB/s.
  double most(std::size_t dimension, double total_gbps) const;

 private:
  MachineConfig machine_with(const std::vector<double>& gbps) const;
  double all_reduce_ns(const Topology& topology) const;
  double iteration_ns(const MachineConfig& machine, const TrainOptions& workload) const;

  const MachineConfig& machine_;
  const std::vector<SearchedBandwidth>& searched_;
  const BandwidthOptions& options_;
};

}  // namespace fredsim
