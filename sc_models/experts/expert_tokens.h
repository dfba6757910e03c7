// SPDX-License-Identifier: Apache-2.0
// Tokens that the ranks of a group of expert parallelism send to each other's experts.
//
// A rank sends T × chance of its T tokens to each expert (router.h), as whole numbers: cumulated
//   over the experts, rounded down from an offset of (rank + 1/2) / ranks. They add up to T ×
//   top_k, each differs from T × chance by less than 1, and each expert gets within 1 of its total
//   from all ranks if all have the same number of tokens. Every token counts once for each of its
//   experts, even if two of them are on one rank.
// Copies of an expert share a rank's tokens evenly; the first of the remainder goes to another copy
//   for each rank.
// Capacity: an expert takes at most ceil(factor × T × top_k / experts) tokens of each rank with T;
//   further ones are dropped. Each rank knows its own tokens, so this needs no packet.
// Units: tokens.
#pragma once

#include <cstdint>
#include <vector>

#include "experts/expert_placement.h"
#include "experts/router.h"

namespace fredsim {

struct ExpertTokens {
  std::vector<std::vector<std::uint64_t>> sent;        // index: rank and destination rank, its own
                                                       // included
  std::vector<std::vector<std::uint64_t>> of_experts;  // index: rank, and place among its experts
  std::uint64_t routed = 0, dropped = 0;               // tokens × experts, of all ranks
};

// `tokens`: by rank. `capacity`: the factor; 0: no limit.
ExpertTokens expert_tokens(const Router& router, int layer, const ExpertPlacement::Ranks& ranks,
                           const std::vector<std::uint64_t>& tokens, double capacity);

}  // namespace fredsim
