// SPDX-License-Identifier: Apache-2.0
// Latencies of hops, at no load, for all who estimate times: plans of trees, in the switches and at
// the endpoints, flows, races of packets, windows, placements, steps of systems. Those of links are
// in the topology, those of switches are stated by their kinds.
//
// Units: cycles of the fabric.
#pragma once

#include <algorithm>
#include <vector>

#include "plan/link_walk.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// From a packet's arrival at an NPU until it, or what it is added to, can leave.
inline constexpr int kNpuCycles = 1;
// In a tree of switches that add, beside the latency between two endpoints; measured.
inline constexpr double kTurnCycles = 8;
// Part of the shorter one of latency and transfer that shows beside the longer one: they overlap,
// but not all of it.
inline constexpr double kOverlap = 0.4;

inline double overlapped(double latency, double transfer, double overlap = kOverlap) {
  return std::max(latency + overlap * transfer, transfer + overlap * latency);
}

class HopTimes {
 public:
  // `topology` outlives it.
  explicit HopTimes(const Topology& topology) : topology_(topology) {}

  // A switch, as its kind states it; 0: an endpoint.
  int through(NodeId node) const {
    return topology_.nodes[node].is_switch() ? through_switch(topology_.nodes[node]) : 0;
  }
  // A link, with the switch behind it.
  int over(const Link& link) const { return link.latency + through(link.to); }

 private:
  int through_switch(const Node& node) const;

  struct Known {
    const Node* node = nullptr;
    int cycles = 0;
  };
  const Topology& topology_;
  mutable std::vector<Known> known_;  // a switch of each shape
};

// One flit from an endpoint to another.
double unicast_cycles(const Topology& topology, const LinkWalk& walk, NodeId from, NodeId to);
// The longest one from the first member of a part to another that it reaches.
double member_latency(const Topology& topology, const LinkWalk& walk, const Part& part);

}  // namespace fredsim
