// SPDX-License-Identifier: Apache-2.0
// Share of a group's data per NIC port, that is per slice of a FRED tree. A grid has one slice.
//
// Without failed components all slices carry equal shares, to a flit. With failed components
//   (topology/faults.h) the data of in-switch trees is divided in proportion to throughput
//   (Part::slice_weights), over the slices in which all members of the group reach each other and,
//   for an all-reduce, also the slices that can detach some members
//   (collective/detail/detached_ranks.h). Endpoint trees use the slices that join all members, too,
//   unless further ports gain much: their data is then divided evenly and balanced hop by hop
//   (collective/detail/port_balance.h).
// Weights: a first plan with equal shares, for a vector so long that rounding is negligible, gives
//   the throughput of every slice from its busiest link. So a slice with few uplinks left, or with
//   a slow NPU port, gets less, and a slice that has only lost idle links gets as much as before.
//   If ranks are detached, the throughputs of slices depend on each other. The weights then
//   minimise the load of the busiest link of all: in each round of an iterative game
//   (best_shares()) the slices respond to the busiest links so far, and the links to the shares so
//   far. Slices that do not improve the result are left out.
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
  // Share of a range. `turn`: slice at which the longer shares begin, so that short ranges are
  // spread over the slices.
  FlitRange of(const FlitRange& range, int slice, int turn = 0) const;

 private:
  int slices_;
  std::vector<std::uint64_t> weights_;  // empty: all the same
};

// Weights by slice: 1 if the slice joins all members or, with `detached`, can work without the
// detached ones; else 0. Empty without failures. The parts of the plan must be known.
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
