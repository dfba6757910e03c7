// SPDX-License-Identifier: Apache-2.0
#include "switch/phased/phased_outputs.h"

#include <algorithm>

namespace fredsim {

PhasedOutputs::PhasedOutputs(int ports, const PhasedShape& shape, int delay, int longest)
    : all_(~Ports{0} >> (32 - ports)),
      words_(static_cast<std::size_t>(flit_words(shape.lanes))),
      depth_(shape.buffers.output_flits),
      packet_flits_(shape.packet_flits),
      vc_order_(shape.vc_order),
      buffers_(shape.buffers),
      out_(static_cast<std::size_t>(ports)),
      staged_(out_.size() * static_cast<std::size_t>(kNumVcs * depth_) * words_),
      pipeline_(static_cast<std::size_t>(std::max(delay, longest) + 1)),
      delay_(delay),
      slots_(out_.size()),
      flits_(out_.size()) {
  reset();
}

void PhasedOutputs::reset() {
  for (auto& port : out_) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      port[vc] = {};
      port[vc].base = static_cast<std::uint16_t>(vc * depth_);
      port[vc].places = static_cast<std::uint16_t>(depth_);
      port[vc].credits = static_cast<std::uint16_t>(buffers_.depth(vc));
    }
  }
  std::ranges::fill(pipeline_, PortsByVc{});
  place_ = 0;
  room_.fill(all_);
  has_credit_.fill(all_);
  some_ = inside_ = {};
  reserved_ = 0;
  leaving_ = launched_ = stalled_links_ = 0;
  std::ranges::fill(flits_, 0U);
  stall_link_ = 0;
}

// Launches flits for the links at the next edge, after this edge's arrivals in the staging.
void PhasedOutputs::launch(const SwitchPins& pins) {
  Ports able_any = 0;
  Ports going_on = 0;  // outputs at which the remaining flits of a phase's packet go first
  PortsByVc able;
  for (int vc = 0; vc < kNumVcs; ++vc) {
    able[vc] = some_[vc] & (has_credit_[vc] | pins.out_credit[vc]);
    able_any |= able[vc];
    going_on |= able[vc] & inside_[vc];
    has_credit_[vc] |= pins.out_credit[vc];
    for_each_port(pins.out_credit[vc], [&](int p) {
      if (++out_[p][vc].credits == 0) has_credit_[vc] &= ~(1U << p);  // saturates at 16 bits
    });
  }
  Ports taken = 0;
  for (const int vc : vc_order_) {
    const Ports leaving = able[vc] & (inside_[vc] | ~going_on) & pins.out_ready & ~taken;
    taken |= leaving;
    for_each_port(leaving, [&](int p) {
      OutVc& out = out_[p][vc];
      slots_[p] = static_cast<std::uint16_t>(out.base + out.head);
      const std::uint32_t* flit = slot(p, slots_[p]);
      const bool last = (flit[2] & kTailBit) != 0 || kPhaseField.of(flit) == kPhaseOnline;
      inside_[vc] = last ? inside_[vc] & ~(1U << p) : inside_[vc] | 1U << p;
      advance(out.head);
      if (--out.count == 0) some_[vc] &= ~(1U << p);
      ++out.places;
      set_room(p, vc);
      if (--out.credits == 0) has_credit_[vc] &= ~(1U << p);
    });
  }
  reserved_ -= std::popcount(taken);
  leaving_ = taken;
  stalled_links_ = able_any & ~pins.out_ready;
  stall_link_ += static_cast<std::uint64_t>(std::popcount(stalled_links_));
}

void PhasedOutputs::set_credits(int port, int vc, std::uint16_t credits) {
  out_[port][vc].credits = credits;
  const Ports bit = 1U << port;
  has_credit_[vc] = credits != 0 ? has_credit_[vc] | bit : has_credit_[vc] & ~bit;
}

}  // namespace fredsim
