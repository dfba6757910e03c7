// SPDX-License-Identifier: Apache-2.0
#include "collective/hop_paths.h"

#include <algorithm>
#include <ranges>

#include "collective/plan_time.h"

namespace fredsim {

HopPaths::HopPaths(const Topology& topology, const LinkWalk& walk)
    : topology_(topology),
      walk_(walk),
      switch_cycles_(switch_cycles(topology)),
      last_(topology.links.size(), {-1, nullptr}) {}

const HopPaths::Hop& HopPaths::hop(NodeId from, NodeId to, int port) {
  const int first = topology_.link_out(from, port);
  auto& [last_to, last] = last_[first];
  if (last_to == to) return *last;
  const auto [at, is_new] =
      hops_.try_emplace(static_cast<std::uint64_t>(first) << 32U | static_cast<std::uint32_t>(to));
  Hop& hop = at->second;
  if (is_new) {
    found_.push_back(&hop);
    walk_.walk_hop(from, to, port, [&](int number) {
      const Link& link = topology_.links[number];
      hop.links.push_back(number);
      hop.wire += link.latency;
      hop.latency += link.latency + (topology_.nodes[link.to].is_switch() ? switch_cycles_ : 0);
      hop.slowest = std::max(hop.slowest, 1 / link.rate.value());
    });
  }
  last_to = to;
  last = &hop;
  return hop;
}

HopPaths::BoxLoad& HopPaths::load_of(std::vector<BoxLoad>& boxes, const RingBoxTree& tree,
                                     int part) {
  // Those of a box follow each other, or take turns with those of another.
  for (BoxLoad& load : std::views::reverse(boxes))
    if (load.box == &tree.box() && load.part == part) return load;
  return boxes.emplace_back(
      BoxLoad{&tree.box(), part, std::vector<std::uint64_t>(tree.box().size())});
}

void HopPaths::add_box(const Plan& plan, BoxLoad load, std::vector<std::uint64_t>& loads) {
  const std::vector<NodeId>& members = plan.parts[load.part].members;
  const std::vector<std::uint64_t> moved = load.box->hop_loads(std::move(load.by_owner));
  for (std::size_t h = 0; h < moved.size(); ++h) {
    const RingBoxTrees::Hop& at = load.box->hops()[h];
    if (moved[h] == 0) continue;
    for (const int link :
         hop(members[load.box->rank_of(at)], members[at.send.rank], at.send.port).links)
      loads[link] += moved[h];
  }
}

}  // namespace fredsim
