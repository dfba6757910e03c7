// SPDX-License-Identifier: Apache-2.0
// Zero-load latencies of hops, for every estimate of time: plans of trees, in the switches and at
// the endpoints, flows, races of packets, windows, placements, steps of systems. Latencies of links
// come from the topology, latencies of switches from their kinds.
//
// Units: cycles of the fabric.
#pragma once

#include <algorithm>
#include <vector>

#include "plan/link_walk.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Cycles from a packet's arrival at an NPU until the packet, or the sum that it is added to, can
// leave.
inline constexpr int kNpuCycles = 1;
// Additional latency of a tree of switches that add, beside the latency between two endpoints;
// measured.
inline constexpr double kTurnCycles = 8;
// Overlap of latency and transfer: the fraction of the shorter one that adds to the longer one.
inline constexpr double kOverlap = 0.4;

inline double overlapped(double latency, double transfer, double overlap = kOverlap) {
  return std::max(latency + overlap * transfer, transfer + overlap * latency);
}

class HopTimes {
 public:
  // `topology` must outlive the object.
  explicit HopTimes(const Topology& topology) : topology_(topology) {}

  // Latency of a switch, as its kind states it; 0: an endpoint.
  int through(NodeId node) const {
    return topology_.nodes[node].is_switch() ? through_switch(topology_.nodes[node]) : 0;
  }
  // Latency of a link and the switch behind it.
  int over(const Link& link) const { return link.latency + through(link.to); }

 private:
  int through_switch(const Node& node) const;

  struct Known {
    const Node* node = nullptr;
    int cycles = 0;
  };
  const Topology& topology_;
  mutable std::vector<Known> known_;  // latency of a switch of each shape
};

// Latency of one flit between two endpoints.
double unicast_cycles(const Topology& topology, const LinkWalk& walk, NodeId from, NodeId to);
// Longest latency from the first member of a part to any member that it reaches.
double member_latency(const Topology& topology, const LinkWalk& walk, const Part& part);

}  // namespace fredsim
