// SPDX-License-Identifier: Apache-2.0
// Switches of a kind that step together, flit by flit in place of switch by switch: what happens at an edge is in lists over
// all members, so that an edge costs what arrives, is granted and leaves, and nothing for those at which nothing happens.
//
// Use: add() members, each once. join() makes the group the owner of their states; then step() is one edge of all, in place of
//   SwitchCore::step(), with the same outputs, counters and errors; part() gives the states back as steps of their own would
//   have left them. Between join() and part() members are asked nothing, and have no register access.
// Shapes: nodes are numbers of the caller's; `nodes` and `ports` are how many of them there are, and ports of all of them.
//   Words of a flit are those of SwitchPins.
// Timing: as SwitchCore. Credits are given at the edge at which they come, to members that are idle, too: who never gets more
//   back than was spent sees no difference.
// Lists hold one flit per port, one credit per port and virtual channel; the order in them is immaterial.
// Errors: `error` of the pins is the code of the first member by number that has one, 0: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bounded_list.h"
#include "base/flit.h"

namespace fredsim {

class SwitchCore;

class SwitchGroup {
 public:
  struct Flit {
    std::uint32_t node, port;
    const std::uint32_t* words;
  };
  struct Credit {
    std::uint32_t node;
    std::uint16_t port, vc;
  };
  struct Pins {
    Pins(std::size_t nodes, std::size_t ports)
        : in_flits(ports),
          out_credits(ports * kNumVcs),
          out_ready(nodes),
          in_credits(ports * kNumVcs) {}
    // Inputs of the next step.
    BoundedList<Flit> in_flits;
    BoundedList<Credit> out_credits;
    std::vector<std::uint32_t> out_ready;  // by node
    // Outputs of the last step; words are there until the next one.
    std::span<const Flit> out_flits;
    BoundedList<Credit> in_credits;
    std::uint32_t error = 0, error_node = 0;
  };

  SwitchGroup() = default;
  SwitchGroup(const SwitchGroup&) = delete;
  SwitchGroup& operator=(const SwitchGroup&) = delete;
  virtual ~SwitchGroup() = default;

  // False: it cannot be a member.
  virtual bool add(std::uint32_t node, SwitchCore& core) = 0;
  // out_flits: what the members have at their output pins, without words.
  virtual void join(Pins& pins) = 0;
  virtual void step(Pins& pins) = 0;
  virtual void part() = 0;
  // While it owns the states: whether a step without inputs would change nothing.
  virtual bool idle() const = 0;
};

}  // namespace fredsim
