// SPDX-License-Identifier: Apache-2.0
#include "switch/voq_crossbar/voq_crossbar_twin.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/port_mask.h"
#include "switch/phased/phased_shape.h"
#include "switch/register_map.h"

namespace fredsim {
namespace {

// Edges from a flit's departure from its queue to its staging: memory, flit register, crossbar.
constexpr int kToStaging = 4;
constexpr std::uint8_t kNamesPhase = 0xFF;
// Header word 2: bits on links.
constexpr std::uint32_t kOnLinks = (1U << (noc_pkg::TAIL_BIT + 1) % 32) - 1;
static_assert((noc_pkg::TAIL_BIT + 1) / 32 == 2);

BufferShape buffers_of(const SwitchShape& shape) {
  return {.data_flits = shape.value("VC_DEPTH"),
          .control_flits = shape.value("CTRL_DEPTH"),
          .output_flits = shape.value("OUT_DEPTH")};
}

PhasedShape staging_of(const SwitchShape& shape) {
  PhasedShape staging;
  staging.lanes = shape.lanes();
  staging.buffers = buffers_of(shape);
  staging.packet_flits = shape.value("PACKET_FLITS");
  staging.vc_order = vc_order_of(shape.value("VC_ORDER"));
  return staging;
}

}  // namespace

VoqCrossbarTwin::VoqCrossbarTwin(const SwitchShape& shape, std::uint32_t id)
    : ports_(shape.ports()),
      words_(static_cast<std::size_t>(flit_words(shape.lanes()))),
      buffers_(buffers_of(shape)),
      in_slots_(3 * buffers_.data_flits + buffers_.control_flits),
      id_(id),
      slots_(static_cast<std::size_t>(ports_)),
      queues_(static_cast<std::size_t>(ports_ * kNumVcs * ports_)),
      next_(static_cast<std::size_t>(ports_ * in_slots_)),
      in_flits_(next_.size() * words_),
      scheduler_(ports_, shape.value("ITERATIONS"), vc_order_of(shape.value("VC_ORDER"))),
      outputs_(ports_, staging_of(shape), kToStaging),
      table_(route_table(shape)),
      routes_(static_cast<std::size_t>(table_.entries)),
      pin_flits_(slots_.size() * words_),
      pin_routes_(slots_.size()),
      flits_in_(slots_.size()) {
  reset();
}

void VoqCrossbarTwin::reset() {
  for (int port = 0; port < ports_; ++port) {
    const auto first = next_.begin() + static_cast<std::ptrdiff_t>(port) * in_slots_;
    std::iota(first, first + in_slots_, Slot{1});  // free list of a VC: each slot leads to the one
                                                   // after it
    for (int vc = 0; vc < kNumVcs; ++vc) {
      slots_[port][vc] = {.free = static_cast<Slot>(vc * buffers_.data_flits), .used = 0};
    }
  }
  std::ranges::fill(queues_, Queue{});
  hol_flits_ = {};
  buffered_ = 0;
  scheduler_.reset();
  outputs_.reset();
  popping_ = {};
  pin_valid_ = 0;
  std::ranges::fill(flits_in_, 0U);
  stall_credit_ = stall_arbiter_ = 0;
  overflow_ = phase_error_ = route_error_ = false;
  error_ = rdata_ = 0;
}

bool VoqCrossbarTwin::idle() const {
  return buffered_ == 0 && (pin_valid_ | on_any_vc(popping_)) == 0 && !overflow_ && !phase_error_ &&
         !route_error_ && scheduler_.idle() && outputs_.empty();
}

// ---- one clock edge; every decision uses the state before it, which the order below preserves.

void VoqCrossbarTwin::step(SwitchPins& pins) {
  if (words_ == flit_words(1)) {
    step_words<flit_words(1)>(pins);
  } else {
    step_words<0>(pins);
  }
}

template <int kWords>
void VoqCrossbarTwin::step_words(SwitchPins& pins) {
  if (pins.reg.valid && !pins.reg.write) access(pins.reg);
  stall_credit_ += static_cast<std::uint64_t>(scheduler_.stall_credit());
  stall_arbiter_ += static_cast<std::uint64_t>(scheduler_.stall_arbiter());
  if (error_ == reg::kErrorNone) {
    error_ = overflow_      ? reg::kErrorOverflow
             : phase_error_ ? reg::kErrorPhase
             : route_error_ ? reg::kErrorRoute
                            : reg::kErrorNone;
  }
  outputs_.drive<kWords>(pins);
  PortsByVc popped{};
  if (buffered_ != 0 || !scheduler_.idle()) {
    leave<kWords>(scheduler_.step(hol_flits_, outputs_.room()), popped);
  }
  outputs_.deliver();
  outputs_.launch(pins);
  accept<kWords>(pins);
  for (int vc = 0; vc < kNumVcs; ++vc) {
    for_each_port(popping_[vc], [&](int p) { --slots_[p][vc].used; });
  }
  pins.in_credit = popping_ = popped;
  if (pins.reg.valid && pins.reg.write) access(pins.reg);
  pins.reg_rdata = rdata_;
}

// Moves departing flits to their places in the staging.
template <int kWords>
void VoqCrossbarTwin::leave(std::span<const VoqScheduler::Move> moves, PortsByVc& popped) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  for (const VoqScheduler::Move& move : moves) {
    Queue& from = queue(move.input, move.vc, move.output);
    const std::size_t at = slot_index(move.input, from.first);
    outputs_.reserve(move.vc, 1U << move.output);
    outputs_.push<kWords>(move.vc, 1U << move.output, &in_flits_[at * words]);
    Slots& slots = slots_[move.input][move.vc];
    const Slot left = from.first;
    from.first = next_[at];
    --from.flits;
    next_[at] = slots.free;
    slots.free = left;
    --buffered_;
    popped[move.vc] |= 1U << move.input;
    show(move.input, move.vc, move.output);
  }
}

template <int kWords>
void VoqCrossbarTwin::accept(const SwitchPins& pins) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  overflow_ = phase_error_ = route_error_ = false;
  for_each_port(pin_valid_,
                [&](int p) { store(p, &pin_flits_[static_cast<std::size_t>(p) * words], words); });
  pin_valid_ = pins.in_valid;
  for_each_port(pin_valid_, [&](int p) {
    ++flits_in_[p];
    const std::size_t first = static_cast<std::size_t>(p) * words;
    std::uint32_t* const flit = &pin_flits_[first];
    std::memcpy(flit, &pins.in_flit[first], words * sizeof(std::uint32_t));
    flit[2] &= kOnLinks;
    const std::uint32_t destination = kDstField.of(flit);
    const std::uint8_t route = destination < routes_.size() ? routes_[destination] : 0;
    pin_routes_[p] = kPhaseField.of(flit) != kPhaseOnline ? kNamesPhase
                     : route <= ports_                    ? route
                                                          : std::uint8_t{0};
  });
}

// Moves a flit from the pin register to its queue.
void VoqCrossbarTwin::store(int port, const std::uint32_t* flit, std::size_t words) {
  const std::uint8_t route = pin_routes_[port];
  const int vc = vc_of(flit);
  Slots& slots = slots_[port][vc];
  if (route == kNamesPhase) {
    phase_error_ = true;
  } else if (route == 0) {
    route_error_ = true;
  } else if (slots.used == buffers_.depth(vc)) {
    overflow_ = true;
  } else {
    const Slot slot = slots.free;
    const std::size_t at = slot_index(port, slot);
    slots.free = next_[at];
    ++slots.used;
    std::memcpy(&in_flits_[at * words], flit, words * sizeof(std::uint32_t));
    Queue& to = queue(port, vc, route - 1);
    if (to.flits++ == 0) {
      to.first = slot;
    } else {
      next_[slot_index(port, to.last)] = slot;
    }
    to.last = slot;
    ++buffered_;
    show(port, vc, route - 1);
  }
}

// Shows a queue to the scheduler.
void VoqCrossbarTwin::show(int port, int vc, int output) {
  const Ports bit = 1U << port;
  const Queue& of = queue(port, vc, output);
  const auto set = [bit](Ports& ports, bool value) { ports = value ? ports | bit : ports & ~bit; };
  set(hol_flits_.valid[vc][output], of.flits != 0);
  const Ports out = 1U << output;
  Ports& outputs = hol_flits_.outputs[vc];
  outputs = hol_flits_.valid[vc][output] != 0 ? outputs | out : outputs & ~out;
  set(hol_flits_.several[vc][output], of.flits > 1);
  set(hol_flits_.tail[vc][output],
      of.flits != 0 && (in_flits_[slot_index(port, of.first) * words_ + 2] & kTailBit) != 0);
}

// ---- registers: reads see the state before an edge's work, writes change it after.

void VoqCrossbarTwin::access(const RegisterRequest& request) {
  const int credit = request.address - reg::kCredit;
  const bool is_credit = credit >= 0 && credit < kNumVcs * ports_;
  const int destination = request.address - table_.first;
  const bool is_route = table_.has(request.address);
  if (request.write) {
    if (is_route) routes_[destination] = static_cast<std::uint8_t>(request.wdata & 63U);
    if (is_credit) {
      outputs_.set_credits(credit / kNumVcs, credit % kNumVcs,
                           static_cast<std::uint16_t>(request.wdata));
    }
    return;
  }
  if (is_route) {
    rdata_ = routes_[destination];
  } else if (request.address >= reg::kFlitsIn && request.address < reg::kRoute) {
    const std::uint64_t value = counter(request.address);
    rdata_ = static_cast<std::uint32_t>((request.address & 1U) != 0 ? value >> 32 : value);
  } else if (is_credit) {
    rdata_ = outputs_.credits(credit / kNumVcs, credit % kNumVcs);
  } else {
    rdata_ = request.address == reg::kId      ? id_
             : request.address == reg::kShape ? static_cast<std::uint32_t>(ports_)
             : request.address == reg::kError ? error_
                                              : 0;
  }
}

std::uint64_t VoqCrossbarTwin::counter(std::uint16_t address) const {
  address &= 0xFFFE;
  if (address == reg::kStallCredit) return stall_credit_;
  if (address == reg::kStallArbiter) return stall_arbiter_;
  if (address == reg::kStallLink) return outputs_.stall_link();
  if (address >= reg::kFlitsIn && address < reg::kFlitsIn + 2 * ports_) {
    return flits_in_[(address - reg::kFlitsIn) / 2];
  }
  if (address >= reg::kFlitsOut && address < reg::kFlitsOut + 2 * ports_) {
    return outputs_.flits((address - reg::kFlitsOut) / 2);
  }
  return 0;
}

bool VoqCrossbarTwin::peek_counters(SwitchCounters& into) const {
  into.flits_in = flits_in_;
  into.flits_out.resize(flits_in_.size());
  for (int p = 0; p < ports_; ++p) into.flits_out[p] = outputs_.flits(p);
  into.reductions = into.phase_changes = into.stall_join = into.stall_phase = 0;
  into.stall_credit = stall_credit_;
  into.stall_arbiter = stall_arbiter_;
  into.stall_link = outputs_.stall_link();
  return true;
}

// The slots that flits lie in do not matter.
bool VoqCrossbarTwin::add_state(StateDigest& digest) const {
  for (int port = 0; port < ports_; ++port) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      digest.add(slots_[port][vc].used);
      for (int output = 0; output < ports_; ++output) {
        const Queue& of =
            queues_[static_cast<std::size_t>((port * kNumVcs + vc) * ports_ + output)];
        digest.add(of.flits);
        Slot slot = of.first;
        for (int i = 0; i < of.flits; ++i) {
          const std::size_t at = slot_index(port, slot);
          digest.add_flit(&in_flits_[at * words_]);
          slot = next_[at];
        }
      }
    }
  }
  digest.add(pin_valid_);
  for_each_port(pin_valid_, [&](int p) {
    digest.add_flit(&pin_flits_[static_cast<std::size_t>(p) * words_]);
    digest.add(pin_routes_[p]);
  });
  digest.add_all(popping_);
  digest.add(error_);
  digest.add((overflow_ ? 1U : 0U) | (phase_error_ ? 2U : 0U) | (route_error_ ? 4U : 0U));
  scheduler_.add_state(digest);
  outputs_.add_state(digest);
  return true;
}

void VoqCrossbarTwin::add_to_counters(const SwitchCounters& more) {
  for (int p = 0; p < ports_; ++p) flits_in_[p] += more.flits_in[p];
  outputs_.add_to_counters(more);
  stall_credit_ += more.stall_credit;
  stall_arbiter_ += more.stall_arbiter;
}

}  // namespace fredsim
