// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/streams.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "collective/detail/edge_tree.h"
#include "collective/detail/port_balance.h"
#include "collective/detail/slice_shares.h"
#include "collective/endpoint_trees.h"
#include "plan/channels.h"
#include "plan/link_load.h"
#include "plan/link_walk.h"
#include "plan/split.h"

namespace fredsim {
namespace {

// Packets in flight per block: as for a chain. Fewer on a mesh whose links carry weights and
// gradients: weights must not fill the queues of NPUs ahead of gradients with an equally long path
// (0.400 of the controllers' rate in place of 0.365, measured).
struct Window {
  int min = 0, per_rank = 0;
};
constexpr Window kAlone{64, 32};
constexpr Window kBothWays{16, 3};
// Number of rounds over all corners; exponent of loads; tolerance for equal doubles.
constexpr int kCornerRounds = 8;
constexpr double kSharpness = 32;
constexpr double kTolerance = 1e-6;

// Edge trees by root; empty if any root has none.
std::optional<std::vector<EdgeTree>> edge_trees(const Topology& topology, const Part& part) {
  std::vector<EdgeTree> trees;
  for (int k = 0; k < part.roots; ++k) {
    std::optional<EdgeTree> tree = edge_tree_of(topology, part, k, part.roots);
    if (!tree) return {};
    trees.push_back(std::move(*tree));
  }
  return trees;
}

class Streams {
 public:
  Streams(const Topology& topology, int part, Plan& plan)
      : topology_(topology), number_(part), plan_(plan), part_(plan.parts[part]) {}

  void add_edges() {
    std::vector<EdgeTree> edges = *edge_trees(topology_, part_);
    set_window(goes_both_ways() ? kBothWays : kAlone);
    const std::vector<FlitRange> blocks = blocks_of_roots();
    std::vector<Tree> trees;
    for (int k = 0; k < part_.roots; ++k) trees.push_back(tree_of(edges[k], k, blocks[k]));
    turn_some(edges, blocks, trees);
    std::erase_if(trees, [](const Tree& tree) { return tree.flits == 0; });
    add(std::move(trees));
  }

  void add_chains() {
    set_window(kAlone);
    add(chains(blocks_of_roots()));
  }

 private:
  void set_window(const Window& window) {
    part_.window =
        window.min + window.per_rank * static_cast<int>(part_.members.size() - part_.roots);
  }

  std::vector<FlitRange> blocks_of_roots() const {
    return padded_blocks(block_sizes(part_.bytes, part_.roots));
  }

  void add(std::vector<Tree> trees) {
    part_last_hops(trees);
    std::ranges::move(trees, std::back_inserter(plan_.trees));
  }

  Roles roles() const {
    return part_.collective == Collective::kReduce ? Roles::kToRoot : Roles::kToOthers;
  }

  // Streams in the other direction are planned, too.
  bool goes_both_ways() const {
    return std::ranges::any_of(plan_.parts, [&](const Part& other) {
      return other.roots > 0 && other.collective != part_.collective;
    });
  }

  // Data channels that no other part's priority takes and that are not this part's, highest first.
  std::vector<int> other_channels() const {
    std::vector<int> channels = channels_of(topology_, plan_, number_);
    std::erase(channels, part_.vc);
    return channels;
  }

  Tree tree_of(const EdgeTree& edge, int root, const FlitRange& block) const {
    return edge_tree({topology_, plan_, number_, 0}, edge, roles(), root, block, part_.roots);
  }

  // Two controllers of a corner enter at NIC ports of its NPU that other trees may fill
  // (mesh_pkg::npu_port). Corner controllers therefore take the other line first where that lowers
  // the load of the busiest links.
  void turn_some(std::vector<EdgeTree>& edges, const std::vector<FlitRange>& blocks,
                 std::vector<Tree>& trees) const {
    const LinkWalk walk(topology_, plan_, false);
    std::vector<double> loads(topology_.links.size());  // ns
    const auto put = [&](const Tree& tree, double sign) {
      walk.walk(tree, [&](int link) {
        loads[link] += sign * flits_ns(topology_.links[link], tree.flits);
      });
    };
    // Dominated by the busiest, but less of them is less.
    const auto weight = [&] {
      const double max = std::ranges::max(loads);
      double sum = 0;
      for (const double load : loads) sum += std::pow(load / max, kSharpness);
      return std::pair(max, sum);
    };
    for (const Tree& tree : trees) put(tree, 1);
    const auto turn = [&](int k) {
      const auto before = weight();
      EdgeTree turned = edges[k];
      turned.comb.row_spine = !turned.comb.row_spine;
      Tree tree = tree_of(turned, k, blocks[k]);
      put(trees[k], -1);
      put(tree, 1);
      const auto after = weight();
      const bool is_better = after.first < before.first * (1 - kTolerance) ||
                             (after.first < before.first * (1 + kTolerance) &&
                              after.second < before.second - kTolerance);
      if (is_better) {
        trees[k] = std::move(tree);
        edges[k] = std::move(turned);
      } else {
        put(tree, -1);
        put(trees[k], 1);
      }
      return is_better;
    };
    bool some = true;
    for (int round = 0; some && round < kCornerRounds; ++round) {
      some = false;
      for (int k = part_.roots - 1; k >= 0; --k)
        if (trees[k].flits > 0 && is_at_corner(k) && turn(k)) some = true;
    }
  }

  // Its router has another controller.
  bool is_at_corner(int root) const {
    return std::ranges::count_if(topology_.io_controllers, [&](NodeId other) {
             return !topology_.nodes[other].failed &&
                    topology_.nodes[other].above == switch_of(root);
           }) > 1;
  }

  // Sums wait for a controller's slow link: on a free virtual channel of their own they do not
  // block sums of other controllers behind them.
  void part_last_hops(std::vector<Tree>& trees) const {
    const std::vector<int> others = other_channels();
    if (others.empty() || !reduces(roles())) return;
    for (Tree& tree : trees)
      for (TreeRank& rank : tree.ranks)
        for (Send& send : rank.reduce_to)
          if (send.rank < part_.roots) send.vc = others.front();
  }

  // Sums beside weights in an input buffer block each other: sums have their own virtual channel
  // where one is free beside the channel of the last hops.
  int channel_of_chains() const {
    const std::vector<int> others = other_channels();
    return topology_.has_slices() && reduces(roles()) && others.size() > 1 ? others.back()
                                                                           : part_.vc;
  }

  std::vector<Tree> chains(const std::vector<FlitRange>& blocks) const {
    const int slices = slice_cuts(topology_, blocks.size(), blocks.back().flits);
    const SliceShares shares(slices);
    const int vc = channel_of_chains();
    std::vector<std::vector<int>> rings;
    rings.reserve(static_cast<std::size_t>(part_.roots));
    std::map<NodeId, int> before;  // roots, by switch
    for (int k = 0; k < part_.roots; ++k) rings.push_back(ring_of(k, before[switch_of(k)]++));
    std::vector<Tree> trees;
    for (int slice = 0; slice < slices; ++slice) {
      for (int k = 0; k < part_.roots; ++k) {
        const FlitRange range = shares.of(blocks[k], slice, k);
        if (range.flits == 0) continue;
        trees.push_back(chain_tree({topology_, plan_, number_, slice}, rings[k], k, true, roles(),
                                   range, vc, part_.roots));
      }
    }
    return trees;
  }

  NodeId switch_of(int rank) const { return topology_.nodes[part_.members[rank]].above; }

  // Root, followed by all ranks that are not roots, starting at number `skipped` of the ranks on
  // its switch, or, if there are none, at evenly spaced ranks.
  std::vector<int> ring_of(int root, int skipped) const {
    const int others = static_cast<int>(part_.members.size()) - part_.roots;
    std::vector<int> near;
    for (int i = 0; i < others; ++i)
      if (switch_of(part_.roots + i) == switch_of(root)) near.push_back(i);
    const int first = near.empty() ? root * others / part_.roots
                                   : near[static_cast<std::size_t>(skipped) % near.size()];
    std::vector<int> ring{root};
    for (int i = 0; i < others; ++i) ring.push_back(part_.roots + (first + i) % others);
    return ring;
  }

  const Topology& topology_;
  int number_;
  Plan& plan_;
  Part& part_;
};

}  // namespace

bool has_edge_streams(const Topology& topology, const Part& part) {
  return edge_trees(topology, part).has_value();
}

void add_edge_streams(const Topology& topology, int part, Plan& plan) {
  Streams(topology, part, plan).add_edges();
}

void add_chain_streams(const Topology& topology, int part, Plan& plan) {
  Streams(topology, part, plan).add_chains();
}

}  // namespace fredsim
