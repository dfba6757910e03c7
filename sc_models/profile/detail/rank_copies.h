// SPDX-License-Identifier: Apache-2.0
// Ranks that were not traced: a job's ranks out of the profiles of few.
//
// Like: the profile of one rank stands for all. A group of n ranks with a stride s is one of equal
//   groups: ranks a, a + s, … of each n * s ranks that follow one another.
// Resized group: each of its groups of n ranks gets m. Rank numbers keep their order: the place in
//   the group is the middle digit, below it are the ranks of a stride. Other groups are copied for
//   each new place; groups made of whole resized ones grow with them. The shard of an all-gather
//   shrinks in a group that grows: the whole stays. The k-th new place runs the trace of place
//   k mod n.
// Errors: BadInput with option and group: groups without a stride, or not where the stride says;
//   ranks that no group divides; sends and receives, whose peers are ranks; unequal all-to-alls of
//   a group that grows; a group that nobody has; a group with a part of a resized one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profile/convert.h"
#include "profile/detail/group_names.h"

namespace fredsim {

// Fills groups, world and `trace_of` of `converted`, and names the groups of its nodes.
void copy_ranks(ConvertedProfiles& converted, const std::vector<RankCalls>& calls,
                const RankCopies& copies);

}  // namespace fredsim
