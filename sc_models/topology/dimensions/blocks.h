// SPDX-License-Identifier: Apache-2.0
// Builders of the blocks of systems that are not machines: NPUs on a ring or a line, fully
// connected, or on switches.
//
//   ring, line, fully_connected: each NPU has its own switch on its die, one cycle away, which
//     forwards traffic of other NPUs; the links between these switches are the block's. Half of a
//     ring's or line's links go either way; NPUs at the ends of a line have half of them unused.
//   switch: each link of an NPU goes to a switch of its own, which joins all NPUs, `latency` away;
//     a switch takes `switch_latency` beside its own cycles. Switches with adders are Fred_3(size)
//     where collectives are to run in them.
//   A link has bandwidth / links.
// Names: ring and line r<i>.s<plane>, fully_connected x<i>.s<plane>, switch l1_0.s<plane>.
// Ports: as torus3d, fully_connected and fred_tree have them.
// Errors: BadInput as topology/machine_spec.h says, naming keys of `key`.
#pragma once

#include <cstdint>
#include <string>

#include "topology/machine_spec.h"
#include "topology/topology.h"

namespace fredsim {

enum class BlockShape : std::uint8_t { kRing, kFullyConnected, kSwitch, kLine };

struct BlockSpec {
  BlockShape shape = BlockShape::kSwitch;
  std::string key{};            // "fabric.dimensions.2"
  std::string latency_key{};    // key of latency_ps
  int size = 0;                 // NPUs, 2 or more
  std::uint64_t bandwidth = 0;  // bandwidth of an NPU, over its links
  int links =
      1;  // an NPU's; on a ring or line an even number, fully connected a multiple of size - 1
  std::uint64_t latency_ps = 0, switch_latency_ps = 0;
  bool in_switch = false;
  Rational efficiency{1, 1};  // share of its links' rate that carries flits
};

// Minimum number of links of an NPU, which is the default.
int default_links(BlockShape shape, int size);

BlockFacts block_facts(BlockShape shape);

// Builds a block. `machine`: its clock, buffers and formats.
Topology build_block(const MachineSpec& machine, const BlockSpec& spec);

}  // namespace fredsim
