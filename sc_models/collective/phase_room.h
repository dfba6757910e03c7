// SPDX-License-Identifier: Apache-2.0
// Room for phases in the switches' phase stores. A phase has one index, the same in all of its
// switches.
//
// Errors: BadInput for phases that do not fit, with their number and a switch that has the least
// room for them.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <span>

#include "topology/topology.h"

namespace fredsim {

using PhaseSwitches = std::set<NodeId>;  // switches with a row of a phase

// Number of phases that the store of a switch can hold.
int phase_room(const Topology& topology, NodeId node);

// Checks phases that are all in the stores at once, starting from empty stores. Indices are
// assigned in this order, each the lowest that is free in all of its switches, as in RowStore
// (engine/row_store.h).
void check_phase_room(const Topology& topology, std::span<const PhaseSwitches> phases);

// Reports phases that do not fit. `room`: room of a switch.
[[noreturn]] void refuse_phases(const Topology& topology, std::span<const PhaseSwitches> phases,
                                const std::function<std::size_t(NodeId)>& room);

}  // namespace fredsim
