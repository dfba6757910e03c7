// SPDX-License-Identifier: Apache-2.0
// Flow model of phase turns in switches: a switch has one phase in use at a time
// (rtl/phased/phased_control.sv), so that trees with different phases share its time.
//
// Model: a switch is an additional link of the trees in the switches, and its capacity is time. The
//   trees of a part take as much of it as the busiest of their input links, since a phase is in use
//   while a packet arrives, however slowly. So a part alone in a switch is not slowed down, two
//   parts in different phases move at half the rate, and the virtual channel of highest priority
//   takes the time that it needs. Parts in equal phases, of one plan or of different plans, share
//   the use of the phase: the capacity is the time multiplied by the mean number of parts per
//   phase. With switch.phases_in_use 2 two phases are in use at a time, whether or not they share
//   ports.
// Not modelled: turns between phases of one part (included in its offset); the length of turns
//   (switch.quantum, switch.yield); cycles of a phase change; phases that compete with unicasts
//   routed online.
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
  // Switch that a part's trees cross, and the number of their set of phases: equal rows, equal
  // numbers.
  struct Stay {
    NodeId node = 0;
    int phases = 0;
  };
  using Stays = std::vector<Stay>;
  using Users = std::map<std::pair<int, int>, int>;  // (VC, phases) -> parts that move

  // The topology has to outlive it. `is_lifted`: all phases are in use at once.
  explicit PhaseTurns(const Topology& topology, bool is_lifted = false);

  // Capacities by link (flow_capacities()), then by node.
  std::vector<double> capacities() const;
  // Adds the switches to the links of trees. Returns the stays by part of the plan, ascending by
  // node.
  std::vector<Stays> add(const Plan& plan, std::vector<TreeFlow>& flows);
  void begin(const Part& part, const Stays& stays, FlowSimulation& simulation);
  void end(const Part& part, const Stays& stays, FlowSimulation& simulation);
  // Adds the moving parts.
  void add_state(StateDigest& digest) const;
  // Users by node; restore() leaves capacities to the simulation's state.
  const std::map<NodeId, Users>& users() const { return users_; }
  void restore(const std::map<NodeId, Users>& users) { users_ = users; }

 private:
  int link_of(NodeId node) const { return static_cast<int>(topology_.links.size()) + node; }
  void set_capacity(NodeId node, FlowSimulation& simulation) const;

  const Topology& topology_;
  const bool has_turns_;  // its switches have phases
  const int in_use_;      // phases at a time
  std::map<std::pair<NodeId, std::vector<std::uint32_t>>, int> phases_;
  std::map<NodeId, Users> users_;
};

}  // namespace fredsim
