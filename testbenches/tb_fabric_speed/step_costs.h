// SPDX-License-Identifier: Apache-2.0
// Cost of a cycle of a switch by its kind and its ports, from recordings that are played back
// (switch_replay.h), and of a port of an endpoint: the figures of sc_models/fabric/node_costs.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/machine.h"
#include "switch_replay.h"
#include "topology/topology.h"

namespace fredsim::speed {

struct RecordedSwitch {
  NodeId node = 0;
  PinRecording recording;
};

// Switches of one kind with the same number of ports.
struct StepCost {
  std::string kind;
  int ports = 0;
  int switches = 0;
  double steps =
      0;  // per switch and cycle: less than 1 where it is idle for a time, more with set-up
  double rtl_ns = 0, twin_ns = 0;  // processor time per cycle of one of them
};

// `cycles` of the run that was recorded; medians of `rounds`.
std::vector<StepCost> step_costs(const Topology& topology, std::span<const RecordedSwitch> recorded,
                                 Machine& rtl, Machine& twins, std::uint64_t cycles, int lanes,
                                 int rounds);
void print(std::span<const StepCost> costs, int lanes);

}  // namespace fredsim::speed
