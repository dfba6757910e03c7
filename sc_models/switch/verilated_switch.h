// SPDX-License-Identifier: Apache-2.0
// One Verilated switch or router as a SwitchCore: sets and reads pins around the evaluations of a
// cycle.
//
// Shapes: Model is the Verilated class, Ports the number of its ports, Lanes its LANES
//   (compile-time, from switch/sizes.cmake).
// Timing: new inputs and the rising edge are one evaluation, the falling edge is the second. An
//   evaluation covers all logic that follows an input without a register between, even if nothing
//   has changed; so for RTL without falling-edge logic, such as fredsim's, the falling edge is
//   skipped (ClockEdges::kRising).
//   Only the flit words of ports whose valid bit is set are copied.
// Counters, phase: peek_counters() and peek_phase() read registers in place. Peek, of the switch's
//   kind (switch/<kind>/<kind>_peek.h), locates them:
//     explicit Peek(const SwitchShape&);
//     template <class Root> bool counters(const Root&, int ports, SwitchCounters& into) const;
//     template <class Root> bool phase(const Root&, SwitchPhase& into) const;
//     static constexpr int kLaunchEdges = …;  // SwitchCore::launch_edges(), if not 0
//   with the root class of the model, and false if they are not there: a user's own top has another
//   hierarchy.
// Use: include Model's root class, "V…/V…___024root.h", before a VerilatedSwitch of it is made.
// Errors: RunFailed when the RTL ends the simulation.
#pragma once

#include <verilated.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "switch/rtl_switch.h"
#include "switch/verilated_pins.h"

namespace fredsim {

// Edges of clk_i at which the RTL has logic; kBoth is always right.
enum class ClockEdges : std::uint8_t { kRising, kBoth };

template <class Model, class Peek, int Ports, int Lanes, ClockEdges Edges = ClockEdges::kBoth>
class VerilatedSwitch final : public RtlSwitch {
 public:
  VerilatedSwitch(const SwitchShape& shape, const std::string& name,
                  std::shared_ptr<RtlContext> context)
      : peek_(shape),
        context_(std::move(context)),
        model_(std::make_unique<Model>(context_->get(), name.c_str())) {}
  ~VerilatedSwitch() override {
    // A model with readable signals deregisters from the context of its thread, which may be
    // another's.
    Verilated::threadContextp(context_->get());
    model_->final();
  }

  void reset() override {
    Model& m = *model_;
    m.rst_ni = 0;
    m.in_valid_i = 0;
    m.out_ready_i = 0;
    pins::set_credits<Ports>(m.out_credit_i, {});
    m.reg_valid_i = 0;
    m.reg_write_i = 0;
    m.reg_addr_i = 0;
    m.reg_wdata_i = 0;
    for (int cycle = 0; cycle < 2; ++cycle) clock_edge();
    m.rst_ni = 1;
    m.eval();
    check_running();
  }

  void step(SwitchPins& pins) override {
    constexpr int kWords = flit_words(Lanes);
    Model& m = *model_;
    pins::set_mask(m.in_valid_i, pins.in_valid);
    for (std::uint32_t left = pins.in_valid; left != 0; left &= left - 1) {
      const int first = std::countr_zero(left) * kWords;
      pins::set_flit(m.in_flit_i, first, &pins.in_flit[first], kWords);
    }
    pins::set_mask(m.out_ready_i, pins.out_ready);
    pins::set_credits<Ports>(m.out_credit_i, pins.out_credit);
    m.reg_valid_i = pins.reg.valid;
    m.reg_write_i = pins.reg.write;
    m.reg_addr_i = pins.reg.address;
    m.reg_wdata_i = pins.reg.wdata;

    clock_edge();

    pins.out_valid = pins::get_mask(m.out_valid_o);
    for (std::uint32_t left = pins.out_valid; left != 0; left &= left - 1) {
      const int first = std::countr_zero(left) * kWords;
      pins::get_flit(m.out_flit_o, first, &pins.out_flit[first], kWords);
    }
    pins::get_credits<Ports>(m.in_credit_o, pins.in_credit);
    pins.reg_rdata = m.reg_rdata_o;
    check_running();
  }

  bool idle() const override { return model_->idle_o != 0; }
  std::uint32_t error() const override { return model_->error_o; }
  void trace(VerilatedFstC& file) override { model_->trace(&file, 99); }

  int launch_edges() const override {
    if constexpr (requires { Peek::kLaunchEdges; }) return Peek::kLaunchEdges;
    return 0;
  }
  bool peek_counters(SwitchCounters& into) const override {
    static_assert(std::is_destructible_v<std::remove_cvref_t<decltype(*model_->rootp)>>,
                  "include the root class of the Verilated model");
    return peek_.counters(*model_->rootp, Ports, into);
  }
  bool peek_phase(SwitchPhase& into) const override { return peek_.phase(*model_->rootp, into); }

 private:
  void clock_edge() {
    Model& m = *model_;
    m.clk_i = 1;
    m.eval();
    m.clk_i = 0;
    // Name in Verilator 5.006 for the clock that the last evaluation saw; other versions evaluate.
    if constexpr (Edges == ClockEdges::kRising && requires { m.rootp->__Vtrigrprev__TOP__clk_i; }) {
      m.rootp->__Vtrigrprev__TOP__clk_i = 0;
    } else {
      m.eval();
    }
  }

  void check_running() const {
    if (!context_->stopped()) return;
    context_->clear_stopped();
    throw RunFailed(std::string(model_->name()) +
                    ": the RTL ended the simulation ($finish, $stop or a failed assertion; its "
                    "message is above)");
  }

  Peek peek_;
  std::shared_ptr<RtlContext> context_;  // before the model, so that it outlives it
  std::unique_ptr<Model> model_;
};

// Function for RegisteredSwitch::make (switch/switch_registry.h).
template <class Model, class Peek, int Ports, int Lanes, ClockEdges Edges>
std::unique_ptr<RtlSwitch> make_verilated(const SwitchShape& shape, const std::string& name,
                                          std::shared_ptr<RtlContext> context) {
  return std::make_unique<VerilatedSwitch<Model, Peek, Ports, Lanes, Edges>>(shape, name,
                                                                             std::move(context));
}

}  // namespace fredsim
