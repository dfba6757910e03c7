// SPDX-License-Identifier: Apache-2.0
// A topology as text for people: what `fredsim info` prints.
//
// Bandwidths in GB/s or TB/s of ten, per direction; rates in flits per cycle as exact fractions;
// latencies in cycles and ns; buffers in bytes and flits. All of it follows from the topology,
// nothing is simulated. Never throws.
// Lines and tables are kept to `columns`; from 60 on that works. Notes name the columns of tables
// that have no room.
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
