// SPDX-License-Identifier: Apache-2.0
// A search for placements of experts under which the ranks have as equal work as a router allows.
//
// Cost of a layer, in tokens per token of a rank: those that the busiest rank computes plus those that the rank that receives most gets
//   from others. All ranks have as many tokens; copies of an expert share its tokens evenly.
// Copies: each slot beyond the first of every expert goes to the expert whose copies have most tokens each. Copies are then dealt out, the
//   heaviest first, to the rank with the least so far; then two of different ranks change places, or one of a rank goes to another with
//   a free slot, at random, and stay where the cost falls, or rises by less than a threshold that sinks to 0. The best that was met
//   counts, never one that costs more than contiguous_experts().
// It ends after a number of steps that follows from the numbers of slots alone: same seed, same result.
#pragma once

#include <cstdint>

#include "experts/expert_placement.h"
#include "experts/router.h"

namespace fredsim {

// A layer for each of the router's, or one where all are alike. `slots` of a rank: ranks × slots of at least the experts, at most
// as many as these on each.
ExpertPlacement balanced_experts(const Router& router, bool is_alike, int ranks, int slots,
                                 std::uint64_t seed);

// Cost of a layer's placement, as above; the least that any could have is 2 × top_k less what is local.
double expert_cost(const Router& router, int layer, const ExpertPlacement::Ranks& ranks);
// Tokens that the busiest rank computes, over the mean of all.
double expert_imbalance(const Router& router, int layer, const ExpertPlacement::Ranks& ranks);

}  // namespace fredsim
