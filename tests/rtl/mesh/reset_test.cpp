// SPDX-License-Identifier: Apache-2.0
// Reset of a mesh_router in the middle of traffic: nothing is left; and traffic runs with the
// credits that it sets. Every implementation, without and with random stalls.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "switch/register_map.h"
#include "tb_mesh_router/router_driver.h"
#include "topology/mesh_address.h"

namespace fredsim::tb {
namespace {

constexpr MeshRings kRings{6, 6};

class MeshRouterReset : public testing::TestWithParam<SwitchModel> {};
INSTANTIATE_TEST_SUITE_P(Model, MeshRouterReset, testing::ValuesIn(kModels), [](const auto& model) {
  return std::string(switch_model_name(model.param));
});

// A router whose registers have been written and whose buffers hold flits.
std::unique_ptr<SwitchCore> in_use(const RouterImplementation& router, std::uint64_t seed,
                                   const MeshRings& rings) {
  RouterDriver driver(router, {.pause_percent = 40, .return_delay = 30, .receive_depth = 12}, seed,
                      rings);
  driver.add_random_packets(300);
  for (std::uint64_t i = 0; i < 60 + seed; ++i) driver.step();
  return driver.take_core();
}

void expect_as_powered_up(SwitchCore& core, const MeshShape& shape) {
  EXPECT_TRUE(core.idle());
  EXPECT_EQ(core.error(), reg::kErrorNone);
  SwitchPins pins(shape.ports(), shape.lanes);
  core.step(pins);
  EXPECT_EQ(pins.reg_rdata, 0U);
  const auto read = [&](int address) {
    pins.reg = {true, false, static_cast<std::uint16_t>(address), 0};
    core.step(pins);
    return pins.reg_rdata;
  };
  for (const int zero : {int{reg::kPosition}, int{reg::kTorus}, int{reg::kError}}) {
    EXPECT_EQ(read(zero), 0U) << zero;
  }
  for (int p = 0; p < shape.ports(); ++p) {
    for (int v = 0; v < kNumVcs; ++v) {
      EXPECT_EQ(read(reg::kCredit + 4 * p + v), static_cast<std::uint32_t>(shape.buffers.depth(v)));
    }
    for (int word = 0; word < 2; ++word) {
      EXPECT_EQ(read(reg::kFlitsIn + 2 * p + word), 0U);
      EXPECT_EQ(read(reg::kFlitsOut + 2 * p + word), 0U);
    }
  }
  for (int i = 0; i < 10; ++i) EXPECT_EQ(read(reg::kStallJoin + i), 0U);
}

TEST_P(MeshRouterReset, ForgetsRegistersAndFlits) {
  for (const auto make : {wafer_router, small_router, even_router}) {
    const RouterImplementation router = make(GetParam());
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(fmt::format("router {} seed {}", router.name, seed));
      const auto core = in_use(router, seed, kRings);
      EXPECT_FALSE(core->idle());
      core->reset();
      expect_as_powered_up(*core, router.shape);
    }
  }
}

// State after a reset: credits for a whole packet, turns of the inputs, no ring.
TEST_P(MeshRouterReset, TrafficAfterItRunsAsAfterTheFirst) {
  for (const auto make : {wafer_router, small_router, even_router}) {
    const RouterImplementation router = make(GetParam());
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(fmt::format("router {} seed {}", router.name, seed));
      for (const int pause : {0, 30}) {
        RouterDriver driver(
            router, in_use(router, seed, kRings),
            {.pause_percent = pause, .return_delay = pause, .receive_depth = Stalls::kAsReset},
            seed);
        driver.add_random_packets(300);
        driver.drain(200'000);
        driver.check_quiet();
      }
    }
  }
}

// Receivers as small as the router's own buffers: five flits, and one of control, are exactly the
// room of a packet, so no packet ever enters a ring, and packets on it go on.
TEST_P(MeshRouterReset, CreditsOfSmallBuffersAreNoRoomToEnterARing) {
  RouterDriver driver(small_router(GetParam()), {.receive_depth = Stalls::kAsReset}, 1, kRings);
  const std::uint16_t south = mesh_address(RouterDriver::kX, RouterDriver::kY + 2, 0);
  for (int v = 0; v < kNumVcs; ++v) driver.add_packet(kFirstLocal, v, south, 1);
  for (int i = 0; i < 20; ++i) driver.step();
  EXPECT_EQ(driver.launched(kSouth), 0U);
  for (int v = 0; v < kNumVcs; ++v) driver.add_packet(kNorth, v, south, 1);
  for (int i = 0; i < 20; ++i) driver.step();
  EXPECT_EQ(driver.launched(kSouth), std::uint64_t{kNumVcs});
}

}  // namespace
}  // namespace fredsim::tb
