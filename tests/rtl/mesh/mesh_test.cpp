// SPDX-License-Identifier: Apache-2.0
// A 3 x 2 mesh of routers of every implementation: all-to-all delivery and saturation, with and
// without stalls; tori likewise, and the purpose of their bubbles.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "switch/register_map.h"
#include "tb_mesh_router/mesh_of_routers.h"
#include "topology/mesh_address.h"

namespace fredsim::tb {
namespace {

class MeshOfRoutersTest : public testing::TestWithParam<SwitchModel> {};

void all_to_all(const RouterImplementation& router, const MeshOfRouters::Options& options) {
  SCOPED_TRACE(fmt::format("router {} seed {}", router.name, options.seed));
  MeshOfRouters mesh(router, options);
  for (const std::uint16_t from : mesh.endpoints()) {
    for (const std::uint16_t to : mesh.endpoints()) {
      for (int v = 0; v < kNumVcs; ++v) {
        mesh.add_packet(from, to, v, v == kControl ? 1 : kPacketFlits);
      }
    }
  }
  mesh.drain(100'000);
  mesh.check_quiet();
}

TEST_P(MeshOfRoutersTest, AllToAllArrives) { all_to_all(wafer_router(GetParam()), {}); }

TEST_P(MeshOfRoutersTest, AllToAllArrivesWithStalls) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const MeshOfRouters::Options options{.pause_percent = 30, .return_delay = 20, .seed = seed};
    all_to_all(wafer_router(GetParam()), options);
    all_to_all(even_router(GetParam()), options);
  }
}

// Random destinations, far more traffic than the links carry, buffers of 16 flits, packets of all
// lengths: everything moves on.
void saturate(const RouterImplementation& router, MeshOfRouters::Options options, int packets) {
  SCOPED_TRACE(fmt::format("router {} seed {}", router.name, options.seed));
  Random random(options.seed);
  options.link_latency = 1 + static_cast<int>(random.below(20));
  options.pause_percent = static_cast<int>(random.below(40));
  options.return_delay = static_cast<int>(random.below(10));
  MeshOfRouters mesh(router, options);
  const auto all = mesh.endpoints();
  for (int i = 0; i < packets; ++i) {
    const std::uint16_t from = all[random.below(all.size())];
    const std::uint16_t to = all[random.below(all.size())];
    const int vc = static_cast<int>(random.below(kNumVcs));
    const auto longest = vc == kControl ? 1U : static_cast<unsigned>(kPacketFlits);
    mesh.add_packet(from, to, vc, 1 + static_cast<int>(random.below(longest)));
  }
  mesh.drain(400'000);
  mesh.check_quiet();
}

TEST_P(MeshOfRoutersTest, SaturationDoesNotDeadlock) {
  for (std::uint64_t seed = 11; seed <= 16; ++seed) {
    saturate(even_router(GetParam()), {.seed = seed}, 4000);
  }
}

TEST_P(MeshOfRoutersTest, SaturationDoesNotDeadlockATorus) {
  for (std::uint64_t seed = 21; seed <= 24; ++seed) {
    saturate(even_router(GetParam()), {.width = 4, .height = 3, .torus = true, .seed = seed}, 6000);
    saturate(even_router(GetParam()), {.width = 2, .height = 5, .torus = true, .seed = seed}, 4000);
  }
}

TEST_P(MeshOfRoutersTest, AllToAllArrivesOnATorus) {
  all_to_all(wafer_router(GetParam()), {.width = 4, .height = 3, .torus = true});
  all_to_all(even_router(GetParam()),
             {.width = 3, .height = 3, .torus = true, .pause_percent = 30, .return_delay = 20});
}

struct Lengths {  // lengths of packets, in flits
  int shortest, longest;
};

// A ring of four routers, eastwards, in which no packet ever arrives: all routers believe to be at
// column 0 and all packets go to column 1. Flits moved over the ring's links in the last quarter of
// 2000 cycles.
std::uint64_t moved_at_the_end(const RouterImplementation& router, const MeshRings& rings,
                               const Lengths& lengths, std::uint64_t seed) {
  constexpr int kRouters = 4;
  constexpr int kCycles = 2000;
  const MeshShape& shape = router.shape;
  const int words = flit_words(shape.lanes);
  Random random(seed);
  std::vector<std::unique_ptr<SwitchCore>> cores;
  std::vector<SwitchPins> pins(kRouters, SwitchPins(shape.ports(), shape.lanes));
  std::vector<int> credits(kRouters, shape.buffers.data_flits);  // credits of the local port's
                                                                 // sender
  std::vector<int> left(kRouters);                               // flits of its packet
  std::vector<bool> paused(kRouters);
  for (int r = 0; r < kRouters; ++r) {
    cores.push_back(router.make());
    cores[r]->reset();
    pins[r].reg = {true, true, reg::kTorus,
                   static_cast<std::uint32_t>(rings.columns | rings.rows << 8)};
    cores[r]->step(pins[r]);
    pins[r].reg = {};
  }
  std::uint64_t moved = 0;
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    const std::vector<SwitchPins> before = pins;
    for (int r = 0; r < kRouters; ++r) {
      const SwitchPins& behind = before[(r + kRouters - 1) % kRouters];
      const SwitchPins& ahead = before[(r + 1) % kRouters];
      SwitchPins& now = pins[r];
      now.in_valid = (behind.out_valid >> kEast & 1U) << kWest;
      std::copy_n(behind.out_flit.begin() + kEast * words, words,
                  now.in_flit.begin() + kWest * words);
      if (cycle >= kCycles * 3 / 4) moved += now.in_valid >> kWest & 1U;
      if (credits[r] > 0) {
        --credits[r];
        now.in_valid |= 1U << kFirstLocal;
        FlitHeader h{.dst = mesh_address(1, 0, 0), .vc = kDp, .head = left[r] == 0};
        if (h.head) {
          const int spread = lengths.longest - lengths.shortest + 1;
          left[r] =
              lengths.shortest + static_cast<int>(random.below(static_cast<std::uint64_t>(spread)));
        }
        h.tail = --left[r] == 0;
        pack_header(h, &now.in_flit[kFirstLocal * words]);
      }
      // Links pause in the first half for a while, each independently: packets enter a ring when no
      // flit comes along it.
      if (cycle < kCycles / 2 && random.below(32) == 0) paused[r] = !paused[r];
      if (cycle >= kCycles / 2) paused[r] = false;
      now.out_ready = paused[r] ? 0 : ~0U >> (32 - shape.ports());
      now.out_credit = {};
      now.out_credit[kDp] = (ahead.in_credit[kDp] >> kWest & 1U) << kEast;
      cores[r]->step(now);
      credits[r] += static_cast<int>(now.in_credit[kDp] >> kFirstLocal & 1U);
      EXPECT_EQ(cores[r]->error(), reg::kErrorNone);
    }
  }
  return moved;
}

// Equal links, routes and packets, once as part of a mesh (where packets never cycle) and once as a
// ring: without the bubble it fills up and deadlocks, with it, it keeps turning.
TEST_P(MeshOfRoutersTest, ARingTurnsOnByItsBubble) {
  for (const Lengths& lengths : {Lengths{1, 1}, Lengths{3, 3}, Lengths{8, 8}, Lengths{1, 8}}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const RouterImplementation router =
          seed % 2 == 0 ? even_router(GetParam()) : wafer_router(GetParam());
      SCOPED_TRACE(fmt::format("router {}, {} to {} flits, seed {}", router.name, lengths.shortest,
                               lengths.longest, seed));
      EXPECT_EQ(moved_at_the_end(router, {}, lengths, seed), 0U);
      EXPECT_GT(moved_at_the_end(router, {8, 0}, lengths, seed), 50U);
    }
  }
}

// A stream over two links at full rate: with 80 flits per VC the credit loop of 5-cycle links is
// covered.
TEST_P(MeshOfRoutersTest, StreamAcrossTheMeshRunsAtFullRate) {
  MeshOfRouters mesh(wafer_router(GetParam()), {});
  constexpr int kPackets = 200;
  for (int i = 0; i < kPackets; ++i) {
    mesh.add_packet(mesh_address(0, 0, 0), mesh_address(2, 0, 0), kDp, kPacketFlits);
  }
  std::uint64_t cycles = 0;
  while (mesh.delivered_flits() < kPackets * kPacketFlits) {
    mesh.step();
    ++cycles;
    ASSERT_LT(cycles, 4000U);
  }
  // Into the first router 1 + 4, then two links of 5, each followed by 4 in the router; the last
  // flit leaves kPackets * 8 - 1 cycles after the first.
  EXPECT_LE(cycles, kPackets * kPacketFlits + 1U + 4 + 2 * (5 + 4));
}

INSTANTIATE_TEST_SUITE_P(Model, MeshOfRoutersTest, testing::ValuesIn(kModels),
                         [](const auto& model) {
                           return std::string(switch_model_name(model.param));
                         });

}  // namespace
}  // namespace fredsim::tb
