// SPDX-License-Identifier: Apache-2.0
// Paths of the hops of a plan's endpoint trees (plan/link_walk.h): the same hops come up in many
// trees.
//
// Kept: paths of more than two links, each walked once. Those up to a switch and down again, as in
//   a block of a system, follow from their ends.
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
    double latency = 0;  // sum over its links and switches
    double wire = 0;     // over its links alone
    double slowest = 1;  // cycles per flit of its slowest link, 1 or more

    // In the order in which they are crossed; as long as the hop is there.
    std::span<const int> links() const {
      return kept != nullptr ? std::span<const int>(*kept) : std::span<const int>(two);
    }
    std::array<int, 2> two{};
    const std::vector<int>* kept = nullptr;  // null: two
  };

  // `walk`: of any plan on this fabric, with the switches' online routes where it has some. All
  // must outlive it.
  HopPaths(const Topology& topology, const LinkWalk& walk);

  // Valid as long as this is.
  Hop hop(NodeId from, NodeId to, int port);

  // Call first: all that will be asked for is found().
  void note_found() { notes_found_ = true; }
  // Each once, in the order in which they were asked for.
  const std::vector<Hop>& found() const { return found_; }

  // As LinkWalk::walk(), of a tree of `plan`, which is that of the walk.
  template <typename OnLink>
  void walk(const Plan& plan, const Tree& tree, const OnLink& on_link) {
    const std::vector<NodeId>& members = plan.parts[tree.part].members;
    if (tree.transport == Transport::kInSwitch) walk_.walk_in_switch(tree, on_link);
    for_each_send(tree.ranks, [&](int rank, const Send& send) {
      const Hop way = hop(members[rank], members[send.rank], send.port);
      for (const int link : way.links()) on_link(link);
    });
  }

  // Adds to links what trees of `plan` move on each of them: `amount` of a tree, for each time that
  // it crosses the link. Costs no more for many trees of one box of rings than for one.
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

  // The path is kept apart.
  struct KeptHop {
    Hop hop{};
    std::vector<int> links{};
  };
  Hop made_of(std::span<const int> links) const;
  void note(std::uint64_t key, const Hop& hop);

  const Topology& topology_;
  const LinkWalk& walk_;
  const HopTimes times_;
  // By first link and destination; looked up alone.
  std::unordered_map<std::uint64_t, KeptHop> hops_;
  std::vector<std::pair<NodeId, const Hop*>> last_;  // kept, by first link
  bool notes_found_ = false;
  std::unordered_set<std::uint64_t> noted_;
  std::vector<Hop> found_;
};

}  // namespace fredsim
