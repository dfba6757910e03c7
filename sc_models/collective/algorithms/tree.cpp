// SPDX-License-Identifier: Apache-2.0
// tree: binary trees, by levels of a FRED tree or rows and columns of a grid where the group has
// them; every rank owns as much as any other.
#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"
#include "collective/detail/member_boxes.h"

namespace fredsim {
namespace {

class BinaryTree final : public Algorithm {
 public:
  BinaryTree() : Algorithm("tree") {}
  std::string_view aliases() const override { return "double_binary_tree binary_tree dbt btree"; }
  bool has(Collective collective) const override {
    return pattern_of(collective) != Pattern::kPairs;
  }
  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    const Topology& topology = part.topology();
    RingBox box = topology.has_places() ? rectangle_box(topology, part.members())
                                        : level_box(topology, part.members());
    box.shape = LineShape::kBinaryTree;
    part.add_box(box);
  }
  Layout layout() const override { return Layout::kStar; }
};

}  // namespace

const Algorithm& tree_algorithm() {
  static const BinaryTree algorithm;
  return algorithm;
}

}  // namespace fredsim
