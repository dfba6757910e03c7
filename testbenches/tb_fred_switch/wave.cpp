// SPDX-License-Identifier: Apache-2.0
#include "wave.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "../recorded_switch.h"
#include "switch/rtl_switch.h"
#include "switch_driver.h"

namespace fredsim::tb {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr int kReceiveDepth = 16;  // a third of the switch's depth: credits run out
constexpr int kSlowReturn = 40;    // max cycles until a receiver returns a credit in stage 4

TestedSwitch shape_of_wave() {
  TestedSwitch shape;
  shape.fred = {12, 3};
  return shape;
}

Phase phase_of(const TestedSwitch& shape, int vc, std::vector<Flow> flows) {
  Phase phase;
  phase.vc = vc;
  phase.route = shape.route(flows);
  phase.flows = std::move(flows);
  return phase;
}

void add_phase_packets(SwitchDriver& driver, int phase, int flows, int packets) {
  for (int i = 0; i < packets; ++i) {
    for (int f = 0; f < flows; ++f) driver.add_packet(phase, f, kPacketFlits);
  }
}

void deliver(SwitchDriver& driver) {
  while (!driver.delivered()) driver.step();
  for (int i = 0; i < 8; ++i) driver.step();  // a gap between the stages
}

}  // namespace

std::string record_wave(const std::string& file) {
  const TestedSwitch shape = shape_of_wave();
  auto made = std::make_unique<RecordedSwitch>(make_rtl_switch(shape, "dut"), file);
  RecordedSwitch& recorded = *made;
  SwitchDriver driver(shape, std::move(made), {.receive_depth = kReceiveDepth}, kSeed);
  const Phase dp = phase_of(shape, kDp, {{0x00F, 0x00F}, {0x0F0, 0x100}});
  const Phase mp = phase_of(shape, kMp, {{0x003, 0x003}, {0x00C, 0x00C}});
  driver.add_phase(dp);
  driver.add_phase(mp);
  driver.write_routes();

  recorded.set_stage(1);
  add_phase_packets(driver, 0, 2, 4);
  deliver(driver);

  recorded.set_stage(2);
  add_phase_packets(driver, 0, 2, 6);
  for (int i = 0; i < 20; ++i) driver.step();
  add_phase_packets(driver, 1, 2, 3);
  deliver(driver);

  recorded.set_stage(3);
  add_phase_packets(driver, 0, 2, 4);
  for (int i = 0; i < 12; ++i) {
    driver.add_online_packet(6 + i % 6, 6 + (i * 5 + 1) % 6, i % 2 == 0 ? kDp : kPp, 1 + i % 8);
  }
  deliver(driver);

  recorded.set_stage(4);
  driver.set_return_delay(kSlowReturn);
  add_phase_packets(driver, 0, 2, 10);
  deliver(driver);

  SwitchCounters counters;
  recorded.peek_counters(counters);
  recorded.finish();
  return fmt::format("Fred_3(12), {}, {} additions, {} phase changes", recorded.summary(),
                     counters.reductions, counters.phase_changes);
}

}  // namespace fredsim::tb
