// SPDX-License-Identifier: Apache-2.0
// Search for placements of experts that balance the ranks' work as well as a router allows.
//
// Cost of a layer, in tokens per token of a rank: tokens that the busiest rank computes plus the
//   max of the tokens that a rank receives from others. All ranks have the same number of tokens;
//   copies of an expert share its tokens evenly.
// Copies: each slot beyond the first of every expert goes to the expert whose copies have most
//   tokens each. Copies are then assigned, heaviest first, to the rank with the fewest tokens so
//   far; then random moves follow: two copies on different ranks change places, or one moves to
//   another rank with a free slot. A move is kept if the cost falls, or rises by less than a
//   threshold that falls to 0. The best placement found is returned, never one that costs more than
//   contiguous_experts().
// It ends after a number of steps that follows from the numbers of slots alone: same seed, same
//   result.
#pragma once

#include <cstdint>

#include "experts/expert_placement.h"
#include "experts/router.h"

namespace fredsim {

// Balanced placement: one layer per layer of the router, or a single one if `is_alike`. `slots`:
// slots per rank, at most the number of experts; ranks × slots is at least that number.
ExpertPlacement balanced_experts(const Router& router, bool is_alike, int ranks, int slots,
                                 std::uint64_t seed);

// Cost of a layer's placement, as above; the lower bound of any is 2 × top_k less the local share.
double expert_cost(const Router& router, int layer, const ExpertPlacement::Ranks& ranks);
// Tokens that the busiest rank computes, over the mean of all ranks.
double expert_imbalance(const Router& router, int layer, const ExpertPlacement::Ranks& ranks);

}  // namespace fredsim
