// SPDX-License-Identifier: Apache-2.0
// one_shot: every rank sends its whole vector to all other ranks and adds all vectors in the order
// of ranks, so that all ranks have the same sum, bit for bit. One latency in place of two, and N -
// 1 vectors into every rank in place of about two: libraries of collectives do so for small
//   sizes.
//
// Paths: the fastest by estimate (collective/plan_time.h), for the part alone, of
//   a star: unicasts between all pairs of ranks;
//   a star by levels, on a tree of switches or a box of several dimensions: to a rank in each line
//   of one dimension, which send on; combs, two per rank as an all-gather has them, for a group
//     that fills a rectangle of a grid (collective/detail/multi_tree.h). All ranks cut their
//     vectors alike. A flit that would be shared by both kinds of combs goes from cells of one
//     colour of a chessboard along rows, from cells of the other colour along columns.
//   With slices each has a share of the vector.
// Sums: N - 1 additions of the vector at every NPU, which take no time there, as in all algorithms
//   (npu/npu_reducer.h).
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"
#include "collective/detail/member_boxes.h"
#include "collective/detail/multi_tree.h"
#include "collective/detail/packed_trees.h"
#include "collective/plan_time.h"
#include "plan/link_walk.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

void add_stars(const EndpointPart& part, const RingBox& box) {
  std::vector<int> places(box.ranks.size());
  for (int place = 0; place < part.ranks(); ++place) places[box.ranks[place]] = place;
  const std::vector<FlitRange> slices = part.slices();
  for (int s = 0; s < std::ssize(slices); ++s) {
    const BoxTrees trees(part.builder(s), box, Roles::kFromRoot);
    part.add_sum_at_every_rank(slices[s],
                               [&](int rank) { return trees.tree(places[rank], slices[s]); });
  }
}

void add_combs(const EndpointPart& part, const GridBox& box) {
  const FlitRange whole = part.vector();
  const auto by_rows = [&](const FlitRange& range, const auto& has_row_spine) {
    part.add_sum_at_every_rank(range, [&](int rank) {
      const auto cell = static_cast<int>(std::ranges::find(box.ranks, rank) - box.ranks.begin());
      const int x = cell % box.width;
      const int y = cell / box.width;
      const bool is_odd = (x + y) % 2 != 0;
      return comb_tree(part.builder(0), box, {x, y, has_row_spine(is_odd), is_odd},
                       Roles::kFromRoot, range);
    });
  };
  const Rational share = comb_share(box, true);
  const std::uint64_t rest = whole.flits % share.den * share.num;
  const std::uint64_t rows = whole.flits / share.den * share.num + rest / share.den;
  const std::uint64_t mixed = rows + (rest % share.den != 0 ? 1 : 0);
  by_rows(part_of(whole, 0, rows), [](bool) { return true; });
  by_rows(part_of(whole, rows, mixed), [](bool is_odd) { return is_odd; });
  by_rows(part_of(whole, mixed, whole.flits), [](bool) { return false; });
}

// Cycles of a part that `add` plans, beside no other.
double cycles_of(const EndpointPart& part, const LinkWalk& walk, const auto& add) {
  Plan plan;
  plan.parts = part.plan().parts;
  add(EndpointPart(part.topology(), part.spec(), part.number(), plan));
  return estimated_cycles(part.topology(), plan, walk);
}

class OneShot final : public Algorithm {
 public:
  OneShot() : Algorithm("one_shot") {}
  std::string_view aliases() const override { return "oneshot flat"; }
  bool has(Collective collective) const override { return collective == Collective::kAllReduce; }
  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    const Topology& topology = part.topology();
    const Plan none;
    const LinkWalk walk(topology, none, routes_by_table(topology));
    std::vector<RingBox> boxes{middle_first_box(topology, part.members())};
    RingBox levels = level_box(topology, part.members());
    if (levels.sides.size() > 1) boxes.push_back(std::move(levels));
    // Estimated gains of levels up to 7 % are none (one byte, tori).
    constexpr double kClearly = 0.93;
    double best = std::numeric_limits<double>::infinity();
    RingBox box;
    for (RingBox& tried : boxes) {
      tried.shape = LineShape::kStar;
      const double cycles =
          cycles_of(part, walk, [&](const EndpointPart& of) { add_stars(of, tried); });
      if (cycles >= best * kClearly) continue;
      best = cycles;
      box = tried;
    }
    const std::optional<GridBox> grid = grid_box(topology, part.members());
    if (grid && grid_is_even(topology) &&
        cycles_of(part, walk, [&](const EndpointPart& of) { add_combs(of, *grid); }) < best) {
      add_combs(part, *grid);
    } else {
      add_stars(part, box);
    }
  }
  std::uint64_t trees(const Topology& topology, const CollectiveSpec& /*spec*/) const override {
    constexpr std::uint64_t kCombSums = 3;
    return topology.has_places() ? kCombSums
                                 : static_cast<std::uint64_t>(endpoint_slices(topology));
  }
  bool sends_whole_vectors() const override { return true; }
  bool has_packet_order(const Topology& /*topology*/, const Part& /*part*/) const override {
    return false;
  }
  Layout layout() const override { return Layout::kStar; }
};

}  // namespace

const Algorithm& one_shot_algorithm() {
  static const OneShot algorithm;
  return algorithm;
}

}  // namespace fredsim
