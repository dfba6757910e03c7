// SPDX-License-Identifier: Apache-2.0
// Routes of the in-switch trees of one slice: uplinks and routings of the parts that are in flight
// together. A grid is one slice; its parts choose rows and columns instead of uplinks
// (collective/detail/grid_trees.h).
//
// Input: the parts of one VC in one slice, each with its trees (SliceTree) and its chiplets of
//   level 1 (SlicePart::lowest). place() assigns reduction trees to every part, that is chiplets
//   and uplinks (SlicePart::uplink_trees), such that no two parts share a port and the flows of
//   every chiplet have a routing in each phase.
// Search: complete over the uplinks, part by part, with backtracking when flows cannot be routed;
//   it gives up after a fixed number of steps. Further trees, for uplinks slower than a port, are
//   taken as long as they fit.
// Errors: none thrown; obstacle() says why place() failed.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "collective/detail/reduction_tree.h"
#include "collective/endpoint_trees.h"
#include "plan/group_conflict.h"
#include "plan/plan.h"
#include "plan/split.h"
#include "routing/flows.h"
#include "switch/node_shape.h"

namespace fredsim {

// One tree of a part in a slice, before it has uplinks.
struct SliceTree {
  int root = 0;
  FlitRange range;
};

// A part in one slice: its trees, and which uplinks they take.
struct SlicePart {
  int part = 0;
  std::vector<SliceTree> tasks;  // simple collectives: one, to be split over its uplink trees
  GroupRoles roles;              // roles in all tasks together, of the ranks that are joined
  ReductionTree lowest;
  std::vector<bool> joined;                 // by rank (collective/detail/detached_ranks.h)
  std::vector<ReductionTree> uplink_trees;  // chosen, on different uplinks; one at least
  int first_slot = 0;                       // phase of the first tree

  // Phases that it takes, and the reduction tree of each.
  int slots(bool compound) const {
    return static_cast<int>(compound ? tasks.size() : uplink_trees.size());
  }
  // The tree of a phase; -1: it has none there.
  int slot(int phase, bool compound) const {
    const int slot = phase - first_slot;
    return slot >= 0 && slot < slots(compound) ? slot : -1;
  }
  const ReductionTree& tree(int slot) const {
    return uplink_trees[static_cast<std::size_t>(slot) % uplink_trees.size()];
  }
};

// Routings by shape and flows: slices repeat each other.
class RouteCache {
 public:
  explicit RouteCache(const Topology& topology) : topology_(topology) {}

  const SwitchShape& shape(NodeId chiplet);
  const RoutedFlows& route(NodeId chiplet, const std::vector<Flow>& flows);

 private:
  using Ports = std::pair<std::uint32_t, std::uint32_t>;
  using Key = std::tuple<const SwitchKind*, std::vector<int>, std::vector<Ports>>;

  const Topology& topology_;
  std::map<NodeId, SwitchShape> shapes_;
  std::map<Key, RoutedFlows> routed_;
};

// Uplinks and routings of the parts of one VC that are in flight together in one slice.
class SliceRouter {
 public:
  SliceRouter(const Topology& topology, const Plan& plan, RouteCache& cache, int slice,
              std::vector<SlicePart>& parts)
      : topology_(topology), plan_(plan), cache_(cache), slice_(slice), parts_(parts) {}

  // Chooses the uplinks. False: obstacle() returns the reason.
  bool place();
  // Reason after place() has failed: the last obstacle of the search, or too few uplinks for any
  // routing.
  Obstacle obstacle();

  // Flows of every chiplet in a phase, for all parts in order.
  struct ChipletFlow {
    int part = 0;  // part of the slice
    int flow = 0;  // index in flows_of(part, slot)
  };
  struct Phase {
    std::map<NodeId, std::vector<Flow>> flows;
    std::map<NodeId, std::vector<ChipletFlow>> owners;
  };
  Phase phase(int number) const;
  std::vector<NodeFlow> flows_of(const SlicePart& part, int slot) const;
  // The tree of a part in a phase, or -1; phases up to the last that it takes.
  int slot(const SlicePart& part, int phase) const;
  int phases(const SlicePart& part) const;

 private:
  const std::vector<NodeId>& members(const SlicePart& part) const {
    return plan_.parts[part.part].members;
  }

  bool gave_up() const;

  // Quick check, before a long search: false if more parts need an uplink of an L1 chiplet in one
  // direction than the chiplet has.
  bool demand_fits() const;
  bool place_from(std::size_t i);
  bool add_uplink_tree(SlicePart& part);
  void leave_out_slow(SlicePart& part) const;
  void visit(const SlicePart& part, const std::function<bool(const ReductionTree&)>& visit);
  // Grid: true if no other part has one of the ports; otherwise sets obstacle_ to the place.
  bool is_free(const PortUse& wanted);
  void take(const PortUse& wanted);
  void give_back(const PortUse& wanted);
  bool routable();
  void set_obstacle(NodeId chiplet, const std::vector<Flow>& flows,
                    const std::vector<ChipletFlow>& owners, const ConflictingFlows& conflict);

  const Topology& topology_;
  const bool on_grid_ = topology_.has_places();
  const Plan& plan_;
  RouteCache& cache_;
  int slice_;
  std::vector<SlicePart>& parts_;
  PortUse taken_;
  int steps_ = 0;
  bool by_ports_alone_ = false;
  Obstacle obstacle_;
};

}  // namespace fredsim
