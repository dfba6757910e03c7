// SPDX-License-Identifier: Apache-2.0
// Command line of a search for bandwidths by `fredsim optimize`.
//
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "runner/bandwidth_options.h"

namespace fredsim {

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
