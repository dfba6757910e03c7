// SPDX-License-Identifier: Apache-2.0
// Rules of a FRED switch, checked at every clock edge against any implementation.
//
// Keeps a model of buffers, phases, staging and credits, written from the contracts in rtl/
// (phased_control, phased_matcher, phased_output_unit, fred_switch), and derives from it the
// required behaviour of a step:
//   - flits that leave the input buffers (visible by their credits), phase by phase and unicast by
//     unicast;
//   - flits that are launched: decided stages + 3 edges after they left their buffer at the
//     earliest, the remaining flits of a packet of a phase first, then by priority of their VC,
//     each with a credit, on links that are ready; on the link one edge after the decision;
//   - the state of the control unit, where an implementation shows it;
//   - idle exactly when the switch is empty and no counter in it runs.
// The contents of flits are not checked here (switch_driver.cpp).
// Errors: std::runtime_error with the broken rule, without cycle and seed.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "online_rules.h"
#include "phase_rules.h"
#include "sum_rules.h"
#include "switch_view.h"

namespace fredsim::tb {

class SwitchRules {
 public:
  explicit SwitchRules(const TestedSwitch& shape);

  // Effects of writes to the registers of the same name.
  void set_credits(int output, int vc, int flits) { view_.outputs[output][vc].credits = flits; }
  void add_phase(const Phase& phase) {
    phase_.add_phase(phase);
    sums_.add_phase(phase);
  }
  void set_route(int input, int destination, int output) {
    online_.set_route(input, destination, output);
  }

  // After core.step(pins): inputs and outputs of that step.
  void check(const SwitchPins& pins, const SwitchCore& core);

  struct Counts {
    std::uint64_t reductions = 0, phase_changes = 0, join = 0, credit = 0, phase = 0, arbiter = 0,
                  link = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Arrival {  // at staging
    int left;       // edges
    int output;
    FlitHeader flit;
  };
  void check_launches(const SwitchPins& pins) const;
  void decide_launches(const SwitchPins& pins);
  void check_credits(const SwitchPins& pins, const std::vector<Entry>& entries) const;
  void check_phase(const SwitchCore& core) const;
  void check_idle(bool idle) const;
  void arrive();
  std::vector<SumRules::Fired> enter(const std::vector<Entry>& entries);
  void take_in(const SwitchPins& pins);

  TestedSwitch shape_;
  int words_, stages_;
  SwitchView view_;
  PhaseRules phase_;
  OnlineRules online_;
  SumRules sums_;
  std::deque<Arrival> inside_;          // between buffers and staging
  int quiet_;                           // edges since a flit left a buffer
  std::map<int, FlitHeader> pins_in_;   // by port: in the pin registers
  std::map<int, FlitHeader> launches_;  // by port: decided, on the pins at the next edge
  std::uint32_t launched_ = 0;          // on the pins
  Counts counts_;
};

}  // namespace fredsim::tb
