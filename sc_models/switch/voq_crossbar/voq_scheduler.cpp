// SPDX-License-Identifier: Apache-2.0
#include "switch/voq_crossbar/voq_scheduler.h"

#include <algorithm>
#include <bit>

#include "base/port_mask.h"

namespace fredsim {
namespace {

using Ports = VoqScheduler::Ports;

// The first request at or after the turn.
int in_turn(Ports asks, Ports turn) {
  return std::countr_zero((asks & turn) != 0 ? asks & turn : asks);
}

}  // namespace

VoqScheduler::VoqScheduler(int ports, int iterations, const VcOrder& order)
    : ports_(ports), iterations_(iterations), all_(~Ports{0} >> (32 - ports)), order_(order) {
  moves_.reserve(static_cast<std::size_t>(ports));
  reset();
}

void VoqScheduler::reset() {
  owner_ = grant_turn_ = accept_turn_ = {};
  stream_ = {};
  ahead_ = {};
  moves_.clear();
  moved_ = no_room_ = ready_ = 0;
  stall_credit_ = stall_arbiter_ = 0;
}

bool VoqScheduler::idle() const {
  return moved_ == 0 && no_room_ == 0 && ready_ == 0 && stall_credit_ == 0 && stall_arbiter_ == 0 &&
         std::ranges::all_of(ahead_, [](const Pairs& pairs) { return pairs.in == 0; });
}

std::span<const VoqScheduler::Move> VoqScheduler::step(const Queues& queues,
                                                       const PortsByVc& room) {
  stall_credit_ = no_room_;
  stall_arbiter_ = ready_ - moved_;
  moves_.clear();
  const Asks asks = eligible(queues, room);
  const Pairs keep = first_in_the_last_round();
  if (iterations_ > 1) rounds_ahead(queues, room, asks, keep);
  Grants grants;
  move(queues, round(asks, keep, iterations_ > 1, grants), grants);
  moved_ = static_cast<int>(moves_.size());
  return moves_;
}

void VoqScheduler::clear(ByVcAndPort& ports) const {
  for (ByPort& of_vc : ports) std::fill_n(of_vc.begin(), ports_, Ports{0});
}

VoqScheduler::Asks VoqScheduler::eligible(const Queues& queues, const PortsByVc& room) {
  Asks asks;
  clear(asks.inputs);
  Ports has_hol = 0;
  Ports able = 0;
  Ports lacks_room = 0;
  for (int vc = 0; vc < kNumVcs; ++vc) {
    for_each_port(queues.outputs[vc], [&](int out) {
      const Ports valid = queues.valid[vc][out];
      const Ports owner = owner_[vc][out];
      const bool has_room = (room[vc] >> out & 1U) != 0;
      const Ports ask = owner != 0 ? valid & owner : has_room ? valid : 0;
      has_hol |= valid;
      able |= ask;
      if (owner == 0 && !has_room) lacks_room |= valid;
      asks.inputs[vc][out] = ask;
      if (ask != 0) asks.outputs |= 1U << out;
    });
  }
  const Ports short_of_room = lacks_room & ~able;
  no_room_ = std::popcount(short_of_room);
  ready_ = std::popcount(has_hol & ~short_of_room);
  return asks;
}

VoqScheduler::Pairs VoqScheduler::first_in_the_last_round() const {
  Pairs keep = stream_;
  if (iterations_ == 1) return keep;
  const Pairs& ahead = ahead_[iterations_ - 2];
  for_each_port(ahead.out & ~stream_.out,
                [&](int out) { keep.inputs[out] = ahead.inputs[out] & ~stream_.in; });
  keep.in |= ahead.in;
  keep.out |= ahead.out;
  return keep;
}

void VoqScheduler::rounds_ahead(const Queues& queues, const PortsByVc& room, const Asks& now,
                                const Pairs& keep) {
  Asks asks;
  clear(asks.inputs);
  Pairs going_on;
  for (int vc = 0; vc < kNumVcs; ++vc) {
    for_each_port(queues.outputs[vc], [&](int out) {
      const Ports valid = queues.valid[vc][out];
      const Ports kept = keep.inputs[out];
      const Ports owner = owner_[vc][out];
      const Ports several = queues.several[vc][out];
      const Ports tail = queues.tail[vc][out];
      const bool ends = (owner & kept & valid & tail) != 0;
      const bool open = (room[vc] >> out & 1U) != 0 && (owner == 0 || ends);
      const Ports ask = valid & (several | ~kept) & (open ? all_ : owner);
      asks.inputs[vc][out] = ask;
      if (ask != 0) asks.outputs |= 1U << out;
      going_on.inputs[out] |= kept & now.inputs[vc][out] & several & ~tail;
    });
  }
  for (int out = 0; out < ports_; ++out) {
    if (going_on.inputs[out] == 0) continue;
    going_on.in |= going_on.inputs[out];
    going_on.out |= 1U << out;
  }
  Grants grants;
  for (int k = iterations_ - 2; k >= 0; --k) {
    ahead_[k] = round(asks, k == 0 ? going_on : ahead_[k - 1], k > 0, grants);
  }
}

// Chooses one of the requests at a port; requests in `first` take precedence, within a VC or over
// all.
VoqScheduler::Choice VoqScheduler::choose(const ByVcAndPort& asks, const ByVcAndPort& turns,
                                          int port, Ports first, bool over_vcs) const {
  const auto highest = [&](Ports among) {
    return std::ranges::find_if(order_, [&](int vc) { return (asks[vc][port] & among) != 0; });
  };
  auto vc = over_vcs ? highest(first) : order_.end();
  if (vc == order_.end()) vc = highest(~Ports{0});
  const Ports all = asks[*vc][port];
  const Ports among = (all & first) != 0 ? all & first : all;
  return {in_turn(among, turns[*vc][port]), *vc};
}

VoqScheduler::Pairs VoqScheduler::round(const Asks& asks, const Pairs& keep, bool over_vcs,
                                        Grants& grants) const {
  ByVcAndPort got;  // index: VC and input; outputs that granted it
  clear(got);
  Ports inputs = 0;
  for_each_port(asks.outputs, [&](int out) {
    const Ports first = (keep.out >> out & 1U) != 0 ? keep.inputs[out] : ~keep.in;
    const Choice to = choose(asks.inputs, grant_turn_, out, first, over_vcs);
    grants.vc[out] = static_cast<std::uint8_t>(to.vc);
    got[to.vc][to.port] |= 1U << out;
    inputs |= 1U << to.port;
  });
  ByPort kept_output;
  std::fill_n(kept_output.begin(), ports_, Ports{0});
  for_each_port(keep.out, [&](int out) {
    if (keep.inputs[out] != 0) kept_output[std::countr_zero(keep.inputs[out])] = 1U << out;
  });
  Pairs pairs;
  pairs.in = inputs;
  for_each_port(inputs, [&](int in) {
    const int out = choose(got, accept_turn_, in, kept_output[in], over_vcs).port;
    pairs.inputs[out] = 1U << in;
    pairs.out |= 1U << out;
  });
  return pairs;
}

// Moves the flits of the last round's pairs.
void VoqScheduler::move(const Queues& queues, const Pairs& pairs, const Grants& grants) {
  stream_ = {};
  for_each_port(pairs.out, [&](int out) {
    const Ports bit = pairs.inputs[out];
    const int in = std::countr_zero(bit);
    const int vc = grants.vc[out];
    moves_.push_back({in, out, vc});
    Ports& owner = owner_[vc][out];
    if (owner == 0) {
      grant_turn_[vc][out] = ~1U << in;
      accept_turn_[vc][in] = ~1U << out;
    }
    const bool ends = (queues.tail[vc][out] & bit) != 0;
    owner = ends ? 0 : bit;
    if (!ends && (queues.several[vc][out] & bit) != 0) {
      stream_.inputs[out] = bit;
      stream_.in |= bit;
      stream_.out |= 1U << out;
    }
  });
}

void VoqScheduler::add_state(StateDigest& digest) const {
  for (const ByVcAndPort* const of : {&owner_, &grant_turn_, &accept_turn_}) {
    for (const ByPort& ports : *of)
      digest.add_all(std::span(ports).first(static_cast<std::size_t>(ports_)));
  }
  const auto add = [&](const Pairs& pairs) {
    digest.add(std::uint64_t{pairs.in} << 32 | pairs.out);
    for_each_port(pairs.out, [&](int out) { digest.add(pairs.inputs[out]); });
  };
  add(stream_);
  for (const Pairs& pairs : ahead_) add(pairs);
  digest.add_all(std::array{moved_, no_room_, ready_, stall_credit_, stall_arbiter_});
}

}  // namespace fredsim
