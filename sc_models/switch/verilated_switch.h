// One Verilated switch or router as a SwitchCore: pins set and read around two
// evaluations per cycle.
//
// Shapes: Model is the Verilated class, Ports its P, Lanes its LANES (compile-time, from
//   switch/sizes.cmake).
// Timing: new inputs and the rising edge are one evaluation, the falling edge is the second.
//   Only the flit words of ports whose valid bit is set are copied.
// Counters, phase: peek_counters() and peek_phase() read the registers of switch_counters and
//   fred_control where they are (peek.vlt keeps them readable), for our own tops; a user's own top has
//   another hierarchy and answers false.
// Use: include Model's root class, "V…/V…___024root.h", before a VerilatedSwitch of it is made.
// Errors: RunFailed when the RTL ends the simulation.
#pragma once

#include <verilated.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "switch/rtl_switch.h"
#include "switch/verilated_pins.h"

namespace fredsim {

template <class Model, int Ports, int Lanes>
class VerilatedSwitch final : public RtlSwitch {
 public:
  VerilatedSwitch(const std::string& name, std::shared_ptr<RtlContext> context)
      : context_(std::move(context)),
        model_(std::make_unique<Model>(context_->get(), name.c_str())) {}
  ~VerilatedSwitch() override {
    // A model with readable signals signs off from the context of its thread, which may be
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

  bool peek_counters(SwitchCounters& into) const override {
    const auto& root = *model_->rootp;
    static_assert(std::is_destructible_v<std::remove_cvref_t<decltype(root)>>,
                  "include the root class of the Verilated model");
    if constexpr (requires { root.mesh_router__DOT__i_counters__DOT__in_q; }) {
      copy_counters(root.mesh_router__DOT__i_counters__DOT__in_q,
                    root.mesh_router__DOT__i_counters__DOT__out_q, into);
      into.reductions = root.mesh_router__DOT__i_counters__DOT__reductions_q;
      into.phase_changes = root.mesh_router__DOT__i_counters__DOT__phase_changes_q;
      into.stall_join = root.mesh_router__DOT__i_counters__DOT__join_q;
      into.stall_credit = root.mesh_router__DOT__i_counters__DOT__credit_q;
      into.stall_phase = root.mesh_router__DOT__i_counters__DOT__phase_q;
      into.stall_arbiter = root.mesh_router__DOT__i_counters__DOT__arbiter_q;
      into.stall_link = root.mesh_router__DOT__i_counters__DOT__link_q;
      return true;
    } else if constexpr (requires { root.fred_switch__DOT__i_counters__DOT__in_q; }) {
      copy_counters(root.fred_switch__DOT__i_counters__DOT__in_q,
                    root.fred_switch__DOT__i_counters__DOT__out_q, into);
      into.reductions = root.fred_switch__DOT__i_counters__DOT__reductions_q;
      into.phase_changes = root.fred_switch__DOT__i_counters__DOT__phase_changes_q;
      into.stall_join = root.fred_switch__DOT__i_counters__DOT__join_q;
      into.stall_credit = root.fred_switch__DOT__i_counters__DOT__credit_q;
      into.stall_phase = root.fred_switch__DOT__i_counters__DOT__phase_q;
      into.stall_arbiter = root.fred_switch__DOT__i_counters__DOT__arbiter_q;
      into.stall_link = root.fred_switch__DOT__i_counters__DOT__link_q;
      return true;
    } else {
      return false;
    }
  }

  bool peek_phase(SwitchPhase& into) const override {
    const auto& root = *model_->rootp;
    if constexpr (requires { root.fred_switch__DOT__i_control__DOT__phase_q; }) {
      into = {.active = root.fred_switch__DOT__i_control__DOT__active_q != 0,
              .loading = root.fred_switch__DOT__i_control__DOT__loading_q != 0,
              .busy = root.fred_switch__DOT__i_control__DOT__silent_q != kYield ||
                      root.fred_switch__DOT__i_control__DOT__open_q != 0,
              .phase = root.fred_switch__DOT__i_control__DOT__phase_q,
              .vc = root.fred_switch__DOT__i_control__DOT__vc_q,
              .next = root.fred_switch__DOT__i_control__DOT__next_phase_q};
      return true;
    } else {
      return false;
    }
  }

 private:
  static constexpr int kYield = 4;  // of fred_control, which nobody sets otherwise

  template <class Registers>  // VlUnpacked<QData, Ports>
  static void copy_counters(const Registers& in, const Registers& out, SwitchCounters& into) {
    into.flits_in.assign(in.m_storage, in.m_storage + Ports);
    into.flits_out.assign(out.m_storage, out.m_storage + Ports);
  }

  void clock_edge() {
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    model_->eval();
  }

  void check_running() const {
    if (!context_->stopped()) return;
    context_->clear_stopped();
    throw RunFailed(std::string(model_->name()) +
                    ": the RTL ended the simulation ($finish, $stop or a failed assertion; its "
                    "message is above)");
  }

  std::shared_ptr<RtlContext> context_;  // before the model: outlives it
  std::unique_ptr<Model> model_;
};

}  // namespace fredsim
