#include "speed_mesh.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/random.h"
#include "routing/mesh_routing.h"
#include "switch/register_map.h"

namespace fredsim::tb {
namespace {

constexpr int kWords = flit_words(1);
constexpr int kVc = kDp;
constexpr std::uint32_t kLinks = (1U << kFirstLocal) - 1;  // ports to other routers

std::uint16_t npu(int node) {
  return mesh_address(node % SpeedMesh::kWidth, node / SpeedMesh::kWidth, 0);
}

}  // namespace

SpeedMesh::SpeedMesh(SwitchModel model, double rate, std::uint64_t seed) {
  const RouterBody body = wafer_router(model);
  ports_ = body.shape.ports();
  routers_.resize(kNodes);
  for (Router& r : routers_) {
    r.pins = SwitchPins(ports_, 1);
    for (Arrivals& slot : r.wheel) slot.in_flit.resize(r.pins.in_flit.size());
  }
  for (int n = 0; n < kNodes; ++n) {
    Router& r = routers_[n];
    r.core = body.make();
    r.core->reset();
    const int x = n % kWidth;
    const int y = n / kWidth;
    const auto join = [&](int port, bool there, int node, int peer_port) {
      if (!there) return;
      r.peers[port] = {&routers_[node].wheel, peer_port, node};
    };
    join(kNorth, y > 0, n - kWidth, kSouth);
    join(kEast, x + 1 < kWidth, n + 1, kWest);
    join(kSouth, y + 1 < kHeight, n + kWidth, kNorth);
    join(kWest, x > 0, n - 1, kEast);
    r.pins.out_ready = ~0U >> (32 - ports_);
    r.credits.fill(body.shape.buffers.depth(kVc));
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
    std::uint32_t left = std::exchange(busy_, 0) | std::exchange(due_[cycle_ & (kSlots - 1)], 0);
    for (; left != 0; left &= left - 1) step(std::countr_zero(left));
    ++cycle_;
  }
}

void SpeedMesh::send(int node) {
  Router& r = routers_[node];
  const auto dst = static_cast<std::uint16_t>(r.waiting - 1);
  const MeshPosition to = mesh_position(dst);
  const int local = mesh_direction(node % kWidth, node / kWidth, to.x, to.y);
  if (r.credits[local] == 0) return;
  --r.credits[local];
  r.waiting = 0;
  senders_ &= ~(1U << node);
  due_[(cycle_ + 1) & (kSlots - 1)] |= 1U << node;
  Arrivals& next = r.wheel[(cycle_ + 1) & (kSlots - 1)];
  next.flits |= 1U << (kFirstLocal + local);
  pack_header({.dst = dst, .vc = kVc, .head = true, .tail = true},
              &next.in_flit[(kFirstLocal + local) * kWords]);
}

void SpeedMesh::step(int node) {
  Router& r = routers_[node];
  SwitchPins& pins = r.pins;
  Arrivals& now = r.wheel[cycle_ & (kSlots - 1)];
  pins.in_valid = std::exchange(now.flits, 0);
  pins.out_credit[kVc] = std::exchange(now.credits, 0);
  pins.in_flit.swap(now.in_flit);
  r.core->step(pins);
  if (!r.core->idle()) busy_ |= 1U << node;
  pins.in_flit.swap(now.in_flit);
  const std::uint32_t to_endpoints = pins.out_valid & ~kLinks;
  if (to_endpoints != 0) {
    r.wheel[(cycle_ + 1) & (kSlots - 1)].credits |= to_endpoints;
    due_[(cycle_ + 1) & (kSlots - 1)] |= 1U << node;
  }
  for (std::uint32_t left = pins.in_credit[kVc] & ~kLinks; left != 0; left &= left - 1) {
    ++r.credits[std::countr_zero(left) - kFirstLocal];
  }
  const int later = (cycle_ + kLatency) & (kSlots - 1);
  for (std::uint32_t left = pins.out_valid & kLinks; left != 0; left &= left - 1) {
    const int p = std::countr_zero(left);
    const Peer peer = r.peers[p];
    Arrivals& to = (*peer.wheel)[later];
    to.flits |= 1U << peer.port;
    due_[later] |= 1U << peer.node;
    std::memcpy(&to.in_flit[peer.port * kWords], &pins.out_flit[p * kWords],
                kWords * sizeof(std::uint32_t));
  }
  for (std::uint32_t left = pins.in_credit[kVc] & kLinks; left != 0; left &= left - 1) {
    const Peer peer = r.peers[std::countr_zero(left)];
    (*peer.wheel)[later].credits |= 1U << peer.port;
    due_[later] |= 1U << peer.node;
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
