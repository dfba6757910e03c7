// SPDX-License-Identifier: Apache-2.0
// The switches of a fabric in terms of their kinds.
#pragma once

#include "switch/switch_kind.h"
#include "topology/topology.h"

namespace fredsim {

const SwitchKind& kind_of(const Node& node);  // kind of a switch
// `lanes`: of a run, which are not the topology's.
SwitchShape switch_shape(const Topology& topology, const Node& node, int lanes = 1);

// True if unicasts go by tables in the switches (UnicastRoutes); the same for all switches of a
// fabric.
bool routes_by_table(const Topology& topology);
// True if every switch can add and distribute flows.
bool adds_in_switches(const Topology& topology);
// True if some switch can.
bool has_phases(const Topology& topology);
// Phases that every switch can have in use at a time.
int phases_in_use(const Topology& topology);
// Cycles that a flit takes longer through the largest switch than with adders of one stage.
int added_stages(const Topology& topology);

// Cycles of a flit through a switch at no load (SwitchTiming::through()); of a kind that states none kUnstatedCycles, those of a
// Fred_3(12), the paper's.
inline constexpr int kUnstatedCycles = 14;
int switch_cycles(const Topology& topology, const Node& node);

}  // namespace fredsim
