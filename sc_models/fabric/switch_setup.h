// What is written into a switch's registers before traffic flows (switch/register_map.h), for whoever
// writes it: ControlPlane by TLM-2.0, a TrafficRun straight at the fabric's core.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric_core.h"
#include "routing/online_routes.h"

namespace fredsim {

struct RegisterWrite {
  std::uint16_t address = 0;  // of a word
  std::uint32_t data = 0;
};

// What reg::kId of the switch must read.
std::uint32_t switch_identity(const Node& node);
// Position of a mesh router and the rings it is on, credits of every connected output.
std::vector<RegisterWrite> setup_writes(const Topology& topology, const FabricCore& core,
                                        NodeId node);
// One switch's routing table for unicasts routed online: its destinations only.
std::vector<RegisterWrite> route_writes(const OnlineRoutes& routes);

}  // namespace fredsim
