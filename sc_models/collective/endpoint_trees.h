// SPDX-License-Identifier: Apache-2.0
// Shapes of endpoint trees: the hops of partial sums and results between ranks (§7.2, §5).
//
// chain: ranks one after the other, the root at one end.
// hierarchical ring: ranks in a box of several dimensions, and one tree per owner. Reduction
//   towards the owner: every line of dimension 0 is a chain around the ring of the line, from the
//   place after that of the owner to that of the owner; then likewise among these end places along
//   dimension 1, and so on. The result takes the same path back. A box of one dimension is the
//   plain ring. Rings have one direction.
// tree, direct: as above, with binary trees, or with all members of a line directly below the place
//   of the owner, instead of chains. Places on a line are counted from the owner. With an owner per
//   rank, every rank thus has every place in a tree once, and all ranks send as much as on rings.
// halving and doubling: binomial trees. Places count from the owner's by exclusive or, so that
// places that differ from it in the highest bit send first, each to its partner in that bit, then
// the remaining places in the next bit; results come back in the opposite order. A collective takes
// the reduction (reduce-scatter), the broadcast (all-gather) or both.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collective/plan_check.h"
#include "plan/plan.h"
#include "plan/ring_box.h"
#include "plan/split.h"

namespace fredsim {

// NIC ports side by side: slices, on which a tree stays on one port; 1 on a mesh,
// where the port is the one that faces the destination (routing/nic_port.h).
int endpoint_slices(const Topology& topology);

// Builder of one tree. Where components have failed, a hop between ranks that no slice joins is
// replaced: the rank goes below another rank of the tree that it reaches; where that does not
// connect all ranks, the tree is built anew. Errors: BadInput for a rank that cannot reach the
// root, directly or through other ranks.
class TreeBuilder {
 public:
  TreeBuilder(const Topology& topology, const Plan& plan, int part, int slice);

  // Calls with the same receiver are its additions, in order.
  void reduce(int from, int to, int vc);
  void pass_on(int from, int to, int vc);
  int vc() const { return vc_; }  // the part's
  Send send(int from, int to, int vc) const;
  // Hop back by which `from` acknowledges data of rank `to`.
  Send acknowledgement(int from, int to, const Send& data) const;
  // True where no hop has to be replaced.
  bool joins_all() const { return !topology_.failed.cut_slices(); }
  // `roots`: Part::roots. std::logic_error where sums do not go to the root
  // (collective/plan_check.h).
  Tree finish(Roles roles, int root, const FlitRange& range, int roots = 0);
  // Finishes a tree that relays one operand from one rank to another.
  Tree finish_relayed(int from, int to, const FlitRange& range);
  // Tree of a box, beside the tree under construction.
  Tree tree_of(std::shared_ptr<const RingBoxTree> of_box, const FlitRange& range) const;

 private:
  // Order in which a rank adds: its own operand first, if it has one.
  void append_sum(int rank);
  // Parents by rank: for sums the receiver, for results the sender; -1: none.
  std::vector<int> parents(bool of_results) const;
  void mend(bool of_results, int root);
  void build_anew(const std::vector<int>& above, bool of_results, int root);
  void move_below(int rank, int parent, bool of_results);

  const Topology& topology_;
  const std::vector<NodeId>& members_;
  TreeName name_;  // name in errors
  int ranks_;      // relays left out
  int vc_;
  int slice_;
  Tree tree_;
  SumOrder order_{};
};

// A chain with the root at one end: the ring (ranks in its order) without the hop that closes it,
// forwards or backwards, on one VC. `roots`: Part::roots.
Tree chain_tree(TreeBuilder builder, const std::vector<int>& ring, int root, bool forwards,
                Roles roles, const FlitRange& range, int vc, int roots = 0);

// Trees of a box, each with another owner. Trees along rings share their hops
// (plan/ring_box_trees.h).
class BoxTrees {
 public:
  // `builder`: without hops.
  BoxTrees(TreeBuilder builder, RingBox box, Roles roles);

  // Tree of the owner at a position.
  Tree tree(int position, const FlitRange& range) const;

 private:
  TreeBuilder builder_;
  RingBox box_;
  Roles roles_;
  std::shared_ptr<const RingBoxTrees> rings_{};  // null: each tree is its own
};

// Packet stream from one rank to another on a virtual channel; through other ranks of the group
// where no slice joins the two.
Tree direct_tree(const Topology& topology, const Plan& plan, int part, int from, int to, int slice,
                 int vc, const FlitRange& range);
// Tree without hops: rank 0 already holds the result.
Tree alone_tree(int part, const FlitRange& range);

}  // namespace fredsim
