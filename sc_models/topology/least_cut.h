// SPDX-License-Identifier: Apache-2.0
// Least cut between two sets of endpoints: the bandwidth that links carry from one to the other at
// most, by maximum flow (push-relabel, in Boost).
// Units: bytes/s, of one direction. A topology whose links lead both ways has the same cut in both.
#pragma once

#include <cstdint>
#include <span>

#include "topology/topology.h"

namespace fredsim {

// Neither set is empty, and none is in both.
std::uint64_t least_cut(const Topology& topology, std::span<const NodeId> from,
                        std::span<const NodeId> to);

}  // namespace fredsim
