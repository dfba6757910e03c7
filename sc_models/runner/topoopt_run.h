// SPDX-License-Identifier: Apache-2.0
// Answers `fredsim optimize --topology`: takes a machine and a workload, returns a network and a
// strategy.
//
// Errors: BadInput with the option, the found value and the allowed values.
#pragma once

#include <string>

#include "config/config.h"
#include "report/network_table.h"
#include "runner/topoopt_options.h"

namespace fredsim {

struct FoundNetwork {
  NetworkSetup setup{};
  NetworkResult result{};
  std::string machine{};  // text of a machine file
  bool is_interrupted = false;
};

FoundNetwork find_network(const MachineConfig& machine, const TopooptAsked& asked);

}  // namespace fredsim
