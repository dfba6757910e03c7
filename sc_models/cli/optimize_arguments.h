// SPDX-License-Identifier: Apache-2.0
// Command line of a search for bandwidths by `fredsim optimize`.
//
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/train_arguments.h"

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

// The options' strings, as CLI11 collects them.
struct BandwidthStrings {
  std::vector<std::string> workloads, at_least, at_most, sums, costs;
  std::string size, goal = "time", total, order, accounting = "serial", weights, engine = "model";
  std::string algorithm;
  std::string mp, dp, pp, minibatch, microbatches, max_evaluations;
  void add_to(CLI::App& command);
  BandwidthOptions checked() const;

 private:
  TrainOptions workload(const std::string& word, Accounting accounting) const;
};

}  // namespace fredsim
