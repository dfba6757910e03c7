// SPDX-License-Identifier: Apache-2.0
// Share of a group's data per NIC port, that is per slice of a Fred tree. On a grid there is one
// slice.
//
// All slices carry the same, to a flit. With failed components (topology/faults.h) in-switch trees
//   are cut anew: over the slices in which all of a group's members reach each other, and for an
//   all-reduce also the slices that can detach some members (collective/detail/detached_ranks.h),
//   in proportion to their throughput (Part::slice_weights). Endpoint trees go by the slices that
//   join all members, too, unless they gain much by more ports: then they are cut evenly and
//   balanced hop by hop (collective/detail/port_balance.h).
// Weights: the first cut is even over those slices; from the resulting plan, for a vector long
//   enough that rounding is negligible, the busiest link of every slice gives the throughput of the
//   slice. So a slice whose uplinks have become few, or in which an NPU's port is slower, gets
//   less, and one of which only idle links have failed as much as before. Where ranks are detached,
//   the throughputs of slices depend on each other: the weights are such that the busiest link of
//   all has the least to carry, a game of slices against links that is played until both know each
//   other. Slices that do not improve the result are left out.
#pragma once

#include <vector>

#include "plan/plan.h"
#include "plan/split.h"
#include "topology/topology.h"

namespace fredsim {

class SliceShares {
 public:
  explicit SliceShares(int slices) : slices_(slices) {}  // even shares
  // `weights`: as Part::slice_weights.
  SliceShares(const Topology& topology, std::vector<std::uint64_t> weights);

  int slices() const { return slices_; }
  // Share of a range; `turn` says where the ranges' longer shares begin, so that short ranges are
  // spread over the slices.
  FlitRange of(const FlitRange& range, int slice, int turn = 0) const;

 private:
  int slices_;
  std::vector<std::uint64_t> weights_;  // empty: all the same
};

// Weight 1 for each slice that joins all members or, with `detached`, can work without the detached
// ones, else 0; empty where nothing has failed. The plan's parts must be known.
std::vector<std::uint64_t> even_weights(const Topology& topology, const Plan& plan, int part,
                                        bool detached);
struct SliceUse {
  std::vector<std::uint64_t> weights;
  double flits_per_ns = 0;  // rate of the part by itself; 0: it does not use the switches
  bool detaches = false;    // it detaches some ranks
  bool crosses = false;     // some of the detached ranks are the only ones of their L1 switch
};
// Use of the slices by part, from a plan of long vectors with even weights.
std::vector<SliceUse> measured_use(const Topology& topology, const Plan& plan);
// "0 : 1 : 1 : 1 : 1"
std::string weights_text(const std::vector<std::uint64_t>& weights);

}  // namespace fredsim
