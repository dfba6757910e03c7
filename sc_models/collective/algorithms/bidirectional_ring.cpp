// SPDX-License-Identifier: Apache-2.0
// bidirectional_ring: half of the data either way around a ring of NPUs, so that links of both
// directions are busy.
#include <fmt/format.h>

#include <algorithm>

#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"
#include "collective/detail/member_boxes.h"

namespace fredsim {
namespace {

// Two NPUs, which a smaller system has in place of a ring, have the same both ways.
bool is_one_ring(const Topology& topology) {
  if (topology.dimensions.size() != 1) return false;
  const TopologyDimension& ring = topology.dimensions.front();
  return ring.joined == Joined::kRing || (ring.joined == Joined::kLine && ring.size == 2);
}

class BidirectionalRing final : public Algorithm {
 public:
  BidirectionalRing() : Algorithm("bidirectional_ring") {}
  std::string_view aliases() const override { return "bi_ring double_ring two_way_ring"; }
  bool has(Collective collective) const override {
    return pattern_of(collective) == Pattern::kAllRanks;
  }
  std::string refusal(const Topology& topology, const Part& part) const override {
    if (is_one_ring(topology)) return {};
    return fmt::format(
        "bidirectional_ring needs a fabric that is one ring, {} is none; allowed: {}",
        topology.name, allowed_algorithms(part.collective));
  }
  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    RingBox box = flat_box(part.topology(), part.members());
    RingBox back = box;
    std::ranges::reverse(back.ranks);
    part.add_box_halves(box, back);
  }
  std::uint64_t trees(const Topology& topology, const CollectiveSpec& spec) const override {
    return 2 * Algorithm::trees(topology, spec);
  }
  bool has_packet_order(const Topology& /*topology*/, const Part& part) const override {
    return part.collective == Collective::kAllReduce;
  }
  bool goes_by_ranks() const override { return true; }
};

}  // namespace

const Algorithm& bidirectional_ring_algorithm() {
  static const BidirectionalRing algorithm;
  return algorithm;
}

}  // namespace fredsim
