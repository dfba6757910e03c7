// SPDX-License-Identifier: Apache-2.0
// In-switch trees of a slice that does not join all ranks of a group, on a FRED tree with failed
// components (topology/faults.h).
//
// Detached rank: a rank that the slice does not join. It sends its operand over another slice to a
//   helper, a rank that the slice joins. The helper adds the operand to its own, sends the sum into
//   the slice, and returns the result. The helper is the rank with the lowest load, where each
//   detached rank counts 1 / (number of slices that lead to its helper). Ranks of the same L1
//   switch come first, unless uplinks are fast and another rank is reached by at least twice as
//   many slices. If uplinks are slow and the slice joins no rank of an L1 switch, the ranks of the
//   switch form a chain, and only one of them sends over the uplinks. Helpers take turns, tree by
//   tree. All-reduce only: for other collectives endpoint trees carry no more data.
// Virtual channel: a channel that no part uses. On the channel of the tree, packets to the helper
//   would wait behind operands that in turn wait for these packets.
#pragma once

#include <vector>

#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Ranks in the largest set that a slice connects, by rank. On machines without failures, and on
// grids, all ranks.
std::vector<bool> joined_ranks(const Topology& topology, const std::vector<NodeId>& members,
                               int slice);
// True if a slice can work without the ranks that it does not join: two or more are joined, and
// each detached rank reaches a joined one. The plan's parts must be known.
bool can_detach(const Topology& topology, const Plan& plan, int part,
                const std::vector<bool>& joined);

class DetachedRanks {
 public:
  DetachedRanks(const Topology& topology, const Plan& plan, int part);
  // Adds the detached ranks, with their hops, to a tree of the joined ranks, whose `order` covers
  // the joined ranks.
  void attach(Tree& tree, const std::vector<bool>& joined);

 private:
  int helper_of(int rank, const std::vector<bool>& joined);
  bool reaches(int rank, int other) const;
  int common_slices(int rank, int other) const;
  NodeId switch_of(int rank) const;

  const Topology& topology_;
  const std::vector<NodeId>& members_;
  int vc_;
  bool is_slow_;                // uplinks are
  int turn_ = 0;                // trees so far
  std::vector<double> load_{};  // by rank: trees for other ranks, by the slices that lead there
};

}  // namespace fredsim
