// SPDX-License-Identifier: Apache-2.0
// Time of a workload at an allocation of bandwidth, simulated as flows without calibration
// (flow/flow_simulation.h).
//
// Searched values: the bandwidth of each dimension of a system (fabric.dimensions.N.bandwidth); in
//   a tree of two levels the bandwidth of an NPU, `l1`, and of an L1 switch upwards, `l2`, as the
//   share of each of its NPUs. Bandwidths are rounded down to values that links can share.
// Time: of an iteration, or of an all-reduce over all NPUs; of several the weighted mean.
// Errors: BadInput for machines without such keys; errors of reload_config(), plans and flows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "runner/bandwidth_options.h"

namespace fredsim {

struct SearchedBandwidth {
  std::string dimension{}, block{};
  std::string key{};  // key path in the machine file; empty: no key
  double share = 1;   // value of the key, over the bandwidth of an NPU
  int parts = 1;      // the value must divide evenly into this many parts
  bool has_switch = false;
};

// Searched bandwidths, lowest dimension first.
std::vector<SearchedBandwidth> searched_bandwidths(const MachineConfig& machine);

class SimulatedTime {
 public:
  // References to all arguments are kept.
  SimulatedTime(const MachineConfig& machine, const std::vector<SearchedBandwidth>& searched,
                const BandwidthOptions& options);

  double operator()(const std::vector<double>& gbps) const;
  // Max bandwidth that the machine's links can take in a dimension, up to `total` GB/s.
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
