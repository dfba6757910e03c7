// SPDX-License-Identifier: Apache-2.0
#include "switch/lockstep_switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "switch/register_map.h"

namespace fredsim {
namespace {

struct RegisterName {
  int port = -1;
  std::string name;
};

// Name of a register of a switch of `ports` ports, for messages.
RegisterName register_name(int address, int ports) {
  const auto offset = [&](int first, int per_port) {
    const int port = (address - first) / per_port;
    return address >= first && port < ports ? port : -1;
  };
  const std::string_view half = address % 2 == 0 ? "low word" : "high word";
  if (const int port = offset(reg::kCredit, 4); port >= 0) {
    return {port, fmt::format("credits VC {}", address % 4)};
  }
  if (const int port = offset(reg::kFlitsIn, 2); port >= 0) {
    return {port, fmt::format("flits_in {}", half)};
  }
  if (const int port = offset(reg::kFlitsOut, 2); port >= 0) {
    return {port, fmt::format("flits_out {}", half)};
  }
  for (const CounterInfo& c : kSwitchCounters) {
    if ((address & 0xFFFE) == c.address) return {-1, fmt::format("{} {}", c.name, half)};
  }
  return {-1, fmt::format("register 0x{:04x}", address)};
}

std::string message(const LockstepDifference::Where& w, std::string_view reference,
                    std::string_view twin) {
  const auto value = [&](std::uint64_t v) {
    return w.hex ? fmt::format("0x{:08x}", v) : fmt::format("{}", v);
  };
  return fmt::format(
      "{}: lockstep difference in step {} of this switch, {}{}: {} has {}, {} has {}", w.instance,
      w.cycle, w.port < 0 ? "" : fmt::format("port {}, ", w.port), w.field, reference,
      value(w.reference), twin, value(w.twin));
}

}  // namespace

LockstepDifference::LockstepDifference(Where where, std::string_view reference_model,
                                       std::string_view twin_model)
    : RunFailed(message(where, reference_model, twin_model), FailureCause::kLockstepDifference),
      where_(std::move(where)) {}

LockstepDifference::LockstepDifference(const LockstepDifference& found, std::uint64_t fabric_cycle)
    : RunFailed(fmt::format("cycle {}: {}", fabric_cycle, found.what()),
                FailureCause::kLockstepDifference),
      where_(found.where_) {}

LockstepSwitch::LockstepSwitch(std::unique_ptr<SwitchCore> reference,
                               std::unique_ptr<SwitchCore> twin, const SwitchShape& shape,
                               std::string name)
    : reference_(std::move(reference)),
      twin_(std::move(twin)),
      name_(std::move(name)),
      ports_(shape.ports()),
      words_(flit_words(shape.lanes())),
      twin_pins_(ports_, shape.lanes()),
      phase_peeked_(reference_->peek_phase(phase_) && twin_->peek_phase(twin_phase_)),
      peeked_(reference_->peek_counters(counters_) && twin_->peek_counters(twin_counters_)) {
  const auto add = [&](int first, int words) {
    for (int i = 0; i < words; ++i) sweep_.push_back(static_cast<std::uint16_t>(first + i));
  };
  add(reg::kFlitsIn, 2 * ports_);
  add(reg::kFlitsOut, 2 * ports_);
  for (const CounterInfo& c : kSwitchCounters) add(c.address, 2);
  add(reg::kCredit, 4 * ports_);
}

void LockstepSwitch::reset() {
  reference_->reset();
  twin_->reset();
  cycle_ = 0;
  sweep_next_ = 0;
  outside_rdata_ = 0;
  compare_status();
}

void LockstepSwitch::step(SwitchPins& pins) {
  const RegisterRequest outside = pins.reg;
  if (!peeked_ && !outside.valid) {
    pins.reg = {true, false, sweep_[sweep_next_], 0};
    sweep_next_ = sweep_next_ + 1 == sweep_.size() ? 0 : sweep_next_ + 1;
  }
  if (pins.reg.valid && !pins.reg.write) last_read_ = pins.reg.address;
  twin_pins_.in_valid = pins.in_valid;
  for (std::uint32_t left = pins.in_valid; left != 0; left &= left - 1) {
    const int first = std::countr_zero(left) * words_;
    std::copy_n(&pins.in_flit[first], words_, &twin_pins_.in_flit[first]);
  }
  twin_pins_.out_ready = pins.out_ready;
  twin_pins_.out_credit = pins.out_credit;
  twin_pins_.reg = pins.reg;

  reference_->step(pins);
  twin_->step(twin_pins_);
  compare_pins(pins);
  compare_status();

  ++cycle_;
  pins.reg = outside;
  if (peeked_) return;
  if (outside.valid && !outside.write) outside_rdata_ = pins.reg_rdata;
  pins.reg_rdata = outside_rdata_;
}

void LockstepSwitch::compare_pins(const SwitchPins& pins) const {
  if (pins.out_valid != twin_pins_.out_valid) {
    differ_in_mask("out_valid", pins.out_valid, twin_pins_.out_valid);
  }
  for (int v = 0; v < kNumVcs; ++v) {
    if (pins.in_credit[v] != twin_pins_.in_credit[v]) {
      differ_in_mask(fmt::format("in_credit VC {}", v), pins.in_credit[v], twin_pins_.in_credit[v]);
    }
  }
  for (std::uint32_t left = pins.out_valid; left != 0; left &= left - 1) {
    compare_flit(pins, std::countr_zero(left));
  }
  if (pins.reg_rdata != twin_pins_.reg_rdata) {
    const RegisterName r = register_name(last_read_, ports_);
    differ(r.port, fmt::format("reg_rdata, {}", r.name), pins.reg_rdata, twin_pins_.reg_rdata,
           true);
  }
}

void LockstepSwitch::compare_flit(const SwitchPins& pins, int port) const {
  const std::uint32_t* a = &pins.out_flit[port * words_];
  const std::uint32_t* b = &twin_pins_.out_flit[port * words_];
  const auto [in_a, in_b] = std::mismatch(a, a + words_, b);
  if (in_a != a + words_) {
    differ(port, fmt::format("out_flit word {}", in_a - a), *in_a, *in_b, true);
  }
}

void LockstepSwitch::compare_status() {
  if (reference_->idle() != twin_->idle()) differ(-1, "idle", reference_->idle(), twin_->idle());
  if (reference_->error() != twin_->error()) {
    differ(-1, "error", reference_->error(), twin_->error());
  }
  if (phase_peeked_) {
    reference_->peek_phase(phase_);
    twin_->peek_phase(twin_phase_);
    if (phase_ != twin_phase_) compare_phase();
  }
  if (!peeked_) return;
  reference_->peek_counters(counters_);
  twin_->peek_counters(twin_counters_);
  if (counters_ != twin_counters_) compare_counters();
}

void LockstepSwitch::compare_counters() const {
  for (int p = 0; p < ports_; ++p) {
    if (counters_.flits_in[p] != twin_counters_.flits_in[p]) {
      differ(p, "flits_in", counters_.flits_in[p], twin_counters_.flits_in[p]);
    }
    if (counters_.flits_out[p] != twin_counters_.flits_out[p]) {
      differ(p, "flits_out", counters_.flits_out[p], twin_counters_.flits_out[p]);
    }
  }
  for (const CounterInfo& c : kSwitchCounters) {
    if (counters_.*c.value != twin_counters_.*c.value) {
      differ(-1, c.name, counters_.*c.value, twin_counters_.*c.value);
    }
  }
}

void LockstepSwitch::compare_phase() const {
  const SwitchPhase &a = phase_, &b = twin_phase_;
  if (a.active != b.active) differ(-1, "control unit, active", a.active, b.active);
  if (a.loading != b.loading) differ(-1, "control unit, loading", a.loading, b.loading);
  if (a.busy != b.busy) differ(-1, "control unit, busy", a.busy, b.busy);
  if (a.phase != b.phase) differ(-1, "control unit, phase", a.phase, b.phase);
  if (a.vc != b.vc) differ(-1, "control unit, VC", a.vc, b.vc);
  if (a.next != b.next) differ(-1, "control unit, next phase", a.next, b.next);
}

void LockstepSwitch::differ(int port, std::string field, std::uint64_t reference,
                            std::uint64_t twin, bool hex) const {
  throw LockstepDifference({cycle_, name_, port, std::move(field), reference, twin, hex},
                           reference_->model(), twin_->model());
}

void LockstepSwitch::differ_in_mask(const std::string& field, std::uint32_t reference,
                                    std::uint32_t twin) const {
  const int port = std::countr_zero(reference ^ twin);
  differ(port, field, reference >> port & 1U, twin >> port & 1U);
}

}  // namespace fredsim
