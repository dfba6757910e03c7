// SPDX-License-Identifier: Apache-2.0
// Traffic of a plan on every link, as a run of the flit-level engine counts it, acknowledgements
// included. Derived from the plan, exact.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

struct FlowTraffic {
  std::vector<std::uint64_t> flits, bytes;  // by link; bytes of payload, 512 of an acknowledgement
  std::vector<std::uint64_t> acknowledgements{};  // packets sent, by node
  std::vector<std::uint64_t> phase_flits{};       // flits of flows of a phase among them, by link
  std::vector<std::uint64_t> switch_additions{};  // by node
  std::uint64_t additions = 0;     // additions of two flits, in switches and at endpoints
  std::uint64_t result_bytes = 0;  // at all ranks together
};

FlowTraffic no_traffic(const Topology& topology);
FlowTraffic flow_traffic(const Topology& topology, const Plan& plan);
// Adds `traffic` `times` times to `sum`, which is empty or of the same machine.
void add_traffic(const FlowTraffic& traffic, std::uint64_t times, FlowTraffic& sum);

}  // namespace fredsim
