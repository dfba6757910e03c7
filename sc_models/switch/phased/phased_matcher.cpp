// SPDX-License-Identifier: Apache-2.0
#include "switch/phased/phased_matcher.h"

#include <algorithm>
#include <bit>

#include "base/port_mask.h"

namespace fredsim {
namespace {

std::size_t index(int port, int vc) { return static_cast<std::size_t>(kNumVcs * port + vc); }

constexpr std::uint32_t kDiceBits = 17;

}  // namespace

PhasedMatcher::PhasedMatcher(int ports, int apart_levels, const VcOrder& order)
    : ports_(ports), order_(order), levels_(apart_levels), from_pointer_(index(ports_, 0)) {
  moves_.reserve(static_cast<std::size_t>(ports_));
  reset();
}

void PhasedMatcher::reset() {
  begun_ = locked_ = streams_ = {};
  rest_ = 0;
  dice_ = 1;
  std::ranges::fill(from_pointer_, 0U);
  first_ = 0;
  moves_.clear();
  moved_ = ready_ = no_room_ = 0;
  stall_credit_ = stall_arbiter_ = 0;
}

bool PhasedMatcher::idle() const {
  return moved_ == 0 && ready_ == 0 && no_room_ == 0 && stall_credit_ == 0 && stall_arbiter_ == 0 &&
         rest_ == 0 && on_any_vc(streams_) == 0;
}

std::span<const PhasedMatcher::Move> PhasedMatcher::step(const HolFlits& hol_flits,
                                                         const Phase& phase) {
  stall_credit_ = no_room_;
  stall_arbiter_ = ready_ - moved_;
  moves_.clear();
  ask(hol_flits, phase);
  streams_ = {};
  rest_ = 0;
  const bool apart = levels_ > 0 && phase.popped != 0;  // no online flit beside the phase's
  if (asked_ != 0) grant(phase.popped, apart ? ~0U : phase.reserved, hol_flits.tail);
  moved_ = static_cast<int>(moves_.size());
  return moves_;
}

void PhasedMatcher::ask(const HolFlits& hol_flits, const Phase& phase) {
  asked_ = 0;
  ready_ = no_room_ = 0;
  Ports quiet = rest_;  // inputs without a request for this VC
  for (const int vc : order_) {
    const Ports held = (phase.vc == vc ? phase.held : 0) |
                       (phase.second_vc == vc ? phase.second_held : 0) |
                       (phase.in_flight_vc == vc ? phase.in_flight : 0);
    const Ports open = hol_flits.room[vc] & ~locked_[vc] & ~held;
    for_each_port(hol_flits.request[vc], [&](int p) {
      const Ports input = 1U << p;
      const int out = hol_flits.output[index(p, vc)];
      const Ports output = 1U << out;
      const bool begun = (begun_[vc] & input) != 0;
      ++(begun || (hol_flits.room[vc] & output) != 0 ? ready_ : no_room_);
      if ((!begun && (open & output) == 0) || ((quiet & input) | (phase.closed & output)) != 0) {
        return;
      }
      ask_[out][vc] |= input;
      asked_ |= output;
    });
    quiet |= streams_[vc] & hol_flits.request[vc];
  }
}

void PhasedMatcher::grant(Ports in_taken, Ports out_taken, const PortsByVc& tail) {
  std::array<Grant, 32> grants;
  PortsByVc got{};  // inputs with a grant
  bool contended = false;
  for_each_port(asked_, [&](int out) {
    PortsByVc& asks = ask_[out];
    const int vc = *std::ranges::find_if(order_, [&](int v) { return asks[v] != 0; });
    const Ports after = asks[vc] & from_pointer_[index(out, vc)];
    const int input = std::countr_zero(after != 0 ? after : asks[vc]);
    grants[out] = {input, vc, !std::has_single_bit(on_any_vc(asks))};
    contended |= grants[out].contended;
    asks = {};
  });
  if (levels_ > 0) {
    const Ports dropped = conflicting(grants);
    out_taken |= dropped;
    if (dropped != 0) first_ = first_ + 1 == ports_ ? 0 : first_ + 1;
    asked_ &= ~dropped;
  }
  for_each_port(asked_, [&](int out) {
    const Grant& grant = grants[out];
    got[grant.vc] |= 1U << grant.input;
    if ((begun_[grant.vc] >> grant.input & 1U) == 0 && (out_taken >> out & 1U) == 0) {
      from_pointer_[index(out, grant.vc)] = ~1U << grant.input;
    }
  });
  Ports above = 0;  // inputs with a grant on a higher VC
  for (const int vc : order_) {
    const Ports accepted = got[vc] & ~above;
    above |= got[vc];
    got[vc] = accepted;
  }
  for_each_port(asked_, [&](int out) {
    const Grant& grant = grants[out];
    if ((got[grant.vc] >> grant.input & 1U) == 0) return;
    if ((in_taken >> grant.input & 1U) != 0) {
      if (grant.contended) rest_ |= (dice_ & 1U) << grant.input;
    } else if ((out_taken >> out & 1U) == 0) {
      move(out, grant, tail);
    }
  });
  if (contended && in_taken != 0)
    dice_ = (dice_ << 1 | ((dice_ >> 16 ^ dice_ >> 13) & 1U)) & ((1U << kDiceBits) - 1);
}

// Outputs whose flit would meet that of an earlier output, in the order from first_ on.
PhasedMatcher::Ports PhasedMatcher::conflicting(const std::array<Grant, 32>& grants) const {
  Ports dropped = 0;
  for_each_port(asked_, [&](int out) {
    for_each_port(asked_, [&](int other) {
      const int bit =
          std::bit_width(static_cast<unsigned>(out ^ other));  // position above the highest
                                                               // different bit
      const int differ = grants[out].input ^ grants[other].input;
      if (out == other || bit > levels_ || differ == 0 || (differ & ((1 << bit) - 1)) != 0) return;
      if ((other >= first_) != (out >= first_) ? other >= first_ : other < out)
        dropped |= 1U << out;
    });
  });
  return dropped;
}

void PhasedMatcher::move(int output, const Grant& grant, const PortsByVc& tail) {
  const Ports input = 1U << grant.input;
  const Ports to = 1U << output;
  moves_.push_back({grant.input, output, grant.vc});
  if ((tail[grant.vc] & input) != 0) {
    begun_[grant.vc] &= ~input;
    locked_[grant.vc] &= ~to;
  } else {
    begun_[grant.vc] |= input;
    locked_[grant.vc] |= to;
    streams_[grant.vc] |= input;
  }
}

}  // namespace fredsim
