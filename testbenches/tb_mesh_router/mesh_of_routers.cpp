// SPDX-License-Identifier: Apache-2.0
#include "mesh_of_routers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "routing/mesh_routing.h"
#include "switch/register_map.h"
#include "topology/mesh_address.h"

namespace fredsim::tb {
namespace {

constexpr int kEndpointBuffer = 96;  // flits per VC and port
constexpr std::uint64_t kEndpointLatency = 1;

}  // namespace

MeshOfRouters::MeshOfRouters(const RouterImplementation& implementation, const Options& options)
    : implementation_(implementation),
      options_(options),
      ports_(implementation.shape.ports()),
      words_(flit_words(implementation.shape.lanes)),
      random_(options.seed) {
  for (int i = 0; i < options.width * options.height; ++i) {
    routers_.emplace_back(implementation.make(), ports_, implementation.shape.lanes);
  }
  for (int y = 0; y < options.height; ++y) {
    for (int x = 0; x < options.width; ++x) wire(x, y);
  }
}

void MeshOfRouters::wire(int x, int y) {
  Router& router = at(mesh_address(x, y, 0));
  const auto join = [&](int port, int to_x, int to_y, int to_port) {
    if (rings().columns != 0) to_x = (to_x + options_.width) % options_.width;
    if (rings().rows != 0) to_y = (to_y + options_.height) % options_.height;
    if (to_x < 0 || to_y < 0 || to_x >= options_.width || to_y >= options_.height) return;
    router.ports[port].peer = to_y * options_.width + to_x;
    router.ports[port].peer_port = to_port;
  };
  join(kNorth, x, y - 1, kSouth);
  join(kEast, x + 1, y, kWest);
  join(kSouth, x, y + 1, kNorth);
  join(kWest, x - 1, y, kEast);
  router.core->reset();
  write(router, reg::kPosition, static_cast<std::uint32_t>(x | y << 8));
  write(router, reg::kTorus, static_cast<std::uint32_t>(rings().columns | rings().rows << 8));
  for (int p = kFirstLocal; p < ports_; ++p) {
    for (int v = 0; v < kNumVcs; ++v) {
      router.ports[p].send_credits[v] = implementation_.shape.buffers.depth(v);
      write(router, reg::kCredit + 4 * p + v, kEndpointBuffer);
    }
  }
}

void MeshOfRouters::write(Router& router, int address, std::uint32_t value) {
  router.pins.reg = {true, true, static_cast<std::uint16_t>(address), value};
  router.core->step(router.pins);
  router.pins.reg = {};
}

void MeshOfRouters::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("cycle {} seed {}: {}", cycle_, options_.seed, what));
}

MeshRings MeshOfRouters::rings() const {
  const auto ring = [&](int side) { return options_.torus && side >= 3 ? side : 0; };
  return {ring(options_.width), ring(options_.height)};
}

MeshOfRouters::Router& MeshOfRouters::at(std::uint16_t address) {
  const MeshPosition position = mesh_position(address);
  return routers_[position.y * options_.width + position.x];
}

std::vector<std::uint16_t> MeshOfRouters::endpoints() const {
  std::vector<std::uint16_t> all;
  for (int y = 0; y < options_.height; ++y) {
    for (int x = 0; x < options_.width; ++x) {
      for (int e = 0; e <= implementation_.shape.io_ports; ++e)
        all.push_back(mesh_address(x, y, e));
    }
  }
  return all;
}

void MeshOfRouters::add_packet(std::uint16_t from, std::uint16_t to, int vc, int flits) {
  const auto tag = static_cast<std::uint32_t>(packets_.size());
  packets_.push_back({from, to, vc, flits});
  due_[{from, to, vc}].push_back(tag);
  expected_ += static_cast<std::uint64_t>(flits);
  const MeshPosition a = mesh_position(from);
  const MeshPosition b = mesh_position(to);
  const int endpoint = from >> 12;
  const int locals = implementation_.shape.local_ports;
  const int port =
      endpoint == 0
          ? kFirstLocal + std::max(0, mesh_direction(a.x, a.y, b.x, b.y, rings())) % locals
          : kFirstLocal + locals + endpoint - 1;
  for (int i = 0; i < flits; ++i) {
    Flit flit(static_cast<std::size_t>(words_));
    FlitHeader h;
    h.tag = tag;
    h.dst = to;
    h.src = from;
    h.vc = static_cast<std::uint8_t>(vc);
    h.head = i == 0;
    h.tail = i == flits - 1;
    pack_header(h, flit.data());
    set_lane(flit.data(), 0, static_cast<std::uint16_t>(i));
    at(from).ports[port].send[vc].push_back(std::move(flit));
  }
}

void MeshOfRouters::send_from_endpoints(Router& router) {
  for (int p = kFirstLocal; p < ports_; ++p) {
    Port& port = router.ports[p];
    const int first = static_cast<int>(random_.below(kNumVcs));
    for (int k = 0; k < kNumVcs; ++k) {
      const int v = (first + k) % kNumVcs;
      auto& back = port.credits_to_sender[v];
      while (!back.empty() && back.front() <= cycle_) {
        back.pop_front();
        ++port.send_credits[v];
      }
    }
    for (int k = 0; k < kNumVcs; ++k) {
      const int v = (first + k) % kNumVcs;
      if (port.send[v].empty() || port.send_credits[v] == 0) continue;
      --port.send_credits[v];
      port.to_router.push_back({cycle_ + kEndpointLatency, std::move(port.send[v].front())});
      port.send[v].pop_front();
      break;
    }
  }
}

void MeshOfRouters::set_inputs(Router& router) {
  SwitchPins& pins = router.pins;
  pins.in_valid = 0;
  pins.out_ready = 0;
  pins.out_credit = {};
  for (int p = 0; p < ports_; ++p) {
    Port& port = router.ports[p];
    if (!port.to_router.empty() && port.to_router.front().when <= cycle_) {
      const Flit& flit = port.to_router.front().what;
      std::ranges::copy(flit, pins.in_flit.begin() + p * words_);
      port.to_router.pop_front();
      pins.in_valid |= 1U << p;
    }
    for (int v = 0; v < kNumVcs; ++v) {
      auto& back = port.credits_to_router[v];
      if (back.empty() || back.front() > cycle_) continue;
      back.pop_front();
      pins.out_credit[v] |= 1U << p;
    }
    if (static_cast<int>(random_.below(100)) >= options_.pause_percent) pins.out_ready |= 1U << p;
  }
}

void MeshOfRouters::take_outputs(int index) {
  Router& router = routers_[index];
  const SwitchPins& pins = router.pins;
  if (router.core->error() != 0) fail(fmt::format("router {} has an error", index));
  const auto later = cycle_ + static_cast<std::uint64_t>(options_.link_latency);
  for (int v = 0; v < kNumVcs; ++v) {
    for (std::uint32_t m = pins.in_credit[v]; m != 0; m &= m - 1) {
      Port& port = router.ports[std::countr_zero(m)];
      if (port.peer < 0) {
        port.credits_to_sender[v].push_back(cycle_ + kEndpointLatency);
      } else {
        routers_[port.peer].ports[port.peer_port].credits_to_router[v].push_back(later);
      }
    }
  }
  for (std::uint32_t m = pins.out_valid; m != 0; m &= m - 1) {
    const int p = std::countr_zero(m);
    const auto first = pins.out_flit.begin() + p * words_;
    Flit flit(first, first + words_);
    const Port& port = router.ports[p];
    if (port.peer >= 0) {
      routers_[port.peer].ports[port.peer_port].to_router.push_back({later, std::move(flit)});
    } else {
      receive_at_endpoint(index, p, flit);
    }
    last_move_ = cycle_;
  }
}

void MeshOfRouters::receive_at_endpoint(int index, int p, const Flit& flit) {
  Port& port = routers_[index].ports[p];
  const FlitHeader h = unpack_header(flit.data());
  const std::string who = fmt::format("router {} port {} packet {}", index, p, h.tag);
  if (p < kFirstLocal) fail(who + ": left the mesh");
  if (h.tag >= packets_.size()) fail(who + ": never sent");
  const Packet& packet = packets_[h.tag];
  const int locals = implementation_.shape.local_ports;
  const int endpoint = p < kFirstLocal + locals ? 0 : p - kFirstLocal - locals + 1;
  const std::uint16_t here = mesh_address(index % options_.width, index / options_.width, endpoint);
  if (packet.to != here || packet.vc != h.vc || packet.from != h.src) fail(who + ": wrong place");
  if (h.head) {
    if (port.open[h.vc] >= 0) fail(who + ": begins inside another packet");
    port.open[h.vc] = h.tag;
    port.flits_seen[h.vc] = 0;
    auto& due = due_[{packet.from, packet.to, packet.vc}];
    if (due.empty() || due.front() != h.tag) fail(who + ": out of order or twice");
    due.pop_front();
  }
  if (port.open[h.vc] != h.tag) fail(who + ": mixed with another packet");
  if (get_lane(flit.data(), 0) != port.flits_seen[h.vc]++) fail(who + ": flits out of order");
  if (h.tail) {
    if (port.flits_seen[h.vc] != packet.flits) fail(who + ": not complete");
    port.open[h.vc] = -1;
  }
  ++delivered_;
  auto& back = port.credits_to_router[h.vc];
  const auto delay = random_.below(static_cast<std::uint64_t>(options_.return_delay) + 1);
  back.push_back(std::max(back.empty() ? 0 : back.back(), cycle_ + kEndpointLatency + delay));
}

void MeshOfRouters::step() {
  for (Router& router : routers_) {
    send_from_endpoints(router);
    set_inputs(router);
    router.core->step(router.pins);
  }
  for (int i = 0; i < std::ssize(routers_); ++i) take_outputs(i);
  ++cycle_;
  if (delivered_ < expected_ && cycle_ - last_move_ > kQuietCycles) {
    fail(fmt::format("deadlock: {} of {} flits delivered", delivered_, expected_));
  }
}

void MeshOfRouters::drain(std::uint64_t limit) {
  const std::uint64_t end = cycle_ + limit;
  while (delivered_ < expected_) {
    if (cycle_ == end) fail(fmt::format("{} of {} flits delivered", delivered_, expected_));
    step();
  }
  const std::uint64_t settled =
      cycle_ + static_cast<std::uint64_t>(kEndpointBuffer * (options_.return_delay + 1) +
                                          2 * options_.link_latency);
  while (cycle_ < settled) step();
}

void MeshOfRouters::check_quiet() const {
  for (const auto& [stream, due] : due_) {
    if (!due.empty()) fail("a packet is missing");
  }
  for (const Router& router : routers_) {
    if (!router.core->idle()) fail("a router is not idle after all was delivered");
    for (int p = kFirstLocal; p < ports_; ++p) {
      for (int v = 0; v < kNumVcs; ++v) {
        if (router.ports[p].send_credits[v] +
                static_cast<int>(router.ports[p].credits_to_sender[v].size()) !=
            implementation_.shape.buffers.depth(v)) {
          fail(fmt::format("credits of port {} VC {} do not balance", p, v));
        }
      }
    }
  }
}

}  // namespace fredsim::tb
