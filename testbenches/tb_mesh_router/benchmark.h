// SPDX-License-Identifier: Apache-2.0
// Simulation speed of the router implementations side by side: RTL and twin, measured in turn,
//   medians of the pairs.
//
// Prints processor time, drivers included, of one router of the 5 x 4 mesh under several loads and
// of the whole mesh under uniform random traffic.
#pragma once

namespace fredsim::tb {

void run_benchmark();

}  // namespace fredsim::tb
