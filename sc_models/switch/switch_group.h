// SPDX-License-Identifier: Apache-2.0
// Switches of a kind that step together, flit by flit instead of switch by switch: the events of an
// edge are in lists over all members, so that an edge costs arrivals, grants and departures, and
// idle members cost nothing.
//
// Use: add() members, each once. join() makes the group the owner of their states; then step() is
//   one edge of all, in place of SwitchCore::step(), with the same outputs, counters and errors;
//   part() returns the states as steps of their own would have left them. Between join() and part()
//   members are not called, and have no register access.
// Shapes: nodes have the caller's numbers; `nodes` and `ports` are their number, and the number of
//   all their ports. Words of a flit are as in SwitchPins.
// Timing: as SwitchCore. Credits are given at the edge of their arrival, also to idle members: this
//   makes no difference as long as no more credits return than were spent.
// Lists hold one flit per port, one credit per port and virtual channel; their order is immaterial.
// Inputs stay where their owner has them, until the step is done.
// Errors: `error` of the pins is the code of the first member by number that has one, 0: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bounded_list.h"
#include "base/flit.h"
#include "base/port_pin.h"

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
    Pins(std::size_t nodes, std::size_t ports) : out_ready(nodes), in_credits(ports * kNumVcs) {}
    // Inputs of the next step. A flit is its InputPin's word and its own words.
    std::span<const std::uint32_t> in_flits;
    std::span<const CreditPin> out_credits;
    std::vector<std::uint32_t> out_ready;  // index: node
    // Outputs of the last step; words are valid until the next one.
    std::span<const Flit> out_flits;
    BoundedList<Credit> in_credits;
    std::uint32_t error = 0, error_node = 0;
  };

  SwitchGroup() = default;
  SwitchGroup(const SwitchGroup&) = delete;
  SwitchGroup& operator=(const SwitchGroup&) = delete;
  virtual ~SwitchGroup() = default;

  // Returns false if it cannot be a member.
  virtual bool add(std::uint32_t node, SwitchCore& core) = 0;
  // out_flits: flits at the members' output pins, without words.
  virtual void join(Pins& pins) = 0;
  virtual void step(Pins& pins) = 0;
  virtual void part() = 0;
  // Returns true if a step without inputs would change nothing; for the owner of the states.
  virtual bool idle() const = 0;
};

}  // namespace fredsim
