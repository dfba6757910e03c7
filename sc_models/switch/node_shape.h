// The switches of a fabric in terms of their kinds.
#pragma once

#include "switch/switch_kind.h"
#include "topology/topology.h"

namespace fredsim {

const SwitchKind& kind_of(const Node& node);  // of a switch
// `lanes`: of a run, which are not the topology's.
SwitchShape switch_shape(const Topology& topology, const Node& node, int lanes = 1);

// Whether unicasts go by tables in the switches (UnicastRoutes); of all switches of a fabric alike.
bool routes_by_table(const Topology& topology);
// Whether the switches can add and distribute flows, every one of them.
bool adds_in_switches(const Topology& topology);
// Phases that every switch can have in use at a time.
int phases_in_use(const Topology& topology);

}  // namespace fredsim
