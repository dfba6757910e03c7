// SPDX-License-Identifier: Apache-2.0
#include "plan/hop_times.h"

#include "routing/nic_port.h"
#include "switch/node_shape.h"

namespace fredsim {

int HopTimes::through_switch(const Node& node) const {
  for (const Known& known : known_) {
    if (known.node == &node ||
        (known.node->ports == node.ports && known.node->switch_kind == node.switch_kind &&
         known.node->values == node.values))
      return known.cycles;
  }
  return known_.emplace_back(&node, switch_cycles(topology_, node)).cycles;
}

double unicast_cycles(const Topology& topology, const LinkWalk& walk, NodeId from, NodeId to) {
  const HopTimes times(topology);
  double cycles = kNpuCycles;
  walk.walk_hop(from, to, nic_port(topology, from, to, 0),
                [&](int link) { cycles += times.over(topology.links[link]); });
  return cycles;
}

double member_latency(const Topology& topology, const LinkWalk& walk, const Part& part) {
  double latency = 0;
  for (const NodeId member : part.members) {
    if (member != part.members.front() && has_nic_port(topology, part.members.front(), member))
      latency = std::max(latency, unicast_cycles(topology, walk, part.members.front(), member));
  }
  return latency;
}

}  // namespace fredsim
