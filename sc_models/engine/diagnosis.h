// SPDX-License-Identifier: Apache-2.0
// Diagnosis of a fabric as text: the wait-for relations of a deadlock, and what does not balance
// after a run. Read-only. Call from the SC_THREAD that runs the machine. Of several processes each looks at its own nodes, alone
// from then on (FabricCore::set_alone()); all have the whole text.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fabric/control_plane.h"
#include "fabric/fabric.h"
#include "npu/npu.h"

namespace fredsim {

// Cycles without a single flit moving after which a run with flits or results missing is stuck.
std::uint64_t watchdog_cycles(const Topology& topology);

// One line per NIC queue, switch port and rank that waits. Lets a few cycles pass to see which
// stall counters of the switches still run. `npus`: by node, null where there is none here.
std::string describe_waiting(Fabric& fabric, ControlPlane& control,
                             std::span<const std::unique_ptr<Npu>> npus);

// The same of a fabric without SystemC: endpoint queues and switch ports. `endpoints`: by node,
// null at switches.
std::string describe_waiting(const Topology& topology, FabricCore& core,
                             std::span<const EndpointCore* const> endpoints);

// Empty when all balances: links and nodes empty, credits all back (as the fabric counted them
// and as the switches' registers say), switch counters equal to what the links carried, every
// rank complete, nothing stray at an NPU.
std::string describe_imbalance(Fabric& fabric, ControlPlane& control,
                               std::span<const std::unique_ptr<Npu>> npus);

}  // namespace fredsim
