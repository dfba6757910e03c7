// SPDX-License-Identifier: Apache-2.0
// Collectives by the paths that their data take between ranks; ranks with an operand, and ranks
// that receive the result.
#pragma once

#include <cstdint>

#include "plan/collective.h"
#include "plan/tree_rank.h"

namespace fredsim {

enum class Pattern : std::uint8_t {
  kAllRanks,  // all-reduce, reduce-scatter, all-gather: every rank owns a block
  kOneRoot,   // reduce, broadcast, multicast: the vector goes to or from one rank
  kPairs,     // pairs: blocks go from one rank to another and are not added
};

Pattern pattern_of(Collective collective);
// Roles in the endpoint trees of a collective that adds or distributes.
Roles roles_of(Collective collective);

}  // namespace fredsim
