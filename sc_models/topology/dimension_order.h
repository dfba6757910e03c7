// SPDX-License-Identifier: Apache-2.0
// Dimension-order routing for switches on rings and lines: a packet goes along the first dimension
// (Topology::dimensions) to its destination's place there, then along the second, and so on.
//
// On a ring it takes a direction that does not lead straight through the switch at place 0; if
//   both qualify, the shorter one; if both are equally long, upwards (to the next higher place)
//   from even places, downwards from odd ones. So on rings of up to 4 all paths are shortest; on
//   longer rings all except paths whose shorter direction would lead through place 0. A packet
//   keeps its direction: from the next switch on, that direction still avoids place 0, and is
//   shorter.
// Deadlock: none, with one virtual channel and whatever the switches, which need not keep rings
//   moving. Number the links that lead upwards on a ring by the place at which they begin: a packet
//   goes on from number i to i + 1, and never from the last one to number 0, which would be
//   straight through place 0. So it only waits for links of higher numbers. The same holds for
//   links downwards; links of later dimensions come after links of earlier ones, and NPUs sink all
//   arrivals. So the dependency graph of links is acyclic.
// Switches and places are numbers: of the switches of a slice in the order of the NPUs, one at each
//   switch.
#pragma once

#include "topology/topology.h"

namespace fredsim {

// True where unicasts are routed so: by tables in switches that are on rings or lines.
bool goes_along_dimensions(const Topology& topology);

// 1: upwards, -1: downwards; from one place to another of a ring or line.
int direction_along(const TopologyDimension& dimension, int from, int to);

// The switch after `from` on the path to `to`, another one.
int next_switch(const Topology& topology, int from, int to);

}  // namespace fredsim
