// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/member_boxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "collective/detail/multi_tree.h"
#include "plan/members.h"
#include "plan/mesh_rings.h"
#include "routing/mesh_routing.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

// Representative of a level's switches above a node: the lowest one that the node reaches going up,
// or reached before links failed.
NodeId above(const Topology& topology, NodeId node, int level) {
  for (int l = 0; l < level && topology.nodes[node].above >= 0; ++l)
    node = topology.nodes[node].above;
  return node;
}

// Places of the members along a dimension, in order; `stride`: NPUs from one place to the next.
std::vector<int> places_along(const std::vector<int>& npus, int stride, int side) {
  std::set<int> places;
  for (const int npu : npus) places.insert(npu / stride % side);
  return {places.begin(), places.end()};
}

RingBox dimension_box(const Topology& topology, const std::vector<NodeId>& members) {
  if (has_io(topology, members) || topology.dimensions.empty()) return flat_box(topology, members);
  std::map<int, int> rank_of;  // by NPU
  std::vector<int> npus;
  for (int rank = 0; rank < std::ssize(members); ++rank) {
    npus.push_back(member_number(topology, members[rank]));
    rank_of.emplace(npus.back(), rank);
  }
  RingBox box;
  std::vector<int> in_box{0};  // NPUs at its places, dimension 0 fastest
  int stride = 1;
  for (const TopologyDimension& dimension : topology.dimensions) {
    const std::vector<int> places = places_along(npus, stride, dimension.size);
    std::vector<int> grown;
    for (const int place : places)
      for (const int npu : in_box) grown.push_back(npu + place * stride);
    if (places.size() > 1) box.sides.push_back(static_cast<int>(places.size()));
    in_box = std::move(grown);
    stride *= dimension.size;
  }
  if (in_box.size() != members.size()) return flat_box(topology, members);
  for (const int npu : in_box) box.ranks.push_back(rank_of.at(npu));
  return box;
}

}  // namespace

RingBox flat_box(const Topology& topology, const std::vector<NodeId>& members) {
  const int count = static_cast<int>(members.size());
  RingBox box{{count}, std::vector<int>(count)};
  std::iota(box.ranks.begin(), box.ranks.end(), 0);
  if (is_whole_grid(topology, members)) {
    const RingBox rows = rows_first_box(topology, members);
    box.ranks = mesh_ring(topology.grid.width, topology.grid.height);
    for (int& place : box.ranks) place = rows.ranks[place];
  }
  return box;
}

RingBox rectangle_box(const Topology& topology, const std::vector<NodeId>& members) {
  const std::optional<GridBox> grid = grid_box(topology, members);
  if (!grid || grid->width == 1 || grid->height == 1) return flat_box(topology, members);
  return {{grid->width, grid->height}, grid->ranks};
}

RingBox middle_first_box(const Topology& topology, const std::vector<NodeId>& members) {
  const int count = static_cast<int>(members.size());
  RingBox box{{count}, std::vector<int>(count)};
  std::iota(box.ranks.begin(), box.ranks.end(), 0);
  if (!topology.has_places()) return box;
  const auto distances = [&](int rank) {
    const MeshPosition a = mesh_position(topology.nodes[members[rank]].address);
    int max = 0;
    for (const NodeId other : members) {
      const MeshPosition b = mesh_position(topology.nodes[other].address);
      max = std::max(max, std::abs(a.x - b.x) + std::abs(a.y - b.y));
    }
    return max;
  };
  std::ranges::stable_sort(box.ranks, {}, distances);
  return box;
}

RingBox level_box(const Topology& topology, const std::vector<NodeId>& members) {
  if (!topology.has_levels()) return dimension_box(topology, members);
  const int count = static_cast<int>(members.size());
  int levels = 0;
  for (const Node& node : topology.nodes) levels = std::max(levels, node.level);
  // Units of a level: sets of members in order; at first each member is one.
  std::vector<std::vector<int>> units(static_cast<std::size_t>(count));
  for (int r = 0; r < count; ++r) units[r] = {r};
  RingBox box;
  for (int level = 1; level <= levels; ++level) {
    std::vector<std::vector<std::vector<int>>> groups;  // groups of units, in order of their first
                                                        // member
    std::map<NodeId, std::size_t> group_of;
    for (std::vector<int>& unit : units) {
      const NodeId parent = above(topology, members[unit.front()], level);
      const auto [at, added] = group_of.emplace(parent, groups.size());
      if (added) groups.emplace_back();
      groups[at->second].push_back(std::move(unit));
    }
    const std::size_t side = groups.front().size();
    if (!std::ranges::all_of(groups, [side](const auto& g) { return g.size() == side; }))
      return flat_box(topology, members);
    if (side > 1) box.sides.push_back(static_cast<int>(side));
    units.clear();
    for (const auto& group : groups) {
      std::vector<int>& unit = units.emplace_back();
      for (const auto& below : group) unit.insert(unit.end(), below.begin(), below.end());
    }
  }
  if (units.size() != 1) return flat_box(topology, members);
  box.ranks = std::move(units.front());
  return box;
}

std::string levels_refusal(const Topology& topology, const std::vector<NodeId>& members,
                           std::string_view algorithm, std::string_view instead) {
  if (level_box(topology, members).sides.size() > 1) return {};
  if (!topology.has_levels()) {
    return fmt::format(
        "{} on {} needs NPUs that fill a box of two dimensions or more, this group of {} does not; "
        "allowed: auto or {}",
        algorithm, topology.name, members.size(), instead);
  }
  return fmt::format(
      "{} on {} needs as many members, two or more, on each of two "
      "or more L1 switches, this group has {} members otherwise; allowed: auto or "
      "{}",
      algorithm, topology.name, members.size(), instead);
}

bool slow_uplinks(const Topology& topology) {
  const auto between = [&](const Link& link) {
    return topology.nodes[link.from].is_switch() && topology.nodes[link.to].is_switch();
  };
  const NodeId npu = topology.npus[static_cast<std::size_t>(npus_left(topology).front())];
  const Link& port = topology.first_link_out(npu);
  return std::ranges::any_of(topology.links, [&](const Link& link) {
    return between(link) && link.bytes_per_second < port.bytes_per_second;
  });
}

}  // namespace fredsim
