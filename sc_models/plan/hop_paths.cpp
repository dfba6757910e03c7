// SPDX-License-Identifier: Apache-2.0
#include "plan/hop_paths.h"

#include <algorithm>
#include <ranges>

namespace fredsim {

HopPaths::HopPaths(const Topology& topology, const LinkWalk& walk)
    : topology_(topology),
      walk_(walk),
      times_(topology),
      last_(topology.links.size(), {-1, nullptr}) {}

HopPaths::Hop HopPaths::hop(NodeId from, NodeId to, int port) {
  const int first = topology_.link_out(from, port);
  auto& [last_to, last] = last_[first];
  if (last_to == to) return *last;
  const std::uint64_t key =
      static_cast<std::uint64_t>(first) << 32U | static_cast<std::uint32_t>(to);
  if (const int second = walk_.last_of_two(first, to); second >= 0) {
    const std::array<int, 2> two{first, second};
    Hop hop = made_of(two);
    hop.two = two;
    note(key, hop);
    return hop;
  }
  const auto [at, is_new] = hops_.try_emplace(key);
  KeptHop& kept = at->second;
  if (is_new) {
    walk_.walk_hop(from, to, port, [&](int number) { kept.links.push_back(number); });
    kept.hop = made_of(kept.links);
    kept.hop.kept = &kept.links;
    note(key, kept.hop);
  }
  last_to = to;
  last = &kept.hop;
  return kept.hop;
}

HopPaths::Hop HopPaths::made_of(std::span<const int> links) const {
  Hop hop;
  for (const int number : links) {
    const Link& link = topology_.links[number];
    hop.wire += link.latency;
    hop.latency += times_.over(link);
    hop.slowest = std::max(hop.slowest, 1 / link.rate.value());
  }
  return hop;
}

void HopPaths::note(std::uint64_t key, const Hop& hop) {
  if (notes_found_ && noted_.insert(key).second) found_.push_back(hop);
}

HopPaths::BoxLoad& HopPaths::load_of(std::vector<BoxLoad>& boxes, const RingBoxTree& tree,
                                     int part) {
  // Trees of one box follow each other, or alternate with trees of another box.
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
    const Hop way = hop(members[load.box->rank_of(at)], members[at.send.rank], at.send.port);
    for (const int link : way.links()) loads[link] += moved[h];
  }
}

}  // namespace fredsim
