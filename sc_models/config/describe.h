// SPDX-License-Identifier: Apache-2.0
// Human-readable description of a topology, as printed by `fredsim info`.
//
// Bandwidths in decimal GB/s or TB/s, per direction; rates in flits per cycle as exact fractions;
// latencies in cycles and ns; buffers in bytes and flits. All values are derived from the topology;
// nothing is simulated. Never throws. Lines and tables fit in `columns`, if that is 60 or more.
// Notes list table columns that were dropped for lack of room.
#pragma once

#include <cstddef>
#include <string>

#include "base/text_table.h"
#include "topology/topology.h"

namespace fredsim {

std::string describe(const Topology& topology, std::size_t columns = kAnyWidth);
// Components of a machine that can fail (topology/faults.h), one per line; a link by one of its two
// names.
std::string describe_parts(const Topology& topology);

}  // namespace fredsim
