// SPDX-License-Identifier: Apache-2.0
// Shortest paths of an Ethernet network, by number of links; all of them are used.
//
// Errors: BadInput if a host does not reach another one, or if a path has more than
//   kMaxEthernetHops switches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ethernet/graph.h"

namespace fredsim {

class EthernetRoutes {
 public:
  EthernetRoutes(const EthernetGraph& graph, std::uint64_t packet_bytes);

  // Links of `node` on shortest paths to `host`.
  std::span<const std::uint32_t> links(int node, int host) const {
    const std::size_t row = static_cast<std::size_t>(node) * hosts_ + host;
    return {links_.data() + first_[row], links_.data() + first_[row + 1]};
  }
  // T: largest base round-trip time: a packet of `packet_bytes` there, latencies back.
  Picoseconds longest_round_trip() const { return longest_; }

 private:
  int hosts_;
  std::vector<std::uint32_t> links_;
  std::vector<std::size_t> first_;  // by (node, host)
  Picoseconds longest_ = 0;
};

}  // namespace fredsim
