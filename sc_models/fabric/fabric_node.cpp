#include "fabric/fabric_node.h"

#include <algorithm>
#include <cassert>

namespace fredsim {

void FabricNode::reset(LinkTx* links) {
  assert(core != nullptr || endpoint != nullptr);
  ready_ = charging_ = 0;
  ready_before_ = {};
  stepped_ = 0;
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
    for (int vc = 0; vc < kNumVcs && endpoint != nullptr; ++vc) {
      endpoint->set_credits(port, vc, link.room(vc));
    }
  }
}

// What the accumulators gain in `edges` edges.
void FabricNode::charge(LinkTx* links, std::uint64_t edges) {
  for (std::uint32_t left = charging_; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    const std::uint32_t bit = 1U << port;
    LinkTx& link = links[port];
    link.gain(edges);
    if (link.is_ready()) ready_ |= bit;
    if (link.is_rested()) charging_ &= ~bit;
  }
}

// From the last step on, at most, until all accumulators are full.
std::uint64_t FabricNode::edges_to_charge(const LinkTx* links) const {
  std::uint64_t edges = 0;
  for (std::uint32_t left = charging_; left != 0; left &= left - 1)
    edges = std::max(edges, links[std::countr_zero(left)].most_edges());
  return edges;
}

bool FabricNode::add_state(const LinkTx* links, std::uint64_t edge, StateDigest& digest) const {
  if (pins.reg.valid) return false;
  digest.add(std::uint64_t{ready_} << 32 | charging_);
  digest.add_all(ready_before_);
  digest.add(std::min(edge - stepped_, edges_to_charge(links)));
  digest.add_all(pins.out_credit);
  digest.add(std::uint64_t{pins.out_valid} << 32 | pins.out_ready);
  return core != nullptr ? core->add_state(digest) : endpoint->add_state(digest);
}

}  // namespace fredsim
