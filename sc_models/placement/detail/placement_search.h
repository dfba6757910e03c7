// SPDX-License-Identifier: Apache-2.0
// Search for placements of workers with a low cost (placement_load.h).
//
// Local search from each of the best few start placements: random changes are accepted if the cost
//   falls, or rises by less than a threshold that decreases during the search (threshold
//   accepting). Changes: two workers change places, or one takes a free NPU; a section of a group
//   is reversed, or one worker of it is moved to another position in the group; two groups of equal
//   size change places.
// The number of steps depends only on the numbers of workers and NPUs, not on a clock: equal seeds
// give equal results.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placement/placement_load.h"

namespace fredsim {

// Improved placements, one for each of the best of `starts` (by worker, at least one), followed by
// these best starts themselves. `npus`: available NPUs.
std::vector<std::vector<int>> search_placements(PlacementLoad& load, std::span<const int> npus,
                                                std::vector<std::vector<int>> starts,
                                                std::uint64_t seed);

// Placements to start from. On a grid: every nesting of MP, DP and PP in rectangles that fits. Each
// rectangle consists of a x b rectangles of the next inner dimension, all of them used, or all but
// less than a row and a column. On a tree: every order of nesting, with groups across switches or
// not. `sizes`: of MP, DP and PP. Placements are by worker rank, MP fastest, then DP, then PP.
std::vector<std::vector<int>> nested_placements(const Topology& topology, std::span<const int> npus,
                                                const std::vector<int>& sizes);

}  // namespace fredsim
