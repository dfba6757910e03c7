// SPDX-License-Identifier: Apache-2.0
// Search for a network without switches and a strategy: what it is asked for, checked.
#pragma once

#include <cstdint>
#include <string>

#include "optimize/topology_finder.h"
#include "runner/train_options.h"

namespace fredsim {

struct TopooptAsked {
  FinderOptions finder{};
  int npus = 0;  // 0: as many as the machine has
  std::uint64_t link_bandwidth = 0, link_latency_ps = 0;
  int paths = 4;
  bool each = false;
  std::uint64_t seed = 1;
  std::uint64_t max_evaluations = 0;
  std::string machine_file{};  // to be written; empty: none
  TrainOptions train{};
  bool names_minibatch = false, names_microbatches = false;  // else they are defaults
};

}  // namespace fredsim
