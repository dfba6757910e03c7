// SPDX-License-Identifier: Apache-2.0
#include "links/link.h"

#include <cassert>

#include "links/link_channel.h"

namespace fredsim {
VcDepths depths_behind(const Topology& topology, const Link& link) {
  VcDepths depths{};
  const Node& to = topology.nodes[link.to];
  const BufferShape& buffers = topology.buffers_of(to);
  for (int vc = 0; vc < kNumVcs; ++vc) {
    depths[vc] = to.is_endpoint() ? buffers.receive_flits : buffers.depth(vc);
  }
  return depths;
}

LinkTx::LinkTx(const Link& link, int number, const VcDepths& depths)
    : num_(static_cast<std::int64_t>(link.flit_rate().num)),
      den_(static_cast<std::int64_t>(link.flit_rate().den)),
      latency_(static_cast<std::uint32_t>(link.latency)),
      beyond_(static_cast<std::uint32_t>((link.flit_rate().den - 1) / link.flit_rate().num)),
      flags_(link.burst > 0 ? kBursts : 0),
      number_(number),
      depths_(depths),
      average_(link.rate),
      burst_(link.burst),
      burst_tokens_(burst_ * static_cast<std::int64_t>(link.rate.den)) {
  assert(link.latency >= 1 && num_ >= 1 && num_ <= den_);
  reset();
}

void LinkTx::reset() {
  held_ = full();
  since_ = 0;
  for (std::size_t vc = 0; vc < room_.size(); ++vc)
    room_[vc] = static_cast<std::uint16_t>(depths_[vc]);
  tokens_ = max_tokens();
  left_of_burst_ = 0;
  open_packets_ = 0;
}

std::int64_t LinkTx::tokens(std::uint64_t edge) const {
  const std::int64_t max = max_tokens();
  const auto num = static_cast<std::int64_t>(average_.num);
  // Cycles after which the bucket is full, whatever was owed.
  const std::uint64_t enough = static_cast<std::uint64_t>((max - tokens_ + num - 1) / num);
  return edge - since_ >= enough ? max : tokens_ + num * static_cast<std::int64_t>(edge - since_);
}

void LinkTx::count_in_burst(std::uint64_t edge, const std::uint32_t* flit) {
  tokens_ = tokens(edge);
  const bool is_spent = left_of_burst_ <= 0;
  const bool begins =
      begins_anew(tokens_) || (is_spent && open_packets_ == 0 && tokens_ >= burst_tokens_);
  if (begins) left_of_burst_ = burst_;
  --left_of_burst_;
  tokens_ -= static_cast<std::int64_t>(average_.den);
  const unsigned channel = 1U << static_cast<unsigned>(vc_of(flit));
  // A packet that begins when the burst is spent keeps the burst open only while at most one burst
  // is owed; otherwise the burst could last for ever.
  const bool is_of_burst =
      !is_spent || begins || (open_packets_ & channel) != 0 || tokens_ > -burst_tokens_;
  const bool is_last = (flit[2] & kTailBit) != 0;
  open_packets_ = static_cast<std::uint8_t>(is_of_burst && !is_last ? open_packets_ | channel
                                                                    : open_packets_ & ~channel);
}

bool LinkTx::channel_is_ready(std::uint64_t edge) const { return channel_->is_ready(*this, edge); }

LinkCount LinkTx::count(std::uint64_t edge) const {
  const std::int64_t left = is_paced() ? full() - held(edge) : 0;
  return {
      .flits = flits_,
      .phase_flits = phase_flits_,
      .missing_bytes = missing_bytes_,
      .sent = static_cast<double>(flits_) - static_cast<double>(left) / static_cast<double>(den_)};
}

}  // namespace fredsim
