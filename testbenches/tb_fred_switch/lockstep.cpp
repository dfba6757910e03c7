// SPDX-License-Identifier: Apache-2.0
#include "lockstep.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "../lockstep_work.h"
#include "misprogramming.h"
#include "switch/register_map.h"
#include "switch/rtl_switch.h"
#include "switch/switch_factory.h"
#include "switch/switch_kind.h"
#include "switch_driver.h"

namespace fredsim::tb {
namespace {

// Sizes of fredsim's own phased switches in this build.
std::vector<TestedSwitch> built_shapes() {
  std::vector<TestedSwitch> shapes;
  for (int ports = 2; ports <= 32; ++ports) {
    for (const int middle :
         {TestedSwitch::kAggregator, TestedSwitch::kMesh, TestedSwitch::kCrossbar, 2, 3, 4}) {
      for (const int lanes : {1, 2, 3, 256}) {
        TestedSwitch shape(ports, middle);
        shape.lanes = lanes;
        shapes.push_back(shape);
        if (shape.is_fred()) shapes.push_back(with_two_phases(shape));
        if (shape.is_fred()) shapes.push_back(with_two_adder_stages(shape));
        TestedSwitch narrow = narrow_shape();
        narrow.fred = shape.fred;
        narrow.lanes = lanes;
        shapes.push_back(narrow);
        if (shape.is_fred()) shapes.push_back(with_two_phases(narrow));
        if (shape.is_fred()) shapes.push_back(with_two_adder_stages(narrow));
      }
    }
  }
  for (const TestedSwitch& shape : shapes_of_other_orders()) shapes.push_back(shape);
  const std::vector<std::string> built = built_switch_sizes();
  std::erase_if(shapes, [&](const TestedSwitch& shape) {
    return std::ranges::find(built, size_entry(shape)) == built.end();
  });
  return shapes;
}

constexpr std::array<RegisterRange, 6> kRead{{{reg::kId, 8},
                                              {reg::kCredit, 140},
                                              {reg::kFlitsIn, 80},
                                              {reg::kFlitsOut, 160},
                                              {reg::kRoute, 256},
                                              {reg::kPhaseStore, 400}}};

// Without routes, which must not be written while flits look them up.
constexpr std::array<RegisterRange, 2> kWritten{{{reg::kId, 160}, {reg::kPhaseStore, 400}}};

FlitHeader any_header(Random& random) {
  FlitHeader h;
  h.tag = static_cast<std::uint32_t>(random.below(2));
  h.phase = static_cast<std::uint8_t>(random.below(random.below(4) == 0 ? 256 : 3));
  if (random.below(8) == 0) h.phase = kPhaseOnline;
  h.dst = static_cast<std::uint16_t>(random.below(random.below(4) == 0 ? 0x10000 : 64));
  h.vc = static_cast<std::uint8_t>(random.below(kControl));  // control packets are one flit
  return h;
}

void write_rows(SwitchCore& core, const TestedSwitch& shape, const std::vector<Phase>& phases) {
  SwitchPins pins(shape.ports(), shape.lanes);
  const auto write = [&](int address, std::uint32_t value) {
    pins.reg = {true, true, static_cast<std::uint16_t>(address), value};
    core.step(pins);
  };
  if (shape.is_mesh()) write(reg::kPosition, TestedSwitch::kColumn | TestedSwitch::kRow << 8);
  int address = reg::kPhaseStore;
  for (const Phase& phase : phases) {
    for (const std::uint32_t word : shape.row(phase)) write(address++, word);
  }
}

}  // namespace

std::uint64_t run_lockstep(std::uint64_t seed) {
  static const std::vector<TestedSwitch> shapes = built_shapes();
  Random random(seed);
  const TestedSwitch& shape = shapes[random.below(shapes.size())];
  const Stalls stalls = random_stalls(random);
  SwitchDriver driver(
      shape,
      std::make_unique<RandomReads>(make_switch(SwitchModel::kLockstep, shape, "dut"), kRead, seed),
      stalls, seed);
  std::vector<Phase> phases;
  for (std::uint64_t left = 1 + random.below(8); left != 0; --left) {
    phases.push_back(
        random_phase(shape, static_cast<int>(random.below(kNumVcs)), shape.fred.ports, random));
    driver.add_phase(phases.back());
  }
  const auto packets = static_cast<int>((shape.lanes > 16 ? 10 : 50) + random.below(300));
  const auto online = static_cast<int>(random.below(2) * random.below(101));
  add_random_packets(driver, shape, phases, packets, online, random);
  driver.drain(2'000'000);
  driver.check_quiet();
  const auto break_it = [&] {
    return break_contract(
        driver.core(), shape.ports(), shape.lanes, random, [&] { return any_header(random); },
        kWritten);
  };
  std::uint64_t cycles = driver.cycle() + break_it();
  if (random.below(2) == 0) {  // reset in any state
    driver.core().reset();
    cycles += break_it();
  }
  driver.core().reset();
  write_rows(driver.core(), shape, phases);
  cycles += misprogram(driver.core(), shape, phases, random);
  return cycles;
}

}  // namespace fredsim::tb
