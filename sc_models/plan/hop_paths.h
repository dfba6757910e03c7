// SPDX-License-Identifier: Apache-2.0
// Paths of the hops of a plan's endpoint trees (plan/link_walk.h), cached since many trees share
// hops.
//
// Cached: paths of more than two links, each walked once. Paths up to a switch and down again, as
// in a block of a system, are derived from their end points.
// Units: latencies in cycles, of one flit at no load, without the NPUs'.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plan/hop_times.h"
#include "plan/link_walk.h"
#include "plan/plan.h"

namespace fredsim {

class HopPaths {
 public:
  struct Hop {
    double latency = 0;  // cycles, sum over its links and switches
    double wire = 0;     // cycles, sum over its links alone
    double slowest = 1;  // cycles per flit of its slowest link, at least 1

    // Links in the order in which the path crosses them; valid as long as the hop.
    std::span<const int> links() const {
      return kept != nullptr ? std::span<const int>(*kept) : std::span<const int>(two);
    }
    std::array<int, 2> two{};
    const std::vector<int>* kept = nullptr;  // null: a path of two links
  };

  // `walk`: the walk of any plan on this fabric, with the switches' online routes where the plan
  // has some. All arguments must outlive the object.
  HopPaths(const Topology& topology, const LinkWalk& walk);

  // Hop between two endpoints by a NIC port; valid as long as this object.
  Hop hop(NodeId from, NodeId to, int port);

  // Starts recording hops for found(); to be called before the first hop().
  void note_found() { notes_found_ = true; }
  // Recorded hops, each once, in the order of the calls.
  const std::vector<Hop>& found() const { return found_; }

  // Calls back as LinkWalk::walk() does, for a tree of `plan`, which is the plan of the walk.
  template <typename OnLink>
  void walk(const Plan& plan, const Tree& tree, const OnLink& on_link) {
    const std::vector<NodeId>& members = plan.parts[tree.part].members;
    if (tree.transport == Transport::kInSwitch) walk_.walk_in_switch(tree, on_link);
    for_each_send(tree.ranks, [&](int rank, const Send& send) {
      const Hop way = hop(members[rank], members[send.rank], send.port);
      for (const int link : way.links()) on_link(link);
    });
  }

  // Adds to each link the load of `plan`'s trees: the `amount` of a tree for each time that it
  // crosses the link. Many trees of one box of rings cost no more than one tree.
  template <typename Amount>
  void add_loads(const Plan& plan, std::span<const Tree> trees, const Amount& amount,
                 std::vector<std::uint64_t>& loads) {
    std::vector<BoxLoad> boxes;
    for (const Tree& tree : trees) {
      const std::uint64_t moved = amount(tree);
      if (const RingBoxTree* const of_box = tree.ranks.box_tree())
        load_of(boxes, *of_box, tree.part).by_owner[of_box->owner()] += moved;
      else
        walk(plan, tree, [&](int link) { loads[link] += moved; });
    }
    for (BoxLoad& load : boxes) add_box(plan, std::move(load), loads);
  }

 private:
  struct BoxLoad {
    const RingBoxTrees* box = nullptr;
    int part = 0;
    std::vector<std::uint64_t> by_owner{};
  };
  static BoxLoad& load_of(std::vector<BoxLoad>& boxes, const RingBoxTree& tree, int part);
  void add_box(const Plan& plan, BoxLoad load, std::vector<std::uint64_t>& loads);

  // Hop whose path is stored apart.
  struct KeptHop {
    Hop hop{};
    std::vector<int> links{};
  };
  Hop made_of(std::span<const int> links) const;
  void note(std::uint64_t key, const Hop& hop);

  const Topology& topology_;
  const LinkWalk& walk_;
  const HopTimes times_;
  // Paths by first link and destination; looked up, never iterated.
  std::unordered_map<std::uint64_t, KeptHop> hops_;
  std::vector<std::pair<NodeId, const Hop*>> last_;  // stored paths, by first link
  bool notes_found_ = false;
  std::unordered_set<std::uint64_t> noted_;
  std::vector<Hop> found_;
};

}  // namespace fredsim
