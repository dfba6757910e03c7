// SPDX-License-Identifier: Apache-2.0
// Random traffic on one router, on every port and VC, every implementation without and with random
// stalls; and idle exactness: edges left out while the router says idle() change nothing.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "switch/register_map.h"
#include "tb_mesh_router/router_driver.h"
#include "topology/mesh_address.h"

namespace fredsim::tb {
namespace {

using MakeRouter = RouterImplementation (*)(SwitchModel);
constexpr std::array<MakeRouter, 4> kRouters{wafer_router, small_router, even_router, full_router};
enum class WithStalls : bool { kNo, kYes };

struct Mode {
  SwitchModel model;
  MakeRouter make;
  WithStalls stalls;
  RouterImplementation router() const { return make(model); }
};

std::string mode_name(const testing::TestParamInfo<Mode>& test) {
  return test_name(test.param.router()) +
         (test.param.stalls == WithStalls::kYes ? "_stalls" : "_no_stalls");
}

std::vector<Mode> all_modes() {
  std::vector<Mode> modes;
  for (const SwitchModel model : kModels) {
    for (const MakeRouter make : kRouters) {
      for (const WithStalls stalls : {WithStalls::kNo, WithStalls::kYes}) {
        modes.push_back({model, make, stalls});
      }
    }
  }
  return modes;
}

// The router of 32 ports is Verilated without optimisation: a few of `seeds` there.
std::uint64_t last_seed(const RouterImplementation& router, std::uint64_t first,
                        std::uint64_t seeds) {
  return first + (router.shape.ports() == 32 ? (seeds + 5) / 6 : seeds) - 1;
}

class MeshRouterTraffic : public testing::TestWithParam<Mode> {};

void run(const RouterImplementation& router, const Stalls& stalls, std::uint64_t seed,
         const MeshRings& rings = {}) {
  SCOPED_TRACE(fmt::format("router {} seed {} rings of {} columns, {} rows", router.name, seed,
                           rings.columns, rings.rows));
  RouterDriver driver(router, stalls, seed, rings);
  for (int round = 0; round < 3; ++round) {
    driver.add_random_packets(400);
    driver.drain(500'000);
  }
  driver.check_quiet();
}

Stalls random_stalls(std::uint64_t seed) {
  Random random(seed);
  Stalls stalls;
  stalls.gap_percent = static_cast<int>(random.below(80));
  stalls.pause_percent = static_cast<int>(random.below(60));
  stalls.return_delay = static_cast<int>(random.below(60));
  stalls.receive_depth = 1 + static_cast<int>(random.below(40));
  return stalls;
}

TEST_P(MeshRouterTraffic, DeliversEveryFlit) {
  const RouterImplementation router = GetParam().router();
  if (GetParam().stalls == WithStalls::kYes) {
    for (std::uint64_t seed = 101; seed <= last_seed(router, 101, 30); ++seed)
      run(router, random_stalls(seed), seed);
  } else {
    const Stalls none{.receive_depth = 2 * router.shape.buffers.data_flits};
    for (std::uint64_t seed = 1; seed <= last_seed(router, 1, 12); ++seed) run(router, none, seed);
  }
}

// Tori of every kind; the receivers hold more than a packet.
TEST_P(MeshRouterTraffic, DeliversEveryFlitOnATorus) {
  const RouterImplementation router = GetParam().router();
  for (std::uint64_t seed = 301; seed <= last_seed(router, 301, 12); ++seed) {
    Random random(seed);
    const auto ring = [&] { return static_cast<int>(random.below(5)) * 2 % 9; };
    const MeshRings rings{ring(), ring()};
    Stalls stalls{.receive_depth = 2 * router.shape.buffers.data_flits};
    if (GetParam().stalls == WithStalls::kYes) stalls = random_stalls(seed);
    stalls.receive_depth += kPacketFlits;
    run(router, stalls, seed, rings);
  }
}

// Two routers get the same flits at the same busy edges; one of them is also clocked, without
// inputs and with random link readiness, whenever it is idle. Their outputs must never differ. With
// stalls: links pause at random too.
TEST_P(MeshRouterTraffic, IdleEdgesChangeNothing) {
  const RouterImplementation router = GetParam().router();
  const MeshShape& shape = router.shape;
  const int words = flit_words(shape.lanes);
  const std::uint32_t all_ports = ~0U >> (32 - shape.ports());
  for (std::uint64_t seed = 201; seed <= last_seed(router, 201, 4); ++seed) {
    SCOPED_TRACE(fmt::format("router {} seed {}", router.name, seed));
    Random random(seed);
    const auto a = router.make();
    const auto b = router.make();
    a->reset();
    b->reset();
    SwitchPins pins(shape.ports(), shape.lanes);
    SwitchPins other(shape.ports(), shape.lanes);
    std::vector<std::array<int, kNumVcs>> credits(static_cast<std::size_t>(shape.ports()));
    for (auto& port : credits) {
      for (int v = 0; v < kNumVcs; ++v) port[v] = shape.buffers.depth(v);
    }
    int idle_edges = 0;
    for (int cycle = 0; cycle < 20'000; ++cycle) {
      if (a->idle()) {
        for (auto left = random.below(4); left != 0; --left, ++idle_edges) {
          SwitchPins quiet(shape.ports(), shape.lanes);
          quiet.out_ready = all_ports & static_cast<std::uint32_t>(random.next());
          quiet.in_flit.assign(quiet.in_flit.size(), static_cast<std::uint32_t>(random.next()));
          b->step(quiet);
          ASSERT_TRUE(b->idle());
          ASSERT_EQ(quiet.out_valid, 0U);
          ASSERT_EQ(quiet.in_credit, decltype(quiet.in_credit){});
        }
      }
      pins.in_valid = 0;
      if (random.below(4) == 0) {  // one flit, a whole packet, now and then two at once
        for (auto n = 1 + random.below(2); n != 0; --n) {
          const int p = static_cast<int>(random.below(static_cast<std::uint64_t>(shape.ports())));
          FlitHeader h;
          h.tag = static_cast<std::uint32_t>(cycle);
          h.vc = static_cast<std::uint8_t>(random.below(kNumVcs));
          h.head = h.tail = true;
          h.dst = mesh_address(0, static_cast<int>(random.below(2)), 0);
          if ((pins.in_valid >> p & 1U) != 0 || credits[p][h.vc] == 0) continue;
          if (expected_output(shape, 0, 0, p, h.dst) < 0) continue;
          --credits[p][h.vc];
          pins.in_valid |= 1U << p;
          pack_header(h, &pins.in_flit[p * words]);
        }
      }
      pins.out_ready = all_ports;
      if (GetParam().stalls == WithStalls::kYes)
        pins.out_ready &= static_cast<std::uint32_t>(random.next());
      pins.out_credit = {};
      for (int p = 0; p < shape.ports(); ++p) {
        if ((pins.out_valid >> p & 1U) == 0) continue;
        pins.out_credit[unpack_header(&pins.out_flit[p * words]).vc] |= 1U << p;
      }
      other.in_valid = pins.in_valid;
      other.in_flit = pins.in_flit;
      other.out_ready = pins.out_ready;
      other.out_credit = pins.out_credit;
      a->step(pins);
      b->step(other);
      for (int v = 0; v < kNumVcs; ++v) {
        for (int p = 0; p < shape.ports(); ++p) credits[p][v] += pins.in_credit[v] >> p & 1U;
      }
      ASSERT_EQ(pins.out_valid, other.out_valid) << cycle;
      ASSERT_EQ(pins.in_credit, other.in_credit) << cycle;
      ASSERT_EQ(a->idle(), b->idle()) << cycle;
      for (int p = 0; p < shape.ports(); ++p) {
        if ((pins.out_valid >> p & 1U) == 0) continue;
        for (int w = 0; w < words; ++w) {
          ASSERT_EQ(pins.out_flit[p * words + w], other.out_flit[p * words + w]) << cycle;
        }
      }
      ASSERT_EQ(a->error(), 0U);
    }
    EXPECT_GT(idle_edges, 100);
    for (int address = 0; address < reg::kStallLink + 2; ++address) {
      pins.in_valid = other.in_valid = 0;
      pins.out_credit = other.out_credit = {};
      pins.reg = other.reg = {true, false, static_cast<std::uint16_t>(address), 0};
      a->step(pins);
      b->step(other);
      ASSERT_EQ(pins.reg_rdata, other.reg_rdata) << address;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mode, MeshRouterTraffic, testing::ValuesIn(all_modes()), mode_name);

}  // namespace
}  // namespace fredsim::tb
