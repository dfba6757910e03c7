// SPDX-License-Identifier: Apache-2.0
// The counters of a fabric at a moment, and what they say of the cycles between two moments. Needs no cycle:
// registers are looked at, not read.
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
  // By node; none: an endpoint, or a user's own RTL, whose registers cannot be looked at.
  std::vector<std::optional<SwitchCounters>> switches;
};

SwitchCounters difference(const SwitchCounters& before, const SwitchCounters& after);

FabricCounts count_all(const FabricCore& core, const Topology& topology, SwitchCores switches);

// "rtl", or every model in use: "rtl+tlm". By node, empty at endpoints.
std::string model_names(std::span<const std::string> models);

// Results of links over `cycles` cycles. Bytes are those of whole flits.
std::vector<LinkResult> link_results(const Topology& topology, const FabricCounts& before,
                                     const FabricCounts& after, std::uint64_t cycles);
// Flits in and out are those of the links, all other counters zero where they cannot be looked at.
std::vector<SwitchResult> switch_results(const Topology& topology,
                                         std::span<const std::string> models,
                                         const FabricCounts& before, const FabricCounts& after);

}  // namespace fredsim
