// SPDX-License-Identifier: Apache-2.0
// A phase of a switch as a program: register writes of one row of its phase store.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

struct PhaseProgram {
  NodeId node = 0;
  int phase = 0;
  std::vector<std::uint32_t> row;  // words, in the order of their registers
};

}  // namespace fredsim
