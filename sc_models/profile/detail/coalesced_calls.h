// SPDX-License-Identifier: Apache-2.0
// Sends and receives that one kernel does (batch_isend_irecv): a node each, side by side, and a node
// without time that waits for all.
#pragma once

#include <vector>

#include "profile/profiled_nodes.h"

namespace fredsim {

struct CoalescedCalls {
  int node = 0;                        // kernel, described by its first call
  std::vector<ProfiledNode> others{};  // other calls: `node` and `call` alone
};

// The first has the duration, the others none: they share the kernel. Each has the
// dependencies of the kernel.
void split_coalesced(ProfileGraph& graph, const std::vector<CoalescedCalls>& kernels);

}  // namespace fredsim
