// SPDX-License-Identifier: Apache-2.0
// Fully connected switches with NPUs on each. Every switch is `planes` parallel chiplets; a plane
// is one chiplet of each switch, joined pairwise, and shares nothing with further planes: a slice
// (Node::slice).
//   Names: x<i>.s<s>: switch i, plane s.
//   Ports of a chiplet: its NPUs, then the chiplets of the other switches in order, its own left
//     out, then its I/O controllers.
//   Switch i has the NPUs i*npus_per_switch … . The I/O controllers are dealt out over the switches
//     in order, as evenly as possible, the first ones getting one more.
//   NPU and I/O: NIC port s is joined to plane s, at bandwidth / planes.
//   Addresses: NPU i has address i, I/O controller j has npus + j.
// Errors: BadInput as topology/machine_spec.h says.
#pragma once

#include <cstdint>

#include "topology/machine_spec.h"
#include "topology/topology.h"
#include "topology/topology_kind.h"

namespace fredsim {

struct FullyConnectedSpec {
  int switches = 0;  // 2 or more
  int npus_per_switch = 1;
  int planes = 1;
  std::uint64_t pair_bandwidth = 0;  // from one switch to one other, over all planes
};
Topology build_fully_connected(const MachineSpec& machine, const FullyConnectedSpec& spec);

const TopologyKind& fully_connected_kind();

}  // namespace fredsim
