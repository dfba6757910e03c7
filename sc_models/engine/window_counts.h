// SPDX-License-Identifier: Apache-2.0
// Counters of a fabric at a moment, and results of the cycles between two moments. Takes no cycle:
// registers are peeked, not read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric_core.h"
#include "results/results.h"
#include "switch/switch_core.h"
#include "topology/topology.h"

namespace fredsim {

struct FabricCounts {
  std::vector<LinkCount> links;
  // Index: node; no value for an endpoint, or a user's own RTL, whose registers cannot be peeked.
  std::vector<std::optional<SwitchCounters>> switches;
};

SwitchCounters difference(const SwitchCounters& before, const SwitchCounters& after);

FabricCounts count_all(const FabricCore& core, const Topology& topology, SwitchCores switches);

// "rtl", or every model in use: "rtl+tlm". `models`: by node, empty at endpoints.
std::string model_names(std::span<const std::string> models);

// Results of links over `cycles` cycles. Bytes count whole flits.
std::vector<LinkResult> link_results(const Topology& topology, const FabricCounts& before,
                                     const FabricCounts& after, std::uint64_t cycles);
// Flits in and out come from the links; other counters are zero if they cannot be peeked.
std::vector<SwitchResult> switch_results(const Topology& topology,
                                         std::span<const std::string> models,
                                         const FabricCounts& before, const FabricCounts& after);

}  // namespace fredsim
