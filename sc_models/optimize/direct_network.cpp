// SPDX-License-Identifier: Apache-2.0
#include "optimize/direct_network.h"

#include <algorithm>
#include <set>
#include <utility>

namespace fredsim {
namespace {

using NodePath = std::vector<int>;  // nodes, both ends among them

// Shortest path that avoids some nodes and some next hops of its first node; empty: none. Ties: the
// first by node numbers.
class PathFinder {
 public:
  explicit PathFinder(const DirectNetwork& network)
      : network_(network), into_(static_cast<std::size_t>(network.nodes())), left_(into_.size()) {
    for (const DirectLink& link : network.links()) into_[link.to].push_back(link.from);
  }

  NodePath find(int from, int to, const std::vector<bool>& is_closed,
                const std::set<int>& closed_next) {
    // Hops to the end, breadth first against the links.
    std::ranges::fill(left_, -1);
    std::vector<int> reached{to};
    left_[to] = 0;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      for (const int node : into_[reached[next]]) {
        if (node == from || is_closed[node] || left_[node] >= 0) continue;
        left_[node] = left_[reached[next]] + 1;
        reached.push_back(node);
      }
    }
    NodePath path{from};
    while (path.back() != to) {
      int best = -1;
      for (const int link : network_.out(path.back())) {
        const int node = network_.links()[link].to;
        if (left_[node] < 0 || (path.size() == 1 && closed_next.contains(node))) continue;
        if (best < 0 || std::pair(left_[node], node) < std::pair(left_[best], best)) best = node;
      }
      if (best < 0) return {};
      path.push_back(best);
    }
    return path;
  }

 private:
  const DirectNetwork& network_;
  std::vector<std::vector<int>> into_;
  std::vector<int> left_;
};

}  // namespace

int DirectNetwork::add(int from, int to) {
  if (const int known = link(from, to); known >= 0) {
    ++links_[known].count;
    return known;
  }
  links_.push_back({from, to, 1});
  out_[from].push_back(static_cast<int>(links_.size()) - 1);
  return out_[from].back();
}

int DirectNetwork::link(int from, int to) const {
  for (const int number : out_[from])
    if (links_[number].to == to) return number;
  return -1;
}

std::vector<int> DirectNetwork::distances(int from) const {
  std::vector<int> distance(out_.size(), -1);
  std::vector<int> reached{from};
  distance[from] = 0;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (const int number : out_[reached[next]]) {
      const int to = links_[number].to;
      if (distance[to] >= 0) continue;
      distance[to] = distance[reached[next]] + 1;
      reached.push_back(to);
    }
  }
  return distance;
}

int DirectNetwork::diameter() const {
  int longest = 0;
  for (int node = 0; node < nodes(); ++node) {
    for (const int distance : distances(node)) {
      if (distance < 0) return -1;
      longest = std::max(longest, distance);
    }
  }
  return longest;
}

bool DirectNetwork::joins_all() const {
  DirectNetwork back(nodes());
  for (const DirectLink& link : links_) back.add(link.to, link.from);
  const auto is_reached = [](int distance) { return distance >= 0; };
  return std::ranges::all_of(distances(0), is_reached) &&
         std::ranges::all_of(back.distances(0), is_reached);
}

int DirectNetwork::interfaces(int node) const {
  int leaving = 0, entering = 0;
  for (const DirectLink& link : links_) {
    leaving += link.from == node ? link.count : 0;
    entering += link.to == node ? link.count : 0;
  }
  return std::max(leaving, entering);
}

std::vector<std::vector<int>> shortest_paths(const DirectNetwork& network, int from, int to,
                                             int count) {
  PathFinder finder(network);
  std::vector<NodePath> found;
  std::set<std::pair<std::size_t, NodePath>> candidates;
  const std::vector<bool> all_open(static_cast<std::size_t>(network.nodes()));
  if (NodePath first = finder.find(from, to, all_open, {}); !first.empty())
    candidates.emplace(first.size(), std::move(first));
  while (!candidates.empty() && std::ssize(found) < count) {
    found.push_back(candidates.extract(candidates.begin()).value().second);
    const NodePath& last = found.back();
    if (std::ssize(found) == count) break;
    std::vector<bool> is_closed = all_open;
    for (std::size_t spur = 0; spur + 1 < last.size(); ++spur) {
      std::set<int> closed_next;
      for (const NodePath& path : found)
        if (path.size() > spur + 1 &&
            std::equal(path.begin(), path.begin() + spur + 1, last.begin()))
          closed_next.insert(path[spur + 1]);
      const NodePath rest = finder.find(last[spur], to, is_closed, closed_next);
      is_closed[last[spur]] = true;
      if (rest.empty()) continue;
      NodePath whole(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(spur));
      whole.insert(whole.end(), rest.begin(), rest.end());
      candidates.emplace(whole.size(), std::move(whole));
    }
  }
  std::vector<std::vector<int>> paths;
  for (const NodePath& path : found) {
    paths.emplace_back();
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
      paths.back().push_back(network.link(path[i], path[i + 1]));
  }
  return paths;
}

}  // namespace fredsim
