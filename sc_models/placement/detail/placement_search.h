// SPDX-License-Identifier: Apache-2.0
// A search for placements of workers with a low cost (placement_load.h).
//
// Local search from each of the best few of the placements that it is given: changes are tried at
//   random and taken where the cost falls, or rises by less than a threshold that sinks as the
//   search goes on (threshold accepting). Changes: two workers change places, or one takes a free
//   NPU; of a group a stretch is turned round, or one worker goes to another place of it; two
//   groups of the same size change places.
// It ends after a number of steps that depends on the numbers of workers and NPUs alone, not on a
//   clock: same seed, same result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placement/placement_load.h"

namespace fredsim {

// One for each of the best of `starts` (by worker, at least one), improved, and the others of these
// best as they were. `npus`: those that there are.
std::vector<std::vector<int>> search_placements(PlacementLoad& load, std::span<const int> npus,
                                                std::vector<std::vector<int>> starts,
                                                std::uint64_t seed);

// Placements to start from: on a grid every nesting of MP, DP and PP in rectangles that has room,
// each a x b rectangle of the inner ones, or with less than a row and a column to spare; on a tree
// every order of nesting, with groups across switches or not. `sizes`: of MP, DP and PP. By worker
// rank, MP fastest, then DP, then PP.
std::vector<std::vector<int>> nested_placements(const Topology& topology, std::span<const int> npus,
                                                const std::vector<int>& sizes);

}  // namespace fredsim
