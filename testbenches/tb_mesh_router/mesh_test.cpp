// A 3 x 2 mesh of routers: all-to-all delivery and saturation, with and without stalls.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mesh_of_routers.h"

namespace fredsim::tb {
namespace {

void all_to_all(const RouterBody& body, const MeshOfRouters::Options& options) {
  SCOPED_TRACE(fmt::format("router {} seed {}", body.name, options.seed));
  MeshOfRouters mesh(body, options);
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

TEST(MeshOfRouters, AllToAllArrives) { all_to_all(wafer_router(), {}); }

TEST(MeshOfRouters, AllToAllArrivesWithStalls) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const MeshOfRouters::Options options{.pause_percent = 30, .return_delay = 20, .seed = seed};
    all_to_all(wafer_router(), options);
    all_to_all(even_router(), options);
  }
}

// Random destinations, far more traffic than the links carry, buffers of 16 flits:
// everything moves on.
TEST(MeshOfRouters, SaturationDoesNotDeadlock) {
  for (std::uint64_t seed = 11; seed <= 16; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    MeshOfRouters mesh(even_router(), {.link_latency = 1 + static_cast<int>(random.below(20)),
                                       .pause_percent = static_cast<int>(random.below(40)),
                                       .return_delay = static_cast<int>(random.below(10)),
                                       .seed = seed});
    const auto all = mesh.endpoints();
    for (int i = 0; i < 4000; ++i) {
      const std::uint16_t from = all[random.below(all.size())];
      const std::uint16_t to = all[random.below(all.size())];
      const int vc = static_cast<int>(random.below(kNumVcs));
      const auto longest = vc == kControl ? 1U : static_cast<unsigned>(kPacketFlits);
      mesh.add_packet(from, to, vc, 1 + static_cast<int>(random.below(longest)));
    }
    mesh.drain(200'000);
    mesh.check_quiet();
  }
}

// A stream over two links at full rate: with 80 flits per VC the credit loop of
// 5-cycle links is covered.
TEST(MeshOfRouters, StreamAcrossTheMeshRunsAtFullRate) {
  MeshOfRouters mesh(wafer_router(), {});
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
  // Into the first router 1 + 1, then two links of 5, each followed by 1 in the router; the last
  // flit leaves kPackets * 8 - 1 cycles after the first.
  EXPECT_LE(cycles, kPackets * kPacketFlits + 2U + 2 * (5 + 1));
}

}  // namespace
}  // namespace fredsim::tb
