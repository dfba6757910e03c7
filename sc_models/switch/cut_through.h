// SPDX-License-Identifier: Apache-2.0
// A switch as seen by packets that move as trains (traffic/trains/train_fabric.h): the part of its
// state that does not change while traffic flows.
//
// Rules that such a switch obeys while a single virtual channel is in use: a packet leaves its
//   input buffer as a whole, at the earliest when its output has room for packet_room() flits; it
//   holds the output until its tail has left; packet starts that request an output take turns,
//   round robin over the input ports from port 0, and the turn passes to the port after the granted
//   one; flits leave in the order of their arrival, one per edge and output, at edges at which the
//   link is ready. An output into a ring differs: packets of onward_input() start with room for one
//   flit, and each of their flits waits for room; other packets need room for packet_room() + 1
//   flits. Outputs do not depend on each other. The edges of its pipeline: SwitchKind::timing(). A
//   request or flit that lacks room counts as a stall `credit`, one that waits for a packet or for
//   its turn as `arbiter`, and an output that waits for its link as `link`.
#pragma once

#include <cstdint>

namespace fredsim {

class CutThrough {
 public:
  virtual ~CutThrough() = default;
  // Output port of packets to `destination` that came by port `in`; -1: none.
  virtual int route(int in, std::uint16_t destination) const = 0;
  // Credits of (vc, out) that a packet start needs, and the ones that it has now.
  virtual int packet_room(int vc, int out) const = 0;
  virtual int room(int vc, int out) const = 0;
  // Input port whose packets by `out` stay in their ring; -1: `out` leads into none.
  virtual int onward_input(int out) const = 0;
};

}  // namespace fredsim
