// SPDX-License-Identifier: Apache-2.0
// Results and findings of all processes of a run, out of those that each has of its own nodes (ranks/ranks.h). With null ranks this
// process has all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/window_counts.h"
#include "ranks/ranks.h"
#include "switch/switch_core.h"
#include "topology/topology.h"

namespace fredsim {

// Implementation of a switch, by node; empty: an endpoint.
using SwitchModels = std::vector<std::string>;
SwitchModels switch_models(SwitchCores switches, Ranks* ranks);

// Counters of all switches, by node, and of all links; each is counted by one process, and zero or none at the others.
FabricCounts gathered(FabricCounts mine, Ranks* ranks);

// By place, of values that one process has and the others have as zero, or that are summed.
std::vector<std::uint64_t> summed(std::vector<std::uint64_t> mine, Ranks* ranks);

// A line of a report about a node, a link or an NPU of this number.
struct NumberedLine {
  int number = 0;
  std::string text;
};
// All of them, by number; those of one stay in their order.
std::vector<std::string> gathered(const std::vector<NumberedLine>& mine, Ranks* ranks);

}  // namespace fredsim
