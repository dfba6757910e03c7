// The shape of a switch of a fabric.
#pragma once

#include "switch/switch_shape.h"
#include "topology/topology.h"

namespace fredsim {

// `lanes`: of a run, which are not the topology's.
SwitchShape switch_shape(const Topology& topology, const Node& node, int lanes);

}  // namespace fredsim
