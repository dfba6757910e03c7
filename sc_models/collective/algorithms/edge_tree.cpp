// SPDX-License-Identifier: Apache-2.0
// edge_tree: from or to I/O controllers of a grid, over trees of single hops between NPUs
// (collective/detail/edge_tree.h).
#include "collective/detail/edge_tree.h"

#include <fmt/format.h>

#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"
#include "collective/detail/streams.h"

namespace fredsim {
namespace {

class EdgeTrees final : public Algorithm {
 public:
  EdgeTrees() : Algorithm("edge_tree", &Topology::has_places) {}
  bool has(Collective collective) const override {
    return pattern_of(collective) == Pattern::kOneRoot;
  }
  bool has_streams() const override { return true; }
  bool is_papers(const Topology& /*topology*/, Collective /*collective*/) const override {
    return true;
  }
  std::string refusal(const Topology& topology, const Part& part) const override {
    if (part.roots > 0) {
      if (has_edge_streams(topology, part)) return {};
      return fmt::format(
          "edge_tree needs I/O controllers of a mesh or torus for roots and NPUs that "
          "fill a rectangle with their routers, this group on {} is not that; allowed: auto or "
          "chain",
          topology.name);
    }
    if (edge_tree_of(topology, part, part.root)) return {};
    return fmt::format(
        "edge_tree needs an I/O controller of a mesh or torus for a root and NPUs "
        "that fill a "
        "rectangle with its router, {} of this group of {} on {} is not that; allowed: {}",
        to_string(part.collective), part.members.size(), topology.name,
        allowed_algorithms(part.collective));
  }
  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    if (part.part().roots > 0) {
      add_edge_streams(part.topology(), part.number(), part.plan());
      return;
    }
    const int root = part.part().root;
    part.add(edge_tree(part.builder(0), *edge_tree_of(part.topology(), part.part(), root),
                       part.roles(), root, part.vector()));
  }
};

}  // namespace

const Algorithm& edge_tree_algorithm() {
  static const EdgeTrees algorithm;
  return algorithm;
}

}  // namespace fredsim
