// SPDX-License-Identifier: Apache-2.0
// Command line of `fredsim optimize --topology`.
//
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/optimize_arguments.h"
#include "cli/train_arguments.h"
#include "optimize/topology_finder.h"

namespace fredsim {

struct TopooptAsked {
  FinderOptions finder{};
  int npus = 0;  // 0: those of the machine
  std::uint64_t link_bandwidth = 0, link_latency_ps = 0;
  int paths = 4;
  bool each = false;
  std::uint64_t seed = 1;
  std::uint64_t max_evaluations = 0;
  std::string machine_file{};  // to be written; empty: none
  TrainOptions train{};
  bool names_minibatch = false, names_microbatches = false;  // else they are defaults
};

// The options' strings, as CLI11 collects them.
struct TopooptStrings {
  std::string topology;
  std::string degree, npus, link_bandwidth, link_latency, paths, search, seed, machine;
  bool primes = false, both_ways = false;
  void add_to(CLI::App& command);
  bool is_asked() const { return !topology.empty(); }
  // `others`: of the same command line.
  TopooptAsked checked(const BandwidthStrings& others) const;
  // BadInput for the first option that was given without --topology.
  void refuse_without_topology() const;
};

}  // namespace fredsim
