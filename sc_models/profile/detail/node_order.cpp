// SPDX-License-Identifier: Apache-2.0
#include "profile/detail/node_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"

namespace fredsim {
namespace {

constexpr int kNoPlace = -1;

}  // namespace

void sort_nodes(ProfileGraph& graph, const std::string& path) {
  const std::size_t count = graph.nodes.size();
  std::vector<int> lacks(count, 0);
  std::vector<std::vector<int>> next(count);
  for (std::size_t n = 0; n < count; ++n)
    for (const ProfiledNode::After& after : graph.nodes[n].after) {
      ++lacks[n];
      next[static_cast<std::size_t>(after.node)].push_back(static_cast<int>(n));
    }
  const auto key = [&](int n) {
    return std::pair(graph.nodes[static_cast<std::size_t>(n)].begin, n);
  };
  std::set<std::pair<Kineto::Ps, int>> ready;
  for (std::size_t n = 0; n < count; ++n)
    if (lacks[n] == 0) ready.insert(key(static_cast<int>(n)));
  std::vector<int> place(count, kNoPlace);
  std::vector<ProfiledNode> sorted;
  sorted.reserve(count);
  while (!ready.empty()) {
    const int n = ready.begin()->second;
    ready.erase(ready.begin());
    place[static_cast<std::size_t>(n)] = static_cast<int>(sorted.size());
    for (const int other : next[static_cast<std::size_t>(n)])
      if (--lacks[static_cast<std::size_t>(other)] == 0) ready.insert(key(other));
    sorted.push_back(std::move(graph.nodes[static_cast<std::size_t>(n)]));
  }
  if (sorted.size() != count) {
    const auto stuck = std::ranges::find_if(place, [](int at) { return at < 0; }) - place.begin();
    throw BadInput(fmt::format("{}: circular dependencies between {} operations, of {}", path,
                               count - sorted.size(),
                               graph.nodes[static_cast<std::size_t>(stuck)].node.name));
  }
  for (ProfiledNode& node : sorted)
    for (ProfiledNode::After& after : node.after)
      after.node = place[static_cast<std::size_t>(after.node)];
  graph.nodes = std::move(sorted);
}

void reduce_dependencies(ProfileGraph& graph) {
  const std::size_t lanes = graph.lanes.size();
  std::vector<int> reach(graph.nodes.size() * lanes, kNoPlace);  // by node: last one on each lane
  const auto at = [&](int node) {
    return reach.begin() + static_cast<std::ptrdiff_t>(lanes) * node;
  };
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    ProfiledNode& node = graph.nodes[n];
    std::set<int> direct;
    for (const ProfiledNode::After& after : node.after) direct.insert(after.node);
    for (const int one : direct) {
      const int lane = graph.nodes[static_cast<std::size_t>(one)].lane;
      const bool is_implied = std::ranges::any_of(
          direct, [&](int other) { return other != one && at(other)[lane] >= one; });
      if (!is_implied) node.node.after.push_back(static_cast<std::uint64_t>(one));
    }
    const auto own = at(static_cast<int>(n));
    for (const int one : direct)
      for (std::size_t l = 0; l < lanes; ++l)
        own[static_cast<std::ptrdiff_t>(l)] =
            std::max(own[static_cast<std::ptrdiff_t>(l)], at(one)[static_cast<std::ptrdiff_t>(l)]);
    own[node.lane] = static_cast<int>(n);
    node.node.id = n;
  }
}

}  // namespace fredsim
