#include "fabric/link.h"

#include <cassert>

namespace fredsim {

VcDepths depths_behind(const Topology& topology, const Link& link) {
  VcDepths depths{};
  const bool is_endpoint = topology.nodes[link.to].is_endpoint();
  for (int vc = 0; vc < kNumVcs; ++vc) {
    depths[vc] = is_endpoint ? topology.buffers.receive_flits : topology.buffers.depth(vc);
  }
  return depths;
}

LinkTx::LinkTx(const Link& link, int number, const VcDepths& depths)
    : num_(static_cast<std::int64_t>(link.rate.num)),
      den_(static_cast<std::int64_t>(link.rate.den)),
      latency_(static_cast<std::uint32_t>(link.latency)),
      beyond_(static_cast<std::uint32_t>((link.rate.den - 1) / link.rate.num)),
      number_(number),
      depths_(depths) {
  assert(link.latency >= 1 && link.rate.num >= 1 && link.rate.num <= link.rate.den);
  reset();
}

void LinkTx::reset() {
  held_ = full();
  since_ = 0;
  room_ = depths_;
}

LinkCount LinkTx::count(std::uint64_t edge) const {
  const std::int64_t left = is_paced() ? full() - held(edge) : 0;
  return {
      .flits = flits_,
      .missing_bytes = missing_bytes_,
      .sent = static_cast<double>(flits_) - static_cast<double>(left) / static_cast<double>(den_)};
}

}  // namespace fredsim
