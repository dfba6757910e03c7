// SPDX-License-Identifier: Apache-2.0
// ring: along the ring of the group, in group order, on a whole mesh along single hops.
#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"
#include "collective/detail/member_boxes.h"

namespace fredsim {
namespace {

class Ring final : public Algorithm {
 public:
  Ring() : Algorithm("ring") {}
  bool has(Collective collective) const override {
    return pattern_of(collective) == Pattern::kAllRanks;
  }
  bool is_papers(const Topology& /*topology*/, Collective /*collective*/) const override {
    return true;
  }
  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    part.add_box(flat_box(part.topology(), part.members()));
  }
  bool has_packet_order(const Topology& topology, const Part& part) const override {
    return Algorithm::has_packet_order(topology, part) || part.collective == Collective::kAllReduce;
  }
  bool goes_by_ranks() const override { return true; }
};

}  // namespace

const Algorithm& ring_algorithm() {
  static const Ring algorithm;
  return algorithm;
}

}  // namespace fredsim
