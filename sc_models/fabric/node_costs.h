// SPDX-License-Identifier: Apache-2.0
// Processor time of a simulated cycle by node, at load: weights by which a fabric is cut for several processes
// (fabric/rank_cut.h).
//
// Units: ns per cycle of a core of the machine on which they were measured (node_costs.cpp says which, and how); a cut and a
//   predicted speed-up depend on their ratios alone.
// Load: an all-reduce over all NPUs. A node at which nothing happens costs next to nothing, whatever it is; a run in which a
//   part of the machine is idle is not balanced by these.
// Failed nodes cost nothing. Links are counted at their sender.
#pragma once

#include <functional>
#include <vector>

#include "switch/switch_factory.h"
#include "topology/topology.h"

namespace fredsim {

struct NodeCosts {
  std::vector<double> ns;  // by node, per cycle
  int lanes = 1;           // carried of a flit
};

// Implementation of a switch.
using ModelOfSwitch = std::function<SwitchModel(const Node&)>;

// A kind that was not measured costs the mean of those that were. `lanes`: 1 ... kFlitLanes.
NodeCosts node_costs(const Topology& topology, const ModelOfSwitch& model_of, int lanes);
NodeCosts node_costs(const Topology& topology, SwitchModel model, int lanes);

}  // namespace fredsim
