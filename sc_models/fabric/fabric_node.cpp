// SPDX-License-Identifier: Apache-2.0
#include "fabric/fabric_node.h"

#include <algorithm>
#include <cassert>

namespace fredsim {

void FabricNode::reset(LinkTx* links) {
  assert(core != nullptr || endpoint != nullptr);
  ready_ = waiting_ = 0;
  ready_before_ = {};
  stepped_ = 0;
  in_group_ = false;
  pins.in_valid = pins.out_valid = pins.out_ready = 0;
  pins.out_credit = pins.in_credit = {};
  pins.reg = {};
  if (core != nullptr) core->reset();
  if (endpoint != nullptr) endpoint->reset();
  for (int port = 0; port < ports; ++port) {
    LinkTx& link = links[port];
    link.reset();
    if (!link.exists()) continue;
    ready_ |= 1U << port;
    if (link.has_channel()) waiting_ |= 1U << port;
    for (int vc = 0; vc < kNumVcs && endpoint != nullptr; ++vc) {
      endpoint->set_credits(port, vc, link.room(vc));
    }
  }
}

// Finds the links that take a flit again.
void FabricNode::look_at_waiting(const LinkTx* links, std::uint64_t edge) {
  for (std::uint32_t left = waiting_; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    const std::uint32_t bit = 1U << port;
    if (links[port].has_channel()) {
      ready_ = links[port].is_ready(edge) ? ready_ | bit : ready_ & ~bit;
      continue;
    }
    if (!links[port].is_ready(edge)) continue;
    ready_ |= bit;
    waiting_ &= ~bit;
  }
}

bool FabricNode::add_state(StateDigest& digest) const {
  if (pins.reg.valid) return false;
  digest.add(std::uint64_t{ready_} << 32 | waiting_);
  digest.add_all(ready_before_);
  digest.add_all(pins.out_credit);
  digest.add(std::uint64_t{pins.out_valid} << 32 | pins.out_ready);
  return core != nullptr ? core->add_state(digest) : endpoint->add_state(digest);
}

}  // namespace fredsim
