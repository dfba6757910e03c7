// SPDX-License-Identifier: Apache-2.0
// hier_ring: on a mesh the hierarchical 2D ring in both dimension orders (plan/mesh_rings.h), over
// the whole mesh. On a FRED tree rings inside the L1 switches, then across them, level by level,
// where every switch of a level holds as many members. Elsewhere dimension by dimension.
#include <fmt/format.h>

#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"
#include "collective/detail/member_boxes.h"
#include "plan/members.h"
#include "plan/mesh_rings.h"

namespace fredsim {
namespace {

class HierRing final : public Algorithm {
 public:
  HierRing() : Algorithm("hier_ring") {}
  std::string_view aliases() const override { return "hierarchical hierarchical_ring ring_2d"; }
  bool has(Collective collective) const override {
    return pattern_of(collective) == Pattern::kAllRanks;
  }
  bool is_papers(const Topology& /*topology*/, Collective /*collective*/) const override {
    return true;
  }
  std::string refusal(const Topology& topology, const Part& part) const override {
    if (!topology.has_places()) return levels_refusal(topology, part.members, name(), "ring");
    if (is_whole_grid(topology, part.members) && has_rows_and_columns(topology)) return {};
    return fmt::format(
        "hier_ring needs all {} NPUs of a mesh of more than one row and "
        "column, this group has {} on {} × {}; allowed: auto or ring",
        topology.npus.size(), part.members.size(), topology.grid.width, topology.grid.height);
  }
  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    if (is_whole_grid(part.topology(), part.members())) {
      plan_on_grid(part);
    } else {
      part.add_box(level_box(part.topology(), part.members()));
    }
  }
  // Rows first, and columns first.
  std::uint64_t trees(const Topology& topology, const CollectiveSpec& spec) const override {
    const bool both_ways =
        spec.group.size() == topology.npus.size() && has_rows_and_columns(topology);
    return Algorithm::trees(topology, spec) * (both_ways ? 2 : 1);
  }
  bool has_packet_order(const Topology& topology, const Part& part) const override {
    return Algorithm::has_packet_order(topology, part) || part.collective == Collective::kAllReduce;
  }

 private:
  static bool has_rows_and_columns(const Topology& topology) {
    return topology.grid.width > 1 && topology.grid.height > 1;
  }

  static void plan_on_grid(const EndpointPart& part) {
    const int width = part.topology().grid.width;
    const int height = part.topology().grid.height;
    const int ranks = part.ranks();
    const RingBox box = rows_first_box(part.topology(), part.members());
    const BoxTrees rows(part.builder(0), box, part.roles());
    const BoxTrees columns(part.builder(0), columns_first_box(part.topology(), part.members()),
                           part.roles());
    const auto rows_tree = [&](int cell, const FlitRange& range) {
      if (range.flits > 0) part.add(rows.tree(cell, range));
    };
    const auto columns_tree = [&](int cell, const FlitRange& range) {
      if (range.flits > 0)
        part.add(columns.tree(columns_first_position(width, height, cell), range));
    };
    if (part.shares_vector()) {
      const FlitRange whole = part.vector();
      const std::uint64_t split = rows_first_flits(width, height, whole.flits);
      for (int k = 0; k < ranks; ++k)
        rows_tree(diagonal_cell(width, height, k), share_of(part_of(whole, 0, split), ranks, k));
      // Half a round on: where one order has the owner of its few flits, the other has another.
      for (int k = 0; k < ranks; ++k)
        columns_tree(diagonal_cell(width, height, (k + ranks / 2) % ranks),
                     share_of(part_of(whole, split, whole.flits), ranks, k));
      return;
    }
    std::vector<int> cell_of(ranks);
    for (int cell = 0; cell < ranks; ++cell) cell_of[box.ranks[cell]] = cell;
    const std::vector<FlitRange> blocks = part.blocks();
    for (int k = 0; k < ranks; ++k) {
      const FlitRange& block = blocks[k];
      // Rounded along the vector, so that short blocks balance each other.
      const std::uint64_t split = rows_first_flits(width, height, block.first_flit + block.flits) -
                                  rows_first_flits(width, height, block.first_flit);
      rows_tree(cell_of[k], part_of(block, 0, split));
      columns_tree(cell_of[k], part_of(block, split, block.flits));
    }
  }
};

}  // namespace

const Algorithm& hier_ring_algorithm() {
  static const HierRing algorithm;
  return algorithm;
}

}  // namespace fredsim
