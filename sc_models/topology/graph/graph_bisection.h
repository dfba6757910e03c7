// SPDX-License-Identifier: Apache-2.0
// Bisection bandwidth of a system of arbitrary shape. The minimum over all bisections is NP-hard,
// so a set of bisections is tried: the first half of the NPUs by number, and, for systems of up to
// kMaxSearchedNpus, the half nearest to each of kSearchedStarts NPUs. The minimum cut between two
// halves is exact (topology/least_cut.h).
// Result: an upper bound, exact if an optimal bisection is among the ones tried. If the number of
// NPUs is odd, one half has one NPU less.
#pragma once

#include <cstdint>

#include "topology/topology.h"

namespace fredsim {

inline constexpr int kMaxSearchedNpus = 512;
inline constexpr int kSearchedStarts = 64;

// Bytes/s, one direction.
std::uint64_t graph_bisection(const Topology& topology);

}  // namespace fredsim
