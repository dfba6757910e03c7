// SPDX-License-Identifier: Apache-2.0
// Dimension-order routing, where switches follow each other along rings and lines: a packet goes
// along the first dimension (Topology::dimensions) to its destination's place there, then along the
// second, and so on.
//
// On a ring it goes in the direction that leads straight through no switch at place 0; of two such
//   directions the shorter; of two as long upwards, to the next higher place, from even places,
//   downwards from odd ones. So on rings of up to 4 all paths are shortest ones, on longer rings
//   all but those between places whose shorter path would lead through place 0. A packet that has
//   begun in one direction goes on in it: from the next switch on, it is as free of place 0, and
//   shorter.
// Deadlock: none, with one virtual channel and whatever the switches, which need not keep rings
//   moving. Number the links that lead upwards on a ring by the place at which they begin: a packet
//   goes on from number i to i + 1, and never from the last one to number 0, which would be
//   straight through place 0. So it waits for links of higher numbers alone; links that lead
//   downwards likewise, those of later dimensions come after those of earlier ones, and NPUs take
//   what arrives. No circle of links can wait for each other.
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
