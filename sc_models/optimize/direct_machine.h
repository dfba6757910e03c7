// SPDX-License-Identifier: Apache-2.0
// A network without switches as lists of a machine of type graph (topology/graph/graph_file.h), one
// link an entry.
#pragma once

#include <cstdint>
#include <string>

#include "config/npu_compute.h"
#include "optimize/direct_network.h"

namespace fredsim {

struct DirectMachine {
  std::string name{};
  std::uint64_t clock_hz = 0;
  std::uint64_t bytes_per_second = 0;  // one link
  std::uint64_t latency_ps = 0;
  NpuCompute compute{};
};

// Text of a machine file. A reverse link is an entry of its own.
std::string machine_text(const DirectNetwork& network, const DirectMachine& machine);

}  // namespace fredsim
