// SPDX-License-Identifier: Apache-2.0
// The `lockstep` implementation of a switch: a reference and a twin get the same inputs at every
// step and are compared on everything visible; the first difference ends the run.
//
// Outputs are the reference's. Compared after every step, in this order: out_valid, in_credit, the
//   words of flits at the outputs, reg_rdata, idle, error, the control unit's phase if both
//   implementations can be peeked, counters; after reset idle, error, phase and counters.
// Counters: if both implementations can be peeked, all of them after every step. Otherwise through
//   the register map: in steps without a register access from outside, one counter or credit
//   register is read in both implementations, in turn, so that a difference is found some hundred
//   steps after it arose. reg_rdata keeps the last value that was read from outside.
// Timing: cycles are steps since reset, the first is 0. A fabric leaves out steps of idle switches,
//   so this count is the implementation's own; FabricCore adds its cycle to the message.
// Errors: LockstepDifference; exceptions of the implementations. After a difference the two are not
//   reliable, nor compared, until reset().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "switch/switch_core.h"
#include "switch/switch_shape.h"

namespace fredsim {

class LockstepDifference : public RunFailed {
 public:
  struct Where {
    std::uint64_t cycle = 0;
    std::string instance;
    int port = -1;      // -1: of the whole switch
    std::string field;  // "out_valid", "in_credit VC 3", "out_flit word 1", "flits_in", …
    std::uint64_t reference = 0, twin = 0;
    bool hex = false;  // number format of the message
  };
  LockstepDifference(Where where, std::string_view reference_model, std::string_view twin_model);
  // Adds the cycle of the fabric at the beginning of the message.
  LockstepDifference(const LockstepDifference& found, std::uint64_t fabric_cycle);
  const Where& where() const { return where_; }

 private:
  Where where_;
};

class LockstepSwitch final : public SwitchCore {
 public:
  LockstepSwitch(std::unique_ptr<SwitchCore> reference, std::unique_ptr<SwitchCore> twin,
                 const SwitchShape& shape, std::string name);

  void reset() override;
  void step(SwitchPins& pins) override;
  bool idle() const override { return reference_->idle(); }
  std::uint32_t error() const override { return reference_->error(); }
  std::string_view model() const override { return "lockstep"; }
  int launch_edges() const override { return reference_->launch_edges(); }
  bool peek_counters(SwitchCounters& into) const override {
    return reference_->peek_counters(into);
  }
  bool peek_phase(SwitchPhase& into) const override { return reference_->peek_phase(into); }
  bool peek_hol(int port, int vc, FlitHeader& into) const override {
    return twin_->peek_hol(port, vc, into);
  }

  SwitchCore& reference() { return *reference_; }
  SwitchCore& twin() { return *twin_; }
  std::uint64_t cycle() const { return cycle_; }  // cycle of the next step

 private:
  void compare_pins(const SwitchPins& pins) const;
  void compare_flit(const SwitchPins& pins, int port) const;
  void compare_status();
  void compare_counters() const;
  void compare_phase() const;
  [[noreturn]] void differ(int port, std::string field, std::uint64_t reference, std::uint64_t twin,
                           bool hex = false) const;
  [[noreturn]] void differ_in_mask(const std::string& field, std::uint32_t reference,
                                   std::uint32_t twin) const;

  std::unique_ptr<SwitchCore> reference_, twin_;
  std::string name_;
  int ports_, words_;
  SwitchPins twin_pins_;
  SwitchCounters counters_, twin_counters_;
  SwitchPhase phase_, twin_phase_;
  std::uint64_t cycle_ = 0;
  std::uint16_t last_read_ = 0;  // register whose value reg_rdata shows
  bool phase_peeked_;
  bool peeked_;  // the counters; else read in turn:
  std::vector<std::uint16_t> sweep_;
  std::size_t sweep_next_ = 0;
  std::uint32_t outside_rdata_ = 0;
};

}  // namespace fredsim
