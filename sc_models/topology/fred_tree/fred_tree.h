// SPDX-License-Identifier: Apache-2.0
// A tree of Fred_m switches, 1 to 8 levels (the paper's wafer has two). Every switch consists of
// `slices` parallel parts that share nothing; a part is one chiplet at level 1 and
// chiplets_per_slice chiplets above.
//   Names: l1_<i>.s<s>; above l<k>_<i>.s<s>.c<c>; the one switch at the top of two levels or more
//     has no index: l2.s<s>.c<c>.
//   Ports of a chiplet: its children, then its uplinks, then (L1) its I/O controllers; then the
//     unconnected ports that chiplet_ports adds.
//   Switch i of level k has the switches i*below … of the level below; L1 switch i the NPUs
//     i*below … . The I/O controllers are dealt out over the L1 switches in order, as evenly as
//     possible, the first ones getting one more.
//   NPU and I/O: NIC port s is joined to slice s, at bandwidth / slices.
//   Uplinks: the uplinks of all chiplets of one slice of a switch, in the order (chiplet, uplink),
//     are distributed evenly and in order over the chiplets of that slice of the switch above:
//     number g, with k = uplinks_per_chiplet_above, goes to chiplet g / k, port j*k + g % k, where
//     the lower switch is number j of the switches below the upper one. Each has uplink_bandwidth /
//     (slices x chiplets x uplinks).
//   Latency: the machine's link latency, unless the level above the link has its own. I/O
//     controllers are below level 1.
//   Addresses: NPU i has address i, I/O controller j has npus + j.
// Errors: BadInput as topology/machine_spec.h says.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/machine_spec.h"
#include "topology/topology.h"
#include "topology/topology_kind.h"

namespace fredsim {

inline constexpr int kMaxTreeLevels = 8;
struct FredTreeSpec {
  SwitchTree tree;
  // Latency of the links between a level and its children, by level, lowest first; 0: the
  // machine's.
  std::vector<std::uint64_t> latency_ps{};
  int slices = 0;
  int middle = 0;
  int chiplet_ports = 0;  // ports of a chiplet, one design for all places; 0: as many as its links
  bool in_switch = false;
  bool simulate_all_slices = false;
  // Names keys of a two-level tree (fabric.l1_switches) in messages, not keys of fabric.levels.
  bool two_level_keys = false;
};
Topology build_fred_tree(const MachineSpec& machine, const FredTreeSpec& spec);

// The levels of a tree of two.
struct TwoLevels {
  int l1_switches = 0;
  int npus_per_l1 = 0;
  int uplinks = 0;  // per L1 chiplet
  int l2_chiplets_per_slice = 0;
  std::uint64_t uplink_bandwidth = 0;  // per L1 switch
};
std::vector<TreeLevel> levels_of(const TwoLevels& tree);

const TopologyKind& fred_tree_kind();

}  // namespace fredsim
