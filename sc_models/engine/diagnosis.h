// SPDX-License-Identifier: Apache-2.0
// Diagnosis of a fabric as text: the wait-for relations of a deadlock, and imbalances after a run.
// Read-only. Call from the SC_THREAD that runs the machine. Each of several processes looks at its
// own nodes, detached from then on (FabricCore::set_alone()); all get the whole text.
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

// Cycles without a moving flit after which an unfinished run is stuck.
std::uint64_t watchdog_cycles(const Topology& topology);

// One line per NIC queue, switch port and rank that waits. Lets a few cycles pass to see which
// stall counters of the switches still run. `npus`: by node, null for nodes without one here.
std::string describe_waiting(Fabric& fabric, ControlPlane& control,
                             std::span<const std::unique_ptr<Npu>> npus);

// Variant for a fabric without SystemC: endpoint queues and switch ports. `endpoints`: by node,
// null at switches.
std::string describe_waiting(const Topology& topology, FabricCore& core,
                             std::span<const EndpointCore* const> endpoints);

// Empty if the run balances: links and nodes empty, credits all back (by the fabric's count and by
// the switches' registers), switch counters equal to the links' counts, every rank complete, no
// stray packet at an NPU.
std::string describe_imbalance(Fabric& fabric, ControlPlane& control,
                               std::span<const std::unique_ptr<Npu>> npus);

}  // namespace fredsim
