// SPDX-License-Identifier: Apache-2.0
// Minimum cut between two sets of endpoints: the maximum bandwidth from one set to the other, by
// maximum flow (push-relabel, in Boost).
// Units: bytes/s, of one direction. If all links are two-way, both directions have the same cut.
#pragma once

#include <cstdint>
#include <span>

#include "topology/topology.h"

namespace fredsim {

// Neither set is empty, and none is in both.
std::uint64_t least_cut(const Topology& topology, std::span<const NodeId> from,
                        std::span<const NodeId> to);

}  // namespace fredsim
