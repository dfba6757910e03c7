// SPDX-License-Identifier: Apache-2.0
// Cost of a network per GB/s of each NPU's bandwidth in each dimension, in dollars.
//
// Levels: the highest dimension joins pods, the next ones nodes, packages and tiles. Each NPU pays
// half of a link between two NPUs. An NPU pays for its link to a switch, its share of the switch,
// and, between pods, its NIC. So rings and fully connected NPUs cost half a link.
// Source: optimizer_input/cost/cost.json of willjwon/sc245-artifact and src/cost/cost_calculator.py
//   of willjwon/topology-bw-optimizer,
//   branch sc22-artifact. inputs/cost_model of astra-sim/libra has the same figures, but its
//   calculator counts links between NPUs at both ends.
// Errors: BadInput for switches between tiles, whose cost is unknown.
#pragma once

#include <string>
#include <vector>

namespace fredsim {

// `has_switches`: by dimension, lowest first. `given`: by dimension, in place of that; below 0: not
// given.
std::vector<double> dollars_per_gbps(const std::vector<std::string>& dimensions,
                                     const std::vector<bool>& has_switches,
                                     const std::vector<double>& given);

}  // namespace fredsim
