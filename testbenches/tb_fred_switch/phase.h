// SPDX-License-Identifier: Apache-2.0
// A phase as the testbench programs it: flows, their VC, and how they were routed.
#pragma once

#include <vector>

#include "base/flit.h"
#include "switch/switch_kind.h"

namespace fredsim::tb {

struct Phase {
  int vc = kDp;
  std::vector<Flow> flows;
  RoutedFlows route;
};

}  // namespace fredsim::tb
