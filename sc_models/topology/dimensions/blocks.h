// SPDX-License-Identifier: Apache-2.0
// The blocks of systems that are no machines themselves, each by itself: NPUs on a ring or a line,
// joined pairwise, or on switches.
//
//   ring, line, fully_connected: each NPU has a switch of its own on its die, which passes on what
//     is for others, one cycle away; the links between these are the block's. Half of a ring's or
//     line's links go either way; NPUs at the ends of a line have half of them unused.
//   switch: each link of an NPU goes to a switch of its own, which joins all NPUs, `latency` away;
//     a switch takes `switch_latency` beside its own cycles. Switches that add up are Fred_3(size)
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
  std::string latency_key{};    // of latency_ps
  int size = 0;                 // NPUs, 2 or more
  std::uint64_t bandwidth = 0;  // an NPU's, over its links
  int links =
      1;  // an NPU's; of a ring or line an even number, joined pairwise a multiple of size - 1
  std::uint64_t latency_ps = 0, switch_latency_ps = 0;
  bool in_switch = false;
  Rational efficiency{1, 1};  // share of its links' rate that carries flits
};

// Links of an NPU where nothing is said about them: the least there are.
int default_links(BlockShape shape, int size);

BlockFacts block_facts(BlockShape shape);

// `machine`: clock, buffers and formats are those of the block.
Topology build_block(const MachineSpec& machine, const BlockSpec& spec);

}  // namespace fredsim
