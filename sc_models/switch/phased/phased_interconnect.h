// SPDX-License-Identifier: Apache-2.0
// An interconnect in which flits wait (rtl/phased/phased_switch.sv: hold_i, closed_i, in_flight_i),
// as a PhasedTwin needs it: arrival times of its outputs, and what is blocked until then. The
// outputs' values are computed when the flits fire.
//
// Shapes: port masks have bit p for port p.
// Timing: hold() to in_flight_vc() are the signals of its RTL before an edge; step() is that edge.
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
  virtual int longest() const = 0;       // max edges from an arrive() to the arrival
  virtual Ports hold() const = 0;        // inputs at which flits of the phase do not fire
  virtual Ports closed() const = 0;      // outputs closed to unicasts
  virtual Ports in_flight() const = 0;   // outputs with flits of a phase in flight to them,
  virtual int in_flight_vc() const = 0;  // virtual channel of these flits
  // `fired`: inputs of the phase's flits that fire; `change`: the row of the phase that is active
  // from this edge on, or null; it stays valid until the next one. Reports arrivals to the outputs.
  virtual void step(Ports fired, const PhasedRow* change, PhasedOutputs& outputs) = 0;
  virtual bool idle() const = 0;
  virtual void add_state(StateDigest& digest) const = 0;
};

}  // namespace fredsim
