// SPDX-License-Identifier: Apache-2.0
// Results and findings of all processes of a run, collected from each process's nodes
// (ranks/ranks.h). With null ranks this process has all.
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

// Counters of all switches, by node, and of all links; one process counts each, and the others have
// zero or none.
FabricCounts gathered(FabricCounts mine, Ranks* ranks);

// Element-wise sums of values over all processes.
std::vector<std::uint64_t> summed(std::vector<std::uint64_t> mine, Ranks* ranks);

// A line of a report about a node, a link or an NPU with this number.
struct NumberedLine {
  int number = 0;
  std::string text;
};
// All lines, by number; lines of one number keep their order.
std::vector<std::string> gathered(const std::vector<NumberedLine>& mine, Ranks* ranks);

}  // namespace fredsim
