// SPDX-License-Identifier: Apache-2.0
// One part of a plan at the endpoints, on any fabric: unicast packets between NPUs (§7.2).
// Algorithms (collective/algorithms) use it to make their trees. On a fabric with slices all data
// is divided over the slices, and the share of slice s uses NIC port s.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collective/detail/slice_shares.h"
#include "collective/endpoint_trees.h"
#include "plan/collective_spec.h"
#include "plan/pattern.h"
#include "plan/plan.h"
#include "plan/split.h"
#include "topology/topology.h"

namespace fredsim {

class EndpointPart {
 public:
  // Handle of plan.parts[number], whose members (two or more), algorithm and window are set. All
  // arguments must outlive it.
  EndpointPart(const Topology& topology, const CollectiveSpec& spec, int number, Plan& plan);

  const Topology& topology() const { return topology_; }
  const CollectiveSpec& spec() const { return spec_; }
  int number() const { return number_; }
  Plan& plan() const { return plan_; }
  Part& part() const { return plan_.parts[static_cast<std::size_t>(number_)]; }
  const std::vector<NodeId>& members() const { return part().members; }
  std::uint64_t bytes() const { return part().bytes; }
  int ranks() const { return part().ranks(); }
  Pattern pattern() const { return pattern_of(spec_.collective); }
  Roles roles() const { return roles_; }
  bool shares_vector() const { return spec_.collective == Collective::kAllReduce; }
  FlitRange vector() const { return whole_range(0, bytes()); }
  std::vector<FlitRange> blocks() const;  // by rank
  // Blocks of an all-to-all, by sender and receiver.
  std::vector<std::vector<FlitRange>> pair_blocks() const;
  std::vector<FlitRange> slices() const;  // shares of the vector

  TreeBuilder builder(int slice) const { return {topology_, plan_, number_, slice}; }
  void add(Tree tree) const;  // ignores a tree without flits
  // Adds a tree per slice and owner, or for collectives with one root a tree per slice, along the
  // lines of a box.
  void add_box(const RingBox& box) const;
  // Adds such trees with each half of every owner's data along a box of its own; for collectives in
  // which all ranks are owners.
  void add_box_halves(const RingBox& first, const RingBox& second) const;
  // Adds a sum at every rank: `tree(k)` brings all flits of a range from rank k to all ranks,
  // itself included.
  void add_sum_at_every_rank(const FlitRange& range, const std::function<Tree(int)>& tree) const;
  // Adds a block that goes straight from one rank to another, on a virtual channel.
  void add_pair(int from, int to, const FlitRange& block, int vc) const;

 private:
  void spread(RingBox& box) const;
  // `range`: maps a range to the box's share of it.
  template <typename Range>
  void add_owned(const RingBox& box, const Range& range) const;
  void add_rooted(const RingBox& box) const;

  const Topology& topology_;
  const CollectiveSpec& spec_;
  int number_;
  Plan& plan_;
  SliceShares shares_;
  Roles roles_;
};

}  // namespace fredsim
