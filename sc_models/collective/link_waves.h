// SPDX-License-Identifier: Apache-2.0
// Links that the in-switch trees of an operation cross, and the wave of parts that uses each link.
//
// Why: a flow that joins waits for a packet at all of its inputs, so all links that it joins must
//   have the packets of two operations in the same order. They do where both operations take the
//   same flows: every endpoint sends the packets of the first one first. Where two operations take
//   different flows over a link, one link may have packets of the first operation first, another
//   link packets of the second one, and joins wait in a circle.
// Wave: on a link, parts of equal members whose last phase is the same take the same flows,
//   whatever their bytes (of few bytes the first trees may be missing). Steps of a system
//   (Part::dimension) need no common phase: all steps of a block's members go by one tree.
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
