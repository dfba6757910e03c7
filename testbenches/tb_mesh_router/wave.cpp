// SPDX-License-Identifier: Apache-2.0
#include "wave.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "../recorded_switch.h"
#include "router_driver.h"
#include "routing/mesh_routing.h"
#include "switch/rtl_switch.h"
#include "topology/mesh_address.h"

namespace fredsim::tb {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr int kReceiveDepth = 12;  // flits per VC
constexpr int kX = RouterDriver::kX;
constexpr int kY = RouterDriver::kY;
constexpr int kNorth = 0, kEast = 1, kWest = 3, kLocal = 4;  // input ports

void deliver(RouterDriver& driver) {
  while (!driver.done()) driver.step();
  for (int i = 0; i < 8; ++i) driver.step();  // a gap between the stages
}

void straight(RouterDriver& driver) {
  for (int i = 0; i < 3; ++i) {
    driver.add_packet(kWest, kDp, mesh_address(kX + 1, kY, 0), kPacketFlits);
    driver.add_packet(kEast, kDp, mesh_address(kX, kY, 0), kPacketFlits);
  }
}

void contention(RouterDriver& driver) {
  for (int i = 0; i < 3; ++i) {
    for (const int in : {kNorth, kWest, kLocal}) {
      driver.add_packet(in, kDp, mesh_address(kX, kY + 1, 0), 4);
    }
  }
}

void priorities(RouterDriver& driver) {
  for (int i = 0; i < 3; ++i) {
    for (const int vc : {kDp, kPp, kMp}) {
      driver.add_packet(kWest, vc, mesh_address(kX + 1, kY, 0), kPacketFlits);
    }
    driver.add_packet(kWest, kControl, mesh_address(kX + 1, kY, 0), 1);
  }
}

}  // namespace

std::string record_wave(const std::string& file) {
  RecordedSwitch* recorded = nullptr;
  RouterImplementation router = wafer_router(SwitchModel::kRtl);
  router.make_rtl = [&] {
    auto made = std::make_unique<RecordedSwitch>(make_rtl_switch(router.shape, "dut"), file);
    recorded = made.get();
    return made;
  };
  RouterDriver driver(router, {.receive_depth = kReceiveDepth}, kSeed);
  void (*const stages[])(RouterDriver&) = {straight, contention, priorities};
  std::uint32_t stage = 0;
  for (const auto& add_packets : stages) {
    recorded->set_stage(++stage);
    add_packets(driver);
    deliver(driver);
  }
  recorded->set_stage(++stage);
  driver.stalls() = {.pause_percent = 30, .return_delay = 30, .receive_depth = kReceiveDepth};
  straight(driver);
  contention(driver);
  deliver(driver);

  recorded->finish();
  return fmt::format("mesh_router with 4 local and 2 I/O ports, {}", recorded->summary());
}

}  // namespace fredsim::tb
