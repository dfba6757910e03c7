// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/packed_trees.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <set>

#include "collective/detail/hop_graph.h"
#include "plan/members.h"

namespace fredsim {
namespace {

constexpr double kLoadInHops = 3;  // extra length, in hops, of a path over links of a mean load
constexpr double kSame = 1e-9;     // tolerance for equal loads
// Limit in members for chains of exchanges; up to it every number of trees is tried, and trees are
// made shorter.
constexpr int kSmall = 64;
constexpr int kChain = 3;
// Minimum gain on the busiest link that justifies more trees.
constexpr double kWorthIt = 0.995;

// Lower bound on the busiest link's load for a vector of one flit: from the total capacity of all
// hops, and from the hops of each member.
double min_load(const HopGraph& graph) {
  double all = 0;
  std::vector<double> of_member(graph.size(), 0);
  for (const HopGraph::Hop& hop : graph.hops()) {
    const double slowest = graph.slowest(hop);
    all += slowest;
    of_member[hop.a] += slowest;
    of_member[hop.b] += slowest;
  }
  return std::max((graph.size() - 1) / all, 1 / std::ranges::min(of_member));
}

// Minimum load of the busiest link for this number of trees, of which it carries a whole number.
double reachable(const HopGraph& graph, int trees) {
  double min = std::numeric_limits<double>::infinity();
  std::set<double> rates;
  for (const HopGraph::Hop& hop : graph.hops())
    for (const int link : hop.links) rates.insert(graph.rate(link));
  for (const double rate : rates)
    min = std::min(min, std::ceil(min_load(graph) * trees * rate - kSame) / rate);
  return min;
}

using Hops = std::vector<int>;  // hops of a tree, by number

// Hops of a tree from `root` outwards, grouped by rank; the last one reaches the farthest rank.
std::vector<std::pair<int, int>> outwards(const HopGraph& graph, const Hops& tree, int root) {
  std::vector<std::vector<int>> joined(graph.size());
  for (const int hop : tree) {
    const HopGraph::Hop& ends = graph.hops()[hop];
    joined[ends.a].push_back(ends.b);
    joined[ends.b].push_back(ends.a);
  }
  std::vector<bool> seen(graph.size(), false);
  std::vector<int> next{root};
  seen[root] = true;
  std::vector<std::pair<int, int>> hops;
  for (std::size_t k = 0; k < next.size(); ++k) {
    for (const int to : joined[next[k]]) {
      if (seen[to]) continue;
      seen[to] = true;
      next.push_back(to);
      hops.emplace_back(next[k], to);
    }
  }
  return hops;
}

struct Rooted {
  PackedTree tree;
  int depth = 0;
};

Rooted rooted(const HopGraph& graph, const Hops& tree) {
  const int end = outwards(graph, tree, 0).back().second;
  const std::vector<std::pair<int, int>> from_end = outwards(graph, tree, end);
  std::vector<int> above(graph.size(), -1);
  for (const auto& [from, to] : from_end) above[to] = from;
  std::vector<int> path{from_end.back().second};
  while (path.back() != end) path.push_back(above[path.back()]);
  const int root = path[path.size() / 2];
  return {{root, outwards(graph, tree, root)}, static_cast<int>(path.size() / 2)};
}

// Links of the path from the root to the farthest rank, and to all of them.
std::pair<int, int> length_of(const HopGraph& graph, const Hops& tree) {
  const Rooted found = rooted(graph, tree);
  std::vector<int> far(graph.size(), 0);
  int all = 0;
  for (const auto& [above, below] : found.tree.hops) {
    far[below] = far[above] + 1;
    all += far[below];
  }
  return {std::ranges::max(far), all};
}

class Packing {
 public:
  Packing(const HopGraph& graph, int middle, int trees) : graph_(graph), loads_(graph.links(), 0) {
    for (int k = 0; k < trees; ++k) {
      trees_.push_back(grown(middle));
      for (const int hop : trees_.back()) load(hop, 1);
    }
    const double min = reachable(graph, trees) + kSame;
    while (max() > min && relieve()) {
    }
  }

  // Shorter trees of the same busiest load.
  void shorten() {
    if (graph_.size() > kSmall) return;
    const double worst = max();
    for (Hops& tree : trees_) {
      while (shorten(tree, worst)) {
      }
    }
  }

  const std::vector<Hops>& trees() const { return trees_; }
  // Load of the busiest link of a vector of one flit.
  double busiest() const { return max() / static_cast<double>(trees_.size()); }

 private:
  double load_of(int link, int more = 0) const { return (loads_[link] + more) / graph_.rate(link); }
  // Load of a hop's busiest link, with one tree more.
  double with_one_more(int hop) const {
    double max = 0;
    for (const int link : graph_.hops()[hop].links) max = std::max(max, load_of(link, 1));
    return max;
  }
  double max() const {
    double max = 0;
    for (int link = 0; link < std::ssize(loads_); ++link)
      if (loads_[link] > 0) max = std::max(max, load_of(link));
    return max;
  }
  void load(int hop, int trees) {
    for (const int link : graph_.hops()[hop].links) loads_[link] += trees;
  }

  // Short paths past loaded links.
  Hops grown(int middle) const {
    const int n = graph_.size();
    const double mean = static_cast<double>(trees_.size() + 1) * (n - 1) /
                        static_cast<double>(graph_.hops().size());
    std::vector<double> far(n, std::numeric_limits<double>::infinity());
    std::vector<int> by(n, -1);
    std::vector<bool> done(n, false);
    using Entry = std::pair<double, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    far[middle] = 0;
    queue.emplace(0, middle);
    Hops tree;
    while (!queue.empty()) {
      const int rank = queue.top().second;
      queue.pop();
      if (done[rank]) continue;
      done[rank] = true;
      if (by[rank] >= 0) tree.push_back(by[rank]);
      for (const int hop : graph_.at(rank)) {
        const int to = graph_.hops()[hop].other(rank);
        const double length = far[rank] + 1 + kLoadInHops * with_one_more(hop) / mean;
        if (done[to] || length >= far[to] - kSame) continue;
        far[to] = length;
        by[to] = hop;
        queue.emplace(length, to);
      }
    }
    return tree;
  }

  // Replaces one hop over a busiest link. False: no hop can be replaced.
  bool relieve() {
    const double worst = max();
    for (int link = 0; link < std::ssize(loads_); ++link) {
      if (loads_[link] == 0 || load_of(link) < worst - kSame) continue;
      return make_room(link, worst, graph_.size() <= kSmall ? kChain : 1);
    }
    return false;
  }

  // Takes a tree off a link, so that no other one gets `worst` or more: by one hop for another, or
  // up to `steps` of them, each from a link that the one before filled. False: nothing has changed.
  bool make_room(int link, double worst, int steps) {
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      for (const int hop : graph_.over(link)) {
        const auto found = std::ranges::find(trees_[t], hop);
        if (found != trees_[t].end() && gives_way(t, found - trees_[t].begin(), worst, steps))
          return true;
      }
    }
    return false;
  }

  bool gives_way(std::size_t t, std::size_t h, double worst, int steps) {
    const int gone = trees_[t][h];
    load(gone, -1);
    for (const auto& [busiest, other] : replacements(trees_[t], gone)) {
      const bool fits = busiest < worst - kSame;
      if (!fits && steps == 1) break;
      const auto before = fits ? std::vector<Hops>{} : trees_;
      const auto loads_before = fits ? std::vector<int>{} : loads_;
      trees_[t][h] = other;
      load(other, 1);
      if (fits || std::ranges::all_of(graph_.hops()[other].links, [&](int link) {
            return load_of(link) < worst - kSame || make_room(link, worst, steps - 1);
          }))
        return true;
      trees_ = before;
      loads_ = loads_before;
    }
    load(gone, 1);
    return false;
  }

  // Replaces one hop by another that shortens the tree's longest path, or keeps its length and
  // shortens the sum of all paths from its middle.
  bool shorten(Hops& tree, double worst) {
    const std::pair<int, int> before = length_of(graph_, tree);
    for (int& hop : tree) {
      const int gone = hop;
      load(gone, -1);
      for (const auto& [busiest, other] : replacements(tree, gone)) {
        if (busiest > worst + kSame) break;
        hop = other;
        if (length_of(graph_, tree) >= before) continue;
        load(other, 1);
        return true;
      }
      hop = gone;
      load(gone, 1);
    }
    return false;
  }

  // Hops that reconnect a tree without its hop `gone`, each with the load of its busiest link,
  // smallest load first.
  std::vector<std::pair<double, int>> replacements(const Hops& tree, int gone) const {
    // Each rank's part of the tree, by a rank of it.
    std::vector<int> part(graph_.size());
    std::iota(part.begin(), part.end(), 0);
    const auto part_of = [&](int rank) {
      while (part[rank] != rank) rank = part[rank] = part[part[rank]];
      return rank;
    };
    for (const int hop : tree)
      if (hop != gone) part[part_of(graph_.hops()[hop].a)] = part_of(graph_.hops()[hop].b);
    std::vector<std::pair<double, int>> found;
    for (int hop = 0; hop < std::ssize(graph_.hops()); ++hop) {
      const HopGraph::Hop& ends = graph_.hops()[hop];
      if (hop != gone && part_of(ends.a) != part_of(ends.b))
        found.emplace_back(with_one_more(hop), hop);
    }
    std::ranges::sort(found);
    return found;
  }

  const HopGraph& graph_;
  std::vector<Hops> trees_;
  std::vector<int> loads_;  // trees, by link of the topology
};

}  // namespace

bool grid_is_even(const Topology& topology) {
  std::optional<Rational> between_routers;
  std::optional<Rational> to_npu;
  for (const Link& link : topology.links) {
    const Node& from = topology.nodes[link.from];
    const Node& to = topology.nodes[link.to];
    if (from.kind == NodeKind::kIo || to.kind == NodeKind::kIo) continue;
    auto& rate = from.is_switch() && to.is_switch() ? between_routers : to_npu;
    if (rate && *rate != link.rate) return false;
    rate = link.rate;
  }
  for (const Node& node : topology.nodes)
    if (node.is_switch() && node.mesh.no_link != 0) return false;
  return true;
}

bool can_pack_trees(const Topology& topology, const std::vector<NodeId>& members) {
  return are_on_grid(topology, members) && HopGraph(topology, members).reach(0).has_value();
}

std::vector<PackedTree> packed_trees(const Topology& topology, const std::vector<NodeId>& members) {
  const HopGraph graph(topology, members);
  int middle = 0;
  for (int rank = 1; rank < graph.size(); ++rank)
    if (*graph.reach(rank) < *graph.reach(middle)) middle = rank;
  std::optional<Packing> best;
  const bool is_small = graph.size() <= kSmall;
  for (int trees = 1; trees <= kMaxPackedTrees; trees = is_small ? trees + 1 : 2 * trees) {
    const double enough = best ? best->busiest() * kWorthIt : 0;
    if (best && reachable(graph, trees) / trees > enough) continue;
    Packing packing(graph, middle, trees);
    if (!best || packing.busiest() < enough) best.emplace(std::move(packing));
  }
  best->shorten();
  std::vector<Rooted> trees;
  trees.reserve(best->trees().size());
  for (const Hops& tree : best->trees()) trees.push_back(rooted(graph, tree));
  std::ranges::stable_sort(trees, {}, &Rooted::depth);
  std::vector<PackedTree> packed;
  packed.reserve(trees.size());
  for (Rooted& one : trees) packed.push_back(std::move(one.tree));
  return packed;
}

}  // namespace fredsim
