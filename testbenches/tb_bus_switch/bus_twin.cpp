// SPDX-License-Identifier: Apache-2.0
#include "bus_twin.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/port_mask.h"
#include "rtl/bus_pkg.h"
#include "switch/register_map.h"

namespace fredsim {

BusTwin::BusTwin(const SwitchShape& shape)
    : ports_(shape.ports()),
      words_(flit_words(shape.lanes())),
      packet_flits_(shape.value("PACKET_FLITS")),
      order_(vc_order_of(shape.value("VC_ORDER"))),
      routes_(reg::kMaxRoutes) {
  depth_.fill(shape.value("VC_DEPTH"));
  depth_[kControl] = shape.value("CTRL_DEPTH");
  reset();
}

void BusTwin::reset() {
  const auto flit = std::vector<std::uint32_t>(static_cast<std::size_t>(words_));
  pins_.assign(static_cast<std::size_t>(ports_), {.flit = flit});
  queues_.clear();
  credits_.clear();
  int slots = 0;
  for (int v = 0; v < kNumVcs; ++v) {
    for (int p = 0; p < ports_; ++p) {
      queues_.push_back({.base = slots, .depth = depth_[v]});
      slots += depth_[v];
    }
  }
  for (int p = 0; p < ports_; ++p) {
    for (int v = 0; v < kNumVcs; ++v) credits_.push_back(static_cast<std::uint16_t>(depth_[v]));
  }
  flits_.resize(static_cast<std::size_t>(slots * words_));
  outs_.resize(static_cast<std::size_t>(slots));
  open_.fill(-1);
  turn_.fill(0);
  reading_ = on_bus_ = {.flit = flit};
  stalls_ = {};
  overflow_ = false;
  out_valid_ = error_ = rdata_ = 0;
  counters_ = {.flits_in = std::vector<std::uint64_t>(static_cast<std::size_t>(ports_)),
               .flits_out = std::vector<std::uint64_t>(static_cast<std::size_t>(ports_))};
}

bool BusTwin::idle() const {
  return out_valid_ == 0 && reading_.out == kNoOutput && on_bus_.out == kNoOutput &&
         std::ranges::none_of(pins_, &Pin::valid) &&
         std::ranges::all_of(queues_, [](const Queue& q) { return q.flits == 0; });
}

// All decisions use the register contents before the edge, so the pipeline is evaluated from its
// end.
void BusTwin::step(SwitchPins& pins) {
  if (pins.reg.valid && !pins.reg.write) rdata_ = read(pins.reg.address);
  count(pins);
  note_errors();
  const Grant grant = arbitrate(pins.out_ready);

  out_valid_ = 0;
  if (on_bus_.out != kNoOutput) {
    out_valid_ = 1U << on_bus_.out;
    std::ranges::copy(on_bus_.flit, &pins.out_flit[on_bus_.out * words_]);
  }
  pins.out_valid = out_valid_;
  std::swap(on_bus_, reading_);
  for (int p = 0; p < ports_; ++p) store(p);
  settle_credits(pins, grant);
  pop(grant);
  for (int p = 0; p < ports_; ++p) sample(p, pins);
  if (pins.reg.valid && pins.reg.write) write(pins.reg.address, pins.reg.wdata);

  pins.in_credit = {};
  if (grant.any) pins.in_credit[grant.vc] = 1U << grant.input;
  pins.reg_rdata = rdata_;
}

// ------------------------------------------------------------------------------------- bus

BusTwin::Grant BusTwin::arbitrate(std::uint32_t ready) {
  std::array<std::uint32_t, kNumVcs> requests{};
  stalls_ = {};
  for (int v = 0; v < kNumVcs; ++v) {
    for (int p = 0; p < ports_; ++p) {
      const Queue& q = queue(v, p);
      const int out = q.flits == 0 ? kNoOutput : outs_[slot(q, 0)];
      if (out == kNoOutput) continue;
      const int need = open_[v] == p || v == kControl ? 1 : packet_flits_;
      if (credits_[4 * out + v] < need) {
        ++stalls_.credit;
      } else if ((ready >> out & 1U) == 0) {
        stalls_.link |= 1U << out;
      } else {
        ++stalls_.arbiter;
        if (open_[v] < 0 || open_[v] == p) requests[v] |= 1U << p;
      }
    }
  }
  for (const int v : order_) {
    if (requests[v] == 0) continue;
    --stalls_.arbiter;
    const auto in_turn = static_cast<std::uint32_t>(requests[v] & ~std::uint64_t{0} << turn_[v]);
    const int p = std::countr_zero(in_turn != 0 ? in_turn : requests[v]);
    turn_[v] = p + 1;
    return {.input = p, .vc = v, .any = true};
  }
  return {};
}

void BusTwin::pop(const Grant& grant) {
  for (Queue& q : queues_) q.popped = false;
  reading_.out = kNoOutput;
  if (!grant.any) return;
  Queue& q = queue(grant.vc, grant.input);
  const int at = slot(q, 0);
  reading_.out = outs_[at];
  std::copy_n(&flits_[at * words_], words_, reading_.flit.begin());
  open_[grant.vc] = kTailField.of(reading_.flit.data()) != 0 ? -1 : grant.input;
  q.first = (q.first + 1) % q.depth;
  --q.flits;
  q.popped = true;
}

void BusTwin::settle_credits(const SwitchPins& pins, const Grant& grant) {
  for (int v = 0; v < kNumVcs; ++v) {
    for_each_port(pins.out_credit[v], [&](int p) { ++credits_[4 * p + v]; });
  }
  if (grant.any) --credits_[4 * outs_[slot(queue(grant.vc, grant.input), 0)] + grant.vc];
}

// ------------------------------------------------------------------------------------- inputs

// Moves flits from the pin register into the buffer. A flit that leaves at this edge still occupies
// its slot; one that left at the previous edge frees it now.
void BusTwin::store(int port) {
  if (port == 0) overflow_ = false;
  Pin& pin = pins_[port];
  Queue& q = queue(vc_of(pin.flit.data()), port);
  const bool is_full = q.used == q.depth;
  for (int v = 0; v < kNumVcs; ++v) queue(v, port).used -= queue(v, port).popped ? 1 : 0;
  if (!pin.valid) return;
  if (is_full) {
    overflow_ = true;
    return;
  }
  const int at = slot(q, q.flits);
  std::ranges::copy(pin.flit, &flits_[at * words_]);
  outs_[at] = pin.out;
  ++q.flits;
  ++q.used;
}

void BusTwin::sample(int port, const SwitchPins& pins) {
  Pin& pin = pins_[port];
  pin.valid = (pins.in_valid >> port & 1U) != 0;
  if (!pin.valid) return;
  std::copy_n(&pins.in_flit[port * words_], words_, pin.flit.begin());
  const std::uint32_t dst = kDstField.of(pin.flit.data());
  const int route = dst < routes_.size() ? routes_[dst] : 0;
  pin.out = route <= ports_ ? route - 1 : kNoOutput;
}

// ------------------------------------------------------------------------------------- registers

void BusTwin::note_errors() {
  if (error_ != reg::kErrorNone) return;
  const bool lost = std::ranges::any_of(
      queues_, [&](const Queue& q) { return q.flits > 0 && outs_[slot(q, 0)] == kNoOutput; });
  if (overflow_) {
    error_ = reg::kErrorOverflow;
  } else if (lost) {
    error_ = reg::kErrorRoute;
  }
}

void BusTwin::count(const SwitchPins& pins) {
  for_each_port(pins.in_valid, [&](int p) { ++counters_.flits_in[p]; });
  for_each_port(out_valid_, [&](int p) { ++counters_.flits_out[p]; });
  counters_.stall_credit += stalls_.credit;
  counters_.stall_arbiter += stalls_.arbiter;
  counters_.stall_link += static_cast<std::uint64_t>(std::popcount(stalls_.link));
}

std::uint64_t BusTwin::counter(std::uint16_t address) const {
  const int in = (address - reg::kFlitsIn) / 2;
  const int out = (address - reg::kFlitsOut) / 2;
  if (address >= reg::kFlitsIn && in < ports_) return counters_.flits_in[in];
  if (address >= reg::kFlitsOut && out < ports_) return counters_.flits_out[out];
  for (const CounterInfo& one : kSwitchCounters) {
    if (one.address == address) return counters_.*one.value;
  }
  return 0;
}

std::uint32_t BusTwin::read(std::uint16_t address) const {
  if (address == reg::kId) return bus_pkg::BUS_ID;
  if (address == reg::kShape) return static_cast<std::uint32_t>(ports_);
  if (address == reg::kError) return error_;
  const int credit = address - reg::kCredit;
  if (credit >= 0 && credit < 4 * ports_) return credits_[credit];
  const int route = address - reg::kRoute;
  if (route >= 0 && route < reg::kMaxRoutes) return routes_[route];
  const std::uint64_t value = counter(address & 0xFFFE);
  return static_cast<std::uint32_t>(address % 2 == 0 ? value : value >> 32);
}

// A register write takes precedence over other updates at the same edge.
void BusTwin::write(std::uint16_t address, std::uint32_t data) {
  const int credit = address - reg::kCredit;
  if (credit >= 0 && credit < 4 * ports_) credits_[credit] = static_cast<std::uint16_t>(data);
  const int route = address - reg::kRoute;
  if (route >= 0 && route < reg::kMaxRoutes) {
    routes_[route] = static_cast<std::uint8_t>(data & ~(~0U << (phased_pkg::OUT_W + 1)));
  }
}

bool BusTwin::peek_counters(SwitchCounters& into) const {
  into = counters_;
  return true;
}

}  // namespace fredsim
