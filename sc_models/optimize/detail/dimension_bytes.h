// SPDX-License-Identifier: Apache-2.0
// Bytes that an NPU sends in each dimension of a system for a hierarchical collective.
//
// Group: a span of NPUs, of which the lowest dimension runs fastest (topology/system.h). It must
//   have all or an even part of the places of
//   each dimension.
// Bytes, n places in a dimension: a reduce-scatter or an all-reduce goes up with what is left of
//   the vector, (n - 1) / n of it per
//   dimension, the all-reduce twice; an all-gather goes down, and its bytes are those of an NPU
//   before it, as LIBRA's model has them; an
//   all-to-all has (n - 1) / n of all its bytes in every dimension.
// Errors: BadInput, naming `what`, for groups that are no such boxes, and for other collectives.
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
