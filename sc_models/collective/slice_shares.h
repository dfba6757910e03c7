// What of a group's data goes by each NIC port, that is by each slice of a Fred tree. On a grid there is one slice.
//
// All slices carry the same, to a flit. Where parts are lost (topology/faults.h) a group's data is cut anew: over the slices in which
//   all of its members reach each other, in proportion to what these can carry (Part::slice_weights).
// Weights: the first cut is even over those slices; of the plan that comes out of it, for a vector so long that rounding makes no
//   difference, the busiest link of every slice gives what the slice carries in a time. So a slice whose uplinks have become few, or in
//   which an NPU's port is slower, gets less, and one of which only idle links are lost as much as before.
// Errors: BadInput where no slice is left that joins all members.
#pragma once

#include <vector>

#include "collective/plan.h"
#include "collective/split.h"
#include "topology/topology.h"

namespace fredsim {

class SliceShares {
 public:
  SliceShares(const Topology& topology, const Part& part);
  // `weights`: as Part::slice_weights.
  SliceShares(const Topology& topology, std::vector<std::uint64_t> weights);

  int slices() const { return slices_; }
  // Of a range; `turn` says where the ranges' longer shares begin, so that short ranges are spread over the slices.
  FlitRange of(const FlitRange& range, int slice, int turn = 0) const;

 private:
  int slices_;
  std::vector<std::uint64_t> weights_;  // empty: all the same
};

// 1 for each slice that joins all members, 0 for others; empty where nothing is lost.
std::vector<std::uint64_t> even_weights(const Topology& topology, const Part& part);
// By part, what its slices carry, from a plan of long vectors with even weights.
std::vector<std::vector<std::uint64_t>> measured_weights(const Topology& topology,
                                                         const Plan& plan);
// "0 : 1 : 1 : 1 : 1"
std::string weights_text(const std::vector<std::uint64_t>& weights);

}  // namespace fredsim
