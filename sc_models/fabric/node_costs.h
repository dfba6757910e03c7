// SPDX-License-Identifier: Apache-2.0
// Processor time of a simulated cycle by node, at load: weights for the cut of a fabric over
// several processes (fabric/rank_cut.h).
//
// Units: ns per cycle of a core of the measured machine (see node_costs.cpp); a cut and a predicted
//   speed-up depend on the ratios alone.
// Load: an all-reduce over all NPUs. An idle node costs next to nothing, whatever its kind; these
//   weights do not balance a run in which a part of the machine is idle.
// Failed nodes cost nothing. Links are counted at their sender.
#pragma once

#include <functional>
#include <vector>

#include "switch/switch_factory.h"
#include "topology/topology.h"

namespace fredsim {

struct NodeCosts {
  std::vector<double> ns;  // index: node; per cycle
  int lanes = 1;           // lanes carried of a flit
};

// Implementation of a switch.
using ModelOfSwitch = std::function<SwitchModel(const Node&)>;

// A kind that was not measured costs the mean of the measured ones. `lanes`: 1 ... kFlitLanes.
NodeCosts node_costs(const Topology& topology, const ModelOfSwitch& model_of, int lanes);
NodeCosts node_costs(const Topology& topology, SwitchModel model, int lanes);

}  // namespace fredsim
