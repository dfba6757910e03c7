// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/detour_trees.h"

#include <algorithm>
#include <map>
#include <set>

namespace fredsim {
namespace {

constexpr double kNothing = 1e-6;  // share of the vector

using Neighbours = std::map<int, std::vector<int>>;

// Hops by breadth from the root outwards, without ends that are no members.
std::vector<std::pair<int, int>> outwards(const Neighbours& joined, int root,
                                          const std::vector<int>& members) {
  std::vector<std::pair<int, int>> hops;
  std::set<int> seen{root};
  std::vector<int> next{root};
  for (std::size_t k = 0; k < next.size(); ++k) {
    const int above = next[k];
    for (const int below : joined.at(above)) {
      if (!seen.insert(below).second) continue;
      hops.emplace_back(above, below);
      next.push_back(below);
    }
  }
  std::set<int> needed(members.begin(), members.end());
  for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop)
    if (needed.contains(hop->second)) needed.insert(hop->first);
  std::erase_if(hops, [&](const auto& hop) { return !needed.contains(hop.second); });
  return hops;
}

int depth(const std::vector<std::pair<int, int>>& hops) {
  std::map<int, int> far;
  int max = 0;
  for (const auto& [above, below] : hops) max = std::max(max, far[below] = far[above] + 1);
  return max;
}

class TreeCutter {
 public:
  TreeCutter(const DetourGroup& group, const DetourGroupFlow& flow)
      : group_(group), left_(flow.paths) {
    for (const DetourGroupFlow::WeightedTree& tree : flow.trees) cut(tree);
  }
  std::vector<DetourTree> take() { return std::move(trees_); }

 private:
  void cut(const DetourGroupFlow::WeightedTree& tree) {
    const double nothing = kNothing * group_.flits;
    for (double left = tree.flits; left > nothing;) {
      std::vector<DetourPath*> paths;
      std::set<int> passed;
      double flits = left;
      for (const auto& [low, high] : tree.pairs) {
        DetourPath* const path = best(left_[low * group_.members.size() + high], passed);
        if (path == nullptr) return;
        passed.insert(path->ranks.begin() + 1, path->ranks.end() - 1);
        paths.push_back(path);
        flits = std::min(flits, path->flits);
      }
      add(paths, flits);
      left -= flits;
      for (DetourPath* const path : paths) path->flits -= flits;
    }
  }

  // Path with the most flits left, preferably disjoint from all other paths of the tree.
  DetourPath* best(std::vector<DetourPath>& paths, const std::set<int>& passed) const {
    DetourPath* best = nullptr;
    bool best_crosses = true;
    for (DetourPath& path : paths) {
      if (path.flits <= kNothing * group_.flits) continue;
      const bool crosses =
          std::ranges::any_of(path.ranks, [&](int r) { return passed.contains(r); });
      if (best != nullptr &&
          (crosses > best_crosses || (crosses == best_crosses && path.flits <= best->flits)))
        continue;
      best = &path;
      best_crosses = crosses;
    }
    return best;
  }

  void add(const std::vector<DetourPath*>& paths, double flits) {
    Neighbours joined;
    for (const DetourPath* path : paths) {
      for (std::size_t k = 1; k < path->ranks.size(); ++k) {
        joined[path->ranks[k - 1]].push_back(path->ranks[k]);
        joined[path->ranks[k]].push_back(path->ranks[k - 1]);
      }
    }
    // Members first, each in turn, so that they take the sums of as many trees where NPUs outside
    // are no nearer.
    std::vector<int> roots = group_.members;
    std::ranges::rotate(roots,
                        roots.begin() + static_cast<std::ptrdiff_t>(trees_.size() % roots.size()));
    for (const auto& [rank, others] : joined)
      if (std::ranges::find(group_.members, rank) == group_.members.end()) roots.push_back(rank);
    DetourTree best;
    int best_depth = 0;
    for (const int root : roots) {
      DetourTree tree{root, outwards(joined, root, group_.members), flits};
      const int deep = depth(tree.hops);
      if (!best.hops.empty() && deep >= best_depth) continue;
      best = std::move(tree);
      best_depth = deep;
    }
    trees_.push_back(std::move(best));
  }

  const DetourGroup& group_;
  std::vector<std::vector<DetourPath>> left_;
  std::vector<DetourTree> trees_;
};

}  // namespace

std::vector<DetourTree> detour_trees(const DetourGroup& group, const DetourGroupFlow& flow) {
  return TreeCutter(group, flow).take();
}

}  // namespace fredsim
