// SPDX-License-Identifier: Apache-2.0
// hier_direct: `direct` level by level of a FRED tree, inside the L1 switches and then across them,
// where every switch of a level holds as many members.
#include <fmt/format.h>

#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"
#include "collective/detail/member_boxes.h"

namespace fredsim {
namespace {

class HierDirect final : public Algorithm {
 public:
  HierDirect() : Algorithm("hier_direct") {}
  std::string_view aliases() const override { return "hierarchical_direct nvls_tree"; }
  bool has(Collective collective) const override {
    return pattern_of(collective) != Pattern::kPairs;
  }
  bool exists_on(const Topology& topology) const override { return !topology.has_places(); }
  std::string refusal(const Topology& topology, const Part& part) const override {
    if (!exists_on(topology))
      return fmt::format("hier_direct needs a tree of switches, {} has none; allowed: {}",
                         topology.name, allowed_algorithms(part.collective));
    return levels_refusal(topology, part.members, name(), "direct");
  }
  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    RingBox box = level_box(part.topology(), part.members());
    box.shape = LineShape::kStar;
    part.add_box(box);
  }
  Layout layout() const override { return Layout::kStar; }
};

}  // namespace

const Algorithm& hier_direct_algorithm() {
  static const HierDirect algorithm;
  return algorithm;
}

}  // namespace fredsim
