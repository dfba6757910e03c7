// SPDX-License-Identifier: Apache-2.0
// Bisection bandwidth of a system of any shape. The least over all halves of its NPUs is NP-hard to
// find, so halves are tried: the first and the second half by number, and of systems of up to
// kMaxSearchedNpus those nearest to each of kSearchedStarts NPUs and the others. Between two halves
// the least cut is exact (topology/least_cut.h).
// Result: an upper bound, which is exact where one of the halves tried is a best one. Of an odd
// number of NPUs one half has one less.
#pragma once

#include <cstdint>

#include "topology/topology.h"

namespace fredsim {

inline constexpr int kMaxSearchedNpus = 512;
inline constexpr int kSearchedStarts = 64;

// Bytes/s, one direction.
std::uint64_t graph_bisection(const Topology& topology);

}  // namespace fredsim
