// SPDX-License-Identifier: Apache-2.0
// Test if groups have uplinks and routings on slice 0 of a two-level tree, by trying every uplink
// of every group at every L1 chiplet: the opinion that the planner's search is checked against. It
// walks the links and makes the flows by itself; only the routing of one chiplet's flows is shared.
#pragma once

#include <cstdint>
#include <span>

#include "plan/collective_spec.h"
#include "topology/topology.h"

namespace fredsim::test {

enum class Routability : std::uint8_t { kRouted, kTooFewUplinks, kNoRouting };

// `work`: of one flit each (the planner puts it on slice 0), all_reduce, reduce, broadcast and
// unicast, all of one VC; no NPU sends, or receives, twice.
Routability try_everything(const Topology& topology, std::span<const CollectiveSpec> work);

// Answer of the planner.
Routability ask_planner(const Topology& topology, std::span<const CollectiveSpec> work);

}  // namespace fredsim::test
