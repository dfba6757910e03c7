// SPDX-License-Identifier: Apache-2.0
// Bytes that an NPU sends in each dimension of a system for a hierarchical collective.
//
// Group: a span of NPUs, whose lowest dimension varies fastest (topology/system.h). It has to
//   cover all places of each dimension, or an even part of them.
// Bytes, n places in a dimension: a reduce-scatter or an all-reduce sends (n - 1) / n of the
//   remaining vector per dimension, lowest first, an all-reduce twice that; an all-gather runs from
//   the highest dimension down, counted by an NPU's bytes before it, as in LIBRA's model; an
//   all-to-all sends (n - 1) / n of all its bytes in every dimension.
// Errors: BadInput, naming `what`, for groups of another shape, and for other collectives.
// Source: src/model/model.py of willjwon/topology-bw-optimizer, branch sc22-artifact.
#pragma once

#include <string>
#include <vector>

#include "plan/collective.h"
#include "workload/text_groups.h"

namespace fredsim {

// Places of the group in each dimension.
std::vector<int> group_extents(const std::vector<int>& sizes, const GroupSpan& span,
                               const std::string& what);

std::vector<double> dimension_bytes(Collective collective, double bytes,
                                    const std::vector<int>& extents, const std::string& what);

}  // namespace fredsim
