// SPDX-License-Identifier: Apache-2.0
// Search for bandwidths: what it is asked for, checked.
//
// Units: GB/s of ten, bytes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runner/train_options.h"

namespace fredsim {

// "d0=500GB/s", and of a sum "d2,d3=200GB/s".
struct BandwidthBound {
  std::vector<std::string> dimensions{};
  double gbps = 0;
  std::string text{};  // with its option
};

struct BandwidthOptions {
  std::vector<TrainOptions> workloads{};
  std::uint64_t all_reduce_bytes = 0;  // in place of workloads; 0: these
  std::vector<double> weights{};       // by workload, 1 in all
  bool is_flow = false;
  bool has_cost = false;
  Accounting accounting = Accounting::kSerial;
  std::string accounting_word{};
  std::string algorithm{};  // when simulated, of all collectives
  double total_gbps = 0;
  std::vector<BandwidthBound> at_least{}, at_most{}, sums{};
  bool descends = false;
  std::vector<std::pair<std::string, double>> dollars{};  // by dimension
  std::uint64_t max_evaluations = 0;                      // 0: the engine's
};

}  // namespace fredsim
