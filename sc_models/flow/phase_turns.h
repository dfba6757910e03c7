// SPDX-License-Identifier: Apache-2.0
// Turns of phases in switches, as flows see them: a switch has one phase in use at a time
// (rtl/phased/phased_control.sv), so that trees whose phases differ share its time.
//
// Model: a switch is one more link that trees in the switches cross, whose capacity is its time.
//   The trees of a part take, in the time of one turn, what the busiest of its input links sends: a
//   phase is in use while a packet comes in, however slow. So a part that has the switch for itself
//   is no slower by that; two in different phases go at half the rate of one; and between virtual
//   channels the one that goes first takes what it needs. Parts in equal phases, of one plan or of
//   different ones, are in use at the same time: the capacity is as many times the time as parts
//   are in a phase, in the mean. With switch.phases_in_use 2 two phases are in use, whether they
//   share something or not.
// Not modelled: turns between phases of one part, which its surplus has; the length of turns
//   (switch.quantum, switch.yield); cycles of a change; phases beside unicasts routed online.
// Use: add() to the flows of each plan; begin() and end() when the first tree of a part begins to
//   move and the last one has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/state_digest.h"
#include "flow/flow_plan.h"
#include "flow/flow_simulation.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

class PhaseTurns {
 public:
  // A switch that a part's trees cross, and their phases there: equal numbers for equal rows.
  struct Stay {
    NodeId node = 0;
    int phases = 0;
  };
  using Stays = std::vector<Stay>;

  // The topology outlives it. `is_lifted`: all phases are in use at a time.
  explicit PhaseTurns(const Topology& topology, bool is_lifted = false);

  // By link (flow_capacities()), then by node.
  std::vector<double> capacities() const;
  // Adds the switches to what trees cross; by part of the plan, ascending by node.
  std::vector<Stays> add(const Plan& plan, std::vector<TreeFlow>& flows);
  void begin(const Part& part, const Stays& stays, FlowSimulation& simulation);
  void end(const Part& part, const Stays& stays, FlowSimulation& simulation);
  // Parts that move.
  void add_state(StateDigest& digest) const;

 private:
  using Users = std::map<std::pair<int, int>, int>;  // (VC, phases) -> parts that move

  int link_of(NodeId node) const { return static_cast<int>(topology_.links.size()) + node; }
  void set_capacity(NodeId node, FlowSimulation& simulation) const;

  const Topology& topology_;
  const bool has_turns_;  // its switches have phases
  const int in_use_;      // phases at a time
  std::map<std::pair<NodeId, std::vector<std::uint32_t>>, int> phases_;
  std::map<NodeId, Users> users_;
};

}  // namespace fredsim
