// SPDX-License-Identifier: Apache-2.0
// Plans whose sources soon have to wait for acknowledgements.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "plan/plan.h"

namespace fredsim::test {

// Small windows for endpoint algorithms: packets of a flit or two, few of them in flight.
inline void shrink_windows(Random& random, Plan& plan) {
  for (Part& part : plan.parts) {
    if (part.algorithm == "in_switch") continue;
    part.packet_flits = 1 + static_cast<int>(random.below(2));
    part.window = 1 + static_cast<int>(random.below(8));
  }
  // Packets have an order for the windows that were planned.
  for (Tree& tree : plan.trees) tree.interval = 0;
}

}  // namespace fredsim::test
