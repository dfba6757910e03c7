// SPDX-License-Identifier: Apache-2.0
#include "speed_mesh.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/random.h"
#include "routing/mesh_routing.h"
#include "switch/register_map.h"
#include "topology/mesh_address.h"

namespace fredsim::tb {
namespace {

constexpr int kVc = kDp;
constexpr std::uint32_t kLinks = (1U << kFirstLocal) - 1;  // ports to neighbour routers

std::uint16_t npu(int node) {
  return mesh_address(node % SpeedMesh::kWidth, node / SpeedMesh::kWidth, 0);
}

}  // namespace

SpeedMesh::SpeedMesh(SwitchModel model, double rate, std::uint64_t seed) {
  const RouterImplementation router = wafer_router(model);
  ports_ = router.shape.ports();
  routers_.resize(kNodes);
  for (Router& r : routers_) {
    r.pins = SwitchPins(ports_, 1);
  }
  for (Arrivals& slot : wheel_) {
    slot.flits.resize(static_cast<std::size_t>(kNodes * ports_));
    slot.credits.resize(slot.flits.size());
  }
  for (int n = 0; n < kNodes; ++n) {
    Router& r = routers_[n];
    r.core = router.make();
    r.core->reset();
    const int x = n % kWidth;
    const int y = n / kWidth;
    const auto join = [&](int port, bool there, int node, int peer_port) {
      if (!there) return;
      r.peers[port] = {static_cast<std::uint32_t>(node), 1U << peer_port,
                       static_cast<std::uint32_t>(peer_port * kWords)};
    };
    join(kNorth, y > 0, n - kWidth, kSouth);
    join(kEast, x + 1 < kWidth, n + 1, kWest);
    join(kSouth, y + 1 < kHeight, n + kWidth, kNorth);
    join(kWest, x > 0, n - 1, kEast);
    r.pins.out_ready = ~0U >> (32 - ports_);
    r.credits.fill(router.shape.buffers.depth(kVc));
    r.pins.reg = {true, true, reg::kPosition, static_cast<std::uint32_t>(x | y << 8)};
    r.core->step(r.pins);
    r.pins.reg = {};
  }
  Random random(seed);
  const auto chance = static_cast<std::uint64_t>(rate * 1e6);
  for (int cycle = 0; cycle < kDraws; ++cycle) {
    for (int n = 0; n < kNodes; ++n) {
      if (random.below(1'000'000) >= chance) continue;
      const int to = static_cast<int>(random.below(kNodes - 1));
      draws_.push_back({cycle, n, static_cast<std::uint16_t>(npu(to < n ? to : to + 1) + 1)});
    }
  }
}

void SpeedMesh::run(int cycles) {
  for (int i = 0; i < cycles; ++i) {
    while (draws_[next_draw_].cycle == (cycle_ & (kDraws - 1))) {
      const Draw& draw = draws_[next_draw_];
      next_draw_ = next_draw_ + 1 == draws_.size() ? 0 : next_draw_ + 1;
      std::uint16_t& waiting = routers_[draw.node].waiting;
      if (waiting == 0) waiting = draw.to;
      senders_ |= 1U << draw.node;
      if (next_draw_ == 0) break;
    }
    for (std::uint32_t left = senders_; left != 0; left &= left - 1) send(std::countr_zero(left));
    arrive();
    std::uint32_t left = std::exchange(busy_, 0);
    for (; left != 0; left &= left - 1) step(std::countr_zero(left));
    ++cycle_;
  }
}

void SpeedMesh::send(int node) {
  Router& r = routers_[node];
  const auto dst = static_cast<std::uint16_t>(r.waiting - 1);
  const MeshPosition to = mesh_position(dst);
  const int local = mesh_direction(node % kWidth, node / kWidth, to.x, to.y, {});
  if (r.credits[local] == 0) return;
  --r.credits[local];
  r.waiting = 0;
  senders_ &= ~(1U << node);
  Arrivals& next = wheel_[(cycle_ + 1) & (kSlots - 1)];
  ArrivingFlit& flit = next.flits[next.num_flits++];
  const int port = kFirstLocal + local;
  flit.at = {static_cast<std::uint32_t>(node), 1U << port,
             static_cast<std::uint32_t>(port * kWords)};
  pack_header({.dst = dst, .vc = kVc, .head = true, .tail = true}, flit.words.data());
}

// Credits first, as in the fabric: credits of an idle router wait at its pins for its next step,
// one per port.
void SpeedMesh::arrive() {
  Arrivals& now = wheel_[cycle_ & (kSlots - 1)];
  for (std::size_t i = 0; i < now.num_credits; ++i) {
    const Place& to = now.credits[i];
    Router& r = routers_[to.node];
    if ((r.pins.out_credit[kVc] & to.port) != 0) {
      r.core->step(r.pins);
      r.pins.out_credit[kVc] = 0;
    }
    r.pins.out_credit[kVc] |= to.port;
  }
  for (std::size_t i = 0; i < now.num_flits; ++i) {
    const ArrivingFlit& flit = now.flits[i];
    SwitchPins& pins = routers_[flit.at.node].pins;
    pins.in_valid |= flit.at.port;
    std::memcpy(&pins.in_flit[flit.at.first], flit.words.data(), sizeof flit.words);
    busy_ |= 1U << flit.at.node;
  }
  now.num_flits = now.num_credits = 0;
}

void SpeedMesh::step(int node) {
  Router& r = routers_[node];
  SwitchPins& pins = r.pins;
  r.core->step(pins);
  pins.in_valid = 0;
  pins.out_credit[kVc] = 0;
  busy_ |= static_cast<std::uint32_t>(!r.core->idle()) << node;
  if (const std::uint32_t to_npu = pins.out_valid & ~kLinks; to_npu != 0) {
    Arrivals& next = wheel_[(cycle_ + 1) & (kSlots - 1)];
    next.credits[next.num_credits++] = {static_cast<std::uint32_t>(node), to_npu, 0};
  }
  for (std::uint32_t left = pins.in_credit[kVc] & ~kLinks; left != 0; left &= left - 1) {
    ++r.credits[std::countr_zero(left) - kFirstLocal];
  }
  Arrivals& later = wheel_[(cycle_ + kLatency) & (kSlots - 1)];
  for (std::uint32_t left = pins.out_valid & kLinks; left != 0; left &= left - 1) {
    const int p = std::countr_zero(left);
    ArrivingFlit& flit = later.flits[later.num_flits++];
    flit.at = r.peers[p];
    std::memcpy(flit.words.data(), &pins.out_flit[p * kWords], sizeof flit.words);
  }
  for (std::uint32_t left = pins.in_credit[kVc] & kLinks; left != 0; left &= left - 1) {
    later.credits[later.num_credits++] = r.peers[std::countr_zero(left)];
  }
}

std::uint64_t SpeedMesh::flits_out(int first_port, int end_port) const {
  std::uint64_t sum = 0;
  SwitchCounters counters;
  for (const Router& r : routers_) {
    r.core->peek_counters(counters);
    for (int p = first_port; p < end_port; ++p) sum += counters.flits_out[p];
  }
  return sum;
}

}  // namespace fredsim::tb
