// SPDX-License-Identifier: Apache-2.0
// multi_tree: combs over a group that fills a rectangle of a grid (collective/detail/multi_tree.h),
// or spanning trees packed on the links between NPUs next to each other
// (collective/detail/packed_trees.h).
#include "collective/detail/multi_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/member.h"
#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"
#include "collective/detail/packed_trees.h"
#include "plan/members.h"

namespace fredsim {
namespace {

constexpr int kTreeWindow = 96;

class MultiTree final : public Algorithm {
 public:
  MultiTree() : Algorithm("multi_tree", &Topology::has_places) {}
  std::string_view aliases() const override { return "forest"; }
  bool has(Collective collective) const override {
    return pattern_of(collective) != Pattern::kPairs;
  }
  bool may_fit(const Topology& topology, const CollectiveSpec& spec) const override {
    return Algorithm::may_fit(topology, spec) && std::ranges::none_of(spec.group, is_io_member) &&
           (pattern_of(spec.collective) == Pattern::kAllRanks || !topology.has_rings());
  }
  std::string refusal(const Topology& topology, const Part& part) const override {
    if (fits(topology, part)) return {};
    return fmt::format(
        "multi_tree needs a group that fills a rectangle of a mesh, or of a "
        "torus if the collective has no root, or, for an all_reduce, NPUs next to each other, "
        "{} of this group of {} on {} is not that; allowed: {}",
        to_string(part.collective), part.members.size(), topology.name,
        allowed_algorithms(part.collective));
  }
  int window(const Topology& topology, const Part& part) const override {
    return pattern_of(part.collective) == Pattern::kAllRanks ? kTreeWindow
                                                             : Algorithm::window(topology, part);
  }
  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    const std::optional<GridBox> box = grid_box(part.topology(), part.members());
    if (takes_packed_trees(part.topology(), part.part().collective, box)) {
      add_packed(part);
    } else if (part.pattern() == Pattern::kOneRoot) {
      const auto cell = std::ranges::find(box->ranks, part.part().root) - box->ranks.begin();
      add_both_combs(part, *box, static_cast<int>(cell), part.vector());
    } else {
      add_combs(part, *box);
    }
  }
  std::uint64_t trees(const Topology& topology, const CollectiveSpec& spec) const override {
    if (!exists_on(topology) || pattern_of(spec.collective) == Pattern::kOneRoot)
      return Algorithm::trees(topology, spec);
    const std::optional<GridBox> box = box_of(topology, spec);
    if (spec.collective == Collective::kAllReduce && box && grid_is_even(topology))
      return all_reduce_combs(*box).size();
    const bool both_ways = box && box->width > 1 && box->height > 1;
    const std::uint64_t trees = Algorithm::trees(topology, spec) * (both_ways ? 2 : 1);
    return spec.collective == Collective::kAllReduce
               ? std::max<std::uint64_t>(trees, kMaxPackedTrees)
               : trees;
  }
  bool is_weighed_at_any_size() const override { return true; }
  Layout layout() const override { return Layout::kBox; }

 private:
  static bool fits(const Topology& topology, const Part& part) {
    const std::optional<GridBox> box = grid_box(topology, part.members);
    const bool rings = box && (box->ring_x || box->ring_y);
    if (takes_packed_trees(topology, part.collective, box))
      return can_pack_trees(topology, part.members);
    // From or to one root on a torus: measured, slower than a chain or a tree.
    return box && (pattern_of(part.collective) == Pattern::kAllRanks || !rings);
  }

  // Combs are for rectangles on links of one rate.
  static bool takes_packed_trees(const Topology& topology, Collective collective,
                                 const std::optional<GridBox>& box) {
    return collective == Collective::kAllReduce && !(box && grid_is_even(topology));
  }

  static std::optional<GridBox> box_of(const Topology& topology, const CollectiveSpec& spec) {
    try {
      return grid_box(topology, members_of(topology, spec.group));
    } catch (const BadInput&) {
      return {};  // refused when it is planned
    }
  }

  static void add_combs(const EndpointPart& part, const GridBox& box) {
    if (part.shares_vector()) {
      const FlitRange whole = part.vector();
      const std::vector<WeightedComb> combs = all_reduce_combs(box);
      const std::vector<std::uint64_t> flits = comb_flits(combs, whole.flits);
      std::uint64_t begin = 0;
      for (std::size_t k = 0; k < combs.size(); ++k) {
        add_comb_tree(part, box, combs[k].comb, part_of(whole, begin, begin + flits[k]));
        begin += flits[k];
      }
      return;
    }
    const std::vector<FlitRange> blocks = part.blocks();
    for (int cell = 0; cell < part.ranks(); ++cell)
      add_both_combs(part, box, cell, blocks[box.ranks[cell]]);
  }

  // Shares of the vector by tree, the longer ones over the shorter trees.
  static void add_packed(const EndpointPart& part) {
    const FlitRange whole = part.vector();
    const std::vector<PackedTree> trees = packed_trees(part.topology(), part.members());
    const std::uint64_t each = whole.flits / trees.size();
    const std::uint64_t longer = whole.flits % trees.size();
    std::uint64_t begin = 0;
    for (std::size_t k = 0; k < trees.size(); ++k) {
      const std::uint64_t end = begin + each + (k < longer ? 1 : 0);
      if (end == begin) return;
      TreeBuilder tree = part.builder(0);
      for (const auto& [above, below] : trees[k].hops) {
        tree.reduce(below, above, tree.vc());
        tree.pass_on(above, below, tree.vc());
      }
      part.add(tree.finish(part.roles(), trees[k].root, part_of(whole, begin, end)));
      begin = end;
    }
  }

  // Two combs with their root in a cell, each for its share of the data.
  static void add_both_combs(const EndpointPart& part, const GridBox& box, int cell,
                             const FlitRange& range) {
    const int x = cell % box.width;
    const int y = cell / box.width;
    const bool odd = (x + y) % 2 != 0;
    const Comb rows{x, y, true, odd};
    const Comb columns{x, y, false, odd};
    const Rational share = comb_share(box, true);
    // Rounded along the vector, so that short blocks balance each other.
    const auto by_rows = [&](std::uint64_t flits) {
      return flits / share.den * share.num +
             (flits % share.den * share.num + share.den / 2) / share.den;
    };
    const std::uint64_t split = by_rows(range.first_flit + range.flits) - by_rows(range.first_flit);
    add_comb_tree(part, box, rows, part_of(range, 0, split));
    add_comb_tree(part, box, columns, part_of(range, split, range.flits));
  }

  static void add_comb_tree(const EndpointPart& part, const GridBox& box, const Comb& comb,
                            const FlitRange& range) {
    if (range.flits > 0) part.add(comb_tree(part.builder(0), box, comb, part.roles(), range));
  }
};

}  // namespace

const Algorithm& multi_tree_algorithm() {
  static const MultiTree algorithm;
  return algorithm;
}

}  // namespace fredsim
