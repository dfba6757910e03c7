// SPDX-License-Identifier: Apache-2.0
// Lower bound on the time of a collective on a network, whatever its algorithm: bytes that must
// cross a cut, divided by the cut's bandwidth. Compared with Part::bound_ns, the bound for a plan's
// own paths, it reveals a plan that uses the network badly.
//
// Cuts: around each rank of the group (of kMaxCuts of them, evenly, in a large one); all straight
//   ones between columns or rows of a grid, two at a time on a torus; and, where the group has all
//   NPUs, the topology's bisection. Bytes across: the least that any algorithm has to send, with
//   additions and copies wherever the fabric or any NPU can make them. Where no switch adds and the
//   group has all NPUs, each addition takes place at a rank, so that an all-reduce's 2 (N - 1)
//   vectors have to be received by all of them together.
// Systems of dimensions: the cut around an NPU is all of its links, in all dimensions together.
// Units: ns. 0: no bound is known (all_to_all_v, groups with I/O controllers or failed components
//   between ranks).
#pragma once

#include "plan/plan.h"

namespace fredsim {

inline constexpr int kMaxCuts = 32;

double network_bound_ns(const Topology& topology, const Part& part);

}  // namespace fredsim
