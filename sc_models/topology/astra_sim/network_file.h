// SPDX-License-Identifier: Apache-2.0
// Network files of ASTRA-sim's analytical network backend (astra-network-analytical, common/network-parser): lists with a value per dimension, lowest first.
//
//   topology: [ Ring, FullyConnected, Switch ]
//   npus_count: [ 2, 8, 4 ]             2 or more
//   bandwidth: [ 200.0, 100.0, 50.0 ]   of one link, as its congestion-aware model has it; GB/s, of 2^30 bytes as there
//   latency: [ 50.0, 500.0, 2000.0 ]    of one link, ns
// An NPU has two links on a ring, which goes both ways (one on a ring of two), one to each other one where all are joined, one to a switch.
// Errors: BadInput with file and line.
#pragma once

#include <string>
#include <vector>

#include "topology/dimensions/dimensions.h"

namespace fredsim {

std::vector<DimensionSpec> read_network_file(const std::string& path);

}  // namespace fredsim
