// SPDX-License-Identifier: Apache-2.0
// Links that the in-switch trees of an operation cross, and the wave of parts that uses each link.
//
// Reason: a flow that joins waits for a packet at all of its inputs, so all links that it joins
//   must carry the packets of two operations in the same order. This holds if both operations have
//   the same flows: every endpoint sends the packets of the first operation first. If two
//   operations have different flows over a link, one link may carry packets of the first operation
//   first, another link packets of the second, and joins wait for each other in a circle.
// Wave: on a link, parts with equal members and the same last phase have the same flows, whatever
//   their bytes (parts of few bytes may lack the first trees). Steps of a system (Part::dimension)
//   need no common phase: all steps of the members of a block use one tree.
// Parts of one operation that wait for each other (Part::after) may cross a link in different
//   waves; then no other operation, not even of the same plan, can follow it on that link.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/state_digest.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

struct LinkWave {
  int vc = 0, link = 0;
  StateDigest wave{0};    // equal for equal waves of operations with equal rows
  bool is_mixed = false;  // parts of the operation cross it in different waves
  std::pair<int, int> place() const { return {vc, link}; }
};

// Waves ascending by place(), for plans that are one operation on `topology`. `are_steps`: steps of
// a system, on the block of a dimension.
std::vector<LinkWave> link_waves(const Topology& topology, std::span<const Plan* const> plans,
                                 bool are_steps = false);

}  // namespace fredsim
