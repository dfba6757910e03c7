// SPDX-License-Identifier: Apache-2.0
// An interconnect in which flits wait (rtl/phased/phased_switch.sv: hold_i, closed_i, under_way_i), as a PhasedTwin sees it:
// when what comes out arrives, and what must not happen meanwhile. What comes out is worked out when the flits fire.
//
// Shapes: port masks have bit p for port p.
// Timing: hold() to under_way_vc() are what its RTL says before an edge; step() is that edge.
#pragma once

#include <cstdint>

#include "switch/phased/phased_outputs.h"
#include "switch/phased/phased_row.h"

namespace fredsim {

class PhasedInterconnect {
 public:
  using Ports = std::uint32_t;

  PhasedInterconnect() = default;
  PhasedInterconnect(const PhasedInterconnect&) = delete;
  PhasedInterconnect& operator=(const PhasedInterconnect&) = delete;
  virtual ~PhasedInterconnect() = default;

  virtual void reset() = 0;
  virtual int longest() const = 0;       // edges from an arrive() to the arrival, at most
  virtual Ports hold() const = 0;        // inputs at which flits of the phase do not fire
  virtual Ports closed() const = 0;      // outputs to which no unicast goes
  virtual Ports under_way() const = 0;   // outputs that flits of a phase are in flight to,
  virtual int under_way_vc() const = 0;  // and of which VC
  // `fired`: inputs of the flits of the phase that fire; `change`: the row of the phase that is the active one from this
  // edge on, or null; it stays valid until the next one. Tells the outputs what arrives.
  virtual void step(Ports fired, const PhasedRow* change, PhasedOutputs& outputs) = 0;
  virtual bool idle() const = 0;
  virtual void add_state(StateDigest& digest) const = 0;
};

}  // namespace fredsim
