// SPDX-License-Identifier: Apache-2.0
// One chiplet or router, one clock edge at a time: the interface of every implementation of a
// switch: `rtl` (a Verilated module), `tlm` (a C++ twin) and `lockstep` (both, compared every
// cycle).
//
// Shapes: a switch has P <= 32 ports; a flit is W = flit_words(lanes) 32-bit words (base/flit.h).
//   Port p of a mask is bit p. Flit arrays are port-major: port p is words [p*W, (p+1)*W).
// Timing: step() is one rising clock edge. Inputs are the pins before the edge, outputs are the
//   registered output pins after it. `out_ready` bit p: the link at output p can take a flit whose
//   launch is decided at this edge. The flit is on the pins after the edge launch_edges() later, or
//   sooner. So out_valid is only raised at an edge if out_ready was high at that edge, or at one of
//   the launch_edges() edges before. Credits count flit slots of the buffer of the receiver, per
//   port and VC; at most one returns per port, VC and cycle. A credit given at edge e may be spent
//   at e at the earliest.
// Idle: idle() means that a step without inputs (no flits, no credits, no register access) would
//   change nothing at all; the fabric then leaves the step out, which is exact.
// Groups: an implementation may let many of its switches be stepped at once
// (switch/switch_group.h).
// Register access: one request per step(): set `reg` before it, read `reg_rdata` after it.
//   rtl/common/noc_pkg.sv has the map, switch/register_map.h its names in C++.
// Counters, phase: SwitchCounters and SwitchPhase are the contents of these registers after the
//   last step.
// State: an implementation that can give all of its state, relative to the current edge, lets a run
//   leave out periods in which the state recurs (engine/memo/recurrence.h).
// Errors: `error()` is a sticky code, 0 = none (register_map.h); the fabric fails the run on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/flit.h"
#include "base/state_digest.h"
#include "switch/switch_counters.h"
#include "switch/switch_group.h"

namespace fredsim {

struct RegisterRequest {
  bool valid = false;
  bool write = false;
  std::uint16_t address = 0;
  std::uint32_t wdata = 0;
};

struct SwitchPins {
  SwitchPins(int ports, int lanes)
      : in_flit(static_cast<std::size_t>(ports * flit_words(lanes))), out_flit(in_flit.size()) {}
  // Inputs of the next step.
  std::uint32_t in_valid = 0;
  std::uint32_t out_ready = 0;
  // Mask, per VC, of ports whose receiver freed a slot.
  std::array<std::uint32_t, kNumVcs> out_credit{};
  RegisterRequest reg;
  std::vector<std::uint32_t> in_flit;
  // Outputs of the last step.
  std::uint32_t out_valid = 0;
  std::array<std::uint32_t, kNumVcs> in_credit{};  // mask, per VC, of input ports that freed a slot
  std::uint32_t reg_rdata = 0;
  // Words of a port are meaningful only if its out_valid is set.
  std::vector<std::uint32_t> out_flit;
};

// Phase that the control unit of a switch with phases has in use (rtl/phased/phased_control.sv).
struct SwitchPhase {
  bool active = false;  // a phase has been loaded since reset
  bool loading =
      false;  // the row of `next` is loaded at the next edge; nothing of `phase` fires any more
  bool busy = false;  // `phase` does not yield: inside a packet, or silent too briefly
  std::uint8_t phase = 0, vc = 0, next = 0;  // rows of the store; `next` only while loading
  bool operator==(const SwitchPhase&) const = default;
};

class CutThrough;

class SwitchCore {
 public:
  // State read after every step.
  struct Stepped {
    bool idle = false;
    std::uint32_t error = 0;
  };

  virtual ~SwitchCore() = default;
  SwitchCore(const SwitchCore&) = delete;
  SwitchCore& operator=(const SwitchCore&) = delete;

  // Resets like rst_ni for two cycles; the phase store and credits are cleared too.
  virtual void reset() = 0;
  virtual void step(SwitchPins& pins) = 0;
  virtual bool idle() const = 0;
  virtual std::uint32_t error() const = 0;
  virtual std::string_view model() const = 0;  // "rtl", "tlm", "lockstep"
  // step(), and the state read after it, in one call.
  virtual Stepped step_and_report(SwitchPins& pins) {
    step(pins);
    return {.idle = idle(), .error = error()};
  }
  // An empty group for this and other switches (SwitchGroup); null: the switch always steps alone.
  virtual std::unique_ptr<SwitchGroup> make_group(std::size_t nodes, std::size_t ports) const {
    static_cast<void>(nodes);
    static_cast<void>(ports);
    return nullptr;
  }
  // The switch as packets see it that move as trains (switch/cut_through.h), as it is set up now;
  // null: its packets move flit by flit.
  virtual const CutThrough* cut_through() const { return nullptr; }
  // Reads all counters without a cycle. False if this implementation's counters can only be read
  // through the register map.
  virtual bool peek_counters(SwitchCounters& into) const {
    static_cast<void>(into);
    return false;
  }
  // Reads the phase without a cycle; false also for a switch without phases.
  virtual bool peek_phase(SwitchPhase& into) const {
    static_cast<void>(into);
    return false;
  }

  // Header of the head-of-line flit of an input and virtual channel. False if there is none, or
  // this implementation cannot give it.
  virtual bool peek_hol(int port, int vc, FlitHeader& into) const {
    static_cast<void>(port);
    static_cast<void>(vc);
    static_cast<void>(into);
    return false;
  }

  // Adds all that the outputs of future steps depend on, except numbers and payload of packets;
  // registers that are only written from outside may be left out. False if this implementation
  // cannot.
  virtual bool add_state(StateDigest& digest) const {
    static_cast<void>(digest);
    return false;
  }
  // Adds `more` to the counters; for implementations with add_state().
  virtual void add_to_counters(const SwitchCounters& more) { static_cast<void>(more); }

  // Max edges from the one that samples out_ready to the one that brings the flit to out_valid: 0
  // to 2. Links assert ready that much earlier, so that they are not idle in the meantime.
  virtual int launch_edges() const { return 0; }

 protected:
  SwitchCore() = default;
};

using SwitchCores = std::span<const std::unique_ptr<SwitchCore>>;  // index: node; null at endpoints

}  // namespace fredsim
