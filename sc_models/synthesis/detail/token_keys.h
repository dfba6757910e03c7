// SPDX-License-Identifier: Apache-2.0
// Keys by which the model takes operations as equal, first rounds of a loop as later ones.
//
// An operation that lacks dependencies of a later one because their lanes had no operation yet gets
//   them: a drawn operation without such a predecessor waits for none either. The first layer or
//   microbatch then equals the others.
#pragma once

#include <cstdint>
#include <vector>

#include "synthesis/job_sequence.h"

namespace fredsim {

using TokenKey = std::vector<std::int64_t>;

// Keys of a sequence's operations; completes their dependencies. Sizes and durations are equal to
// 1 / per_octave of an octave.
std::vector<TokenKey> token_keys(std::vector<JobOperation>& sequence, int per_octave);

}  // namespace fredsim
