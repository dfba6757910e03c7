// SPDX-License-Identifier: Apache-2.0
// Command line of `fredsim traffic`, as far as no other command has it.
//
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "traffic/traffic_options.h"

namespace fredsim {

// The options' strings, as CLI11 collects them.
struct TrafficStrings {
  std::string pattern = "uniform";
  std::string rate, hotspot_node, hotspot_fraction;
  std::string packet_flits = "1";
  std::string warmup = "5000";
  std::string cycles = "20000";
  std::string threads = "1";
  bool saturation = false;
  void add_to(CLI::App& command);
  std::vector<double> checked_rates() const;  // ascending; none: the search for saturation
  TrafficOptions checked(std::uint64_t seed) const;
};

}  // namespace fredsim
