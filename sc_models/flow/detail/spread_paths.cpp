// SPDX-License-Identifier: Apache-2.0
#include "flow/detail/spread_paths.h"

#include <algorithm>

namespace fredsim {

SpreadPaths::SpreadPaths(const Topology& topology, const std::vector<double>& capacities)
    : topology_(topology),
      capacities_(capacities),
      out_(topology.nodes.size()),
      in_(topology.nodes.size()) {
  for (int link = 0; link < std::ssize(topology.links); ++link) {
    out_[topology.links[link].from].push_back(link);
    in_[topology.links[link].to].push_back(link);
  }
}

const SpreadPaths::ToOne& SpreadPaths::to_one(NodeId to) {
  const auto [at, is_new] = to_one_.try_emplace(to);
  ToOne& paths = at->second;
  if (!is_new) return paths;
  paths.links.assign(topology_.nodes.size(), kNone);
  paths.width.assign(topology_.nodes.size(), 0);
  paths.links[to] = 0;
  paths.width[to] = std::numeric_limits<double>::infinity();
  std::vector<NodeId> reached{to};  // nearest first
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const NodeId node = reached[next];
    if (node != to) {
      for (const int link : out_[node]) paths.width[node] += width_by(paths, node, link);
      if (topology_.nodes[node].is_endpoint()) continue;
    }
    for (const int link : in_[node]) {
      const NodeId from = topology_.links[link].from;
      if (paths.links[from] != kNone) continue;
      paths.links[from] = paths.links[node] + 1;
      reached.push_back(from);
    }
  }
  return paths;
}

// Width of the paths through a link; 0: the link is on no shortest path.
double SpreadPaths::width_by(const ToOne& paths, NodeId at, int link) const {
  const NodeId next = topology_.links[link].to;
  const bool goes_on = paths.links[next] == 0 || topology_.nodes[next].is_switch();
  if (!goes_on || paths.links[next] == kNone || paths.links[next] + 1 != paths.links[at]) return 0;
  return std::min(capacities_[link], paths.width[next]);
}

const std::vector<LinkUse>& SpreadPaths::hop(NodeId from, NodeId to) {
  const auto [at, is_new] = hops_.try_emplace({from, to});
  std::vector<LinkUse>& uses = at->second;
  if (!is_new || from == to) return uses;
  const ToOne& paths = to_one(to);
  if (paths.links[from] == kNone) return uses;
  std::map<NodeId, double> shares{{from, 1.0}};  // by node, all equally far from the end
  while (!shares.contains(to)) {
    std::map<NodeId, double> next;
    for (const auto& [node, share] : shares) {
      for (const int link : out_[node]) {
        const double part = share * width_by(paths, node, link) / paths.width[node];
        if (part <= 0) continue;
        uses.push_back({link, part});
        next[topology_.links[link].to] += part;
      }
    }
    shares = std::move(next);
  }
  std::ranges::sort(uses);
  return uses;
}

}  // namespace fredsim
