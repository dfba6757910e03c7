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
#include "runner/topoopt_options.h"

namespace fredsim {

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
