// SPDX-License-Identifier: Apache-2.0
// Kinds and shapes of the switches of a fabric.
#pragma once

#include "switch/switch_kind.h"
#include "topology/topology.h"

namespace fredsim {

const SwitchKind& kind_of(const Node& node);  // kind of a switch
// `lanes`: lanes of a run, which a topology does not have.
SwitchShape switch_shape(const Topology& topology, const Node& node, int lanes = 1);

// Returns true if unicasts use tables in the switches (UnicastRoutes); the same for all switches of
// a fabric.
bool routes_by_table(const Topology& topology);
// Returns true if every switch can add and distribute flows.
bool adds_in_switches(const Topology& topology);
// Returns true if at least one switch can.
bool has_phases(const Topology& topology);
// Phases that every switch can have in use at a time.
int phases_in_use(const Topology& topology);
// Additional cycles of a flit through the largest switch, compared with adders of one stage.
int added_stages(const Topology& topology);

// Cycles of a flit through a switch at no load (SwitchTiming::through()); kUnstatedCycles, the
// paper's Fred_3(12), for a kind without timing.
inline constexpr int kUnstatedCycles = 14;
int switch_cycles(const Topology& topology, const Node& node);

}  // namespace fredsim
