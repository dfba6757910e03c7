// SPDX-License-Identifier: Apache-2.0
#include "lockstep.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "../lockstep_work.h"
#include "switch/register_map.h"
#include "switch/rtl_switch.h"
#include "switch/switch_factory.h"
#include "switch/switch_kind.h"
#include "voq_driver.h"

namespace fredsim::tb {
namespace {

// Sizes in the build, of the usual depths or narrow.
std::vector<SwitchShape> built_shapes() {
  std::vector<SwitchShape> shapes{narrow_shape()};
  for (int ports = 2; ports <= 32; ++ports) {
    for (const int iterations : {1, 2, 3, 4}) {
      shapes.push_back(voq_shape({{"P", ports}, {"ITERATIONS", iterations}}));
    }
  }
  const std::vector<std::string> built = built_switch_sizes();
  std::erase_if(shapes, [&](const SwitchShape& shape) {
    return std::ranges::find(built, size_entry(shape)) == built.end();
  });
  return shapes;
}

constexpr std::array<RegisterRange, 6> kRead{{{reg::kId, 8},
                                              {reg::kCredit, 140},
                                              {reg::kFlitsIn, 80},
                                              {reg::kFlitsOut, 160},
                                              {reg::kRoute, 256},
                                              {reg::kRoute + reg::kMaxRoutes, 8000}}};

// Without routes, which must not be written while flits look them up.
constexpr std::array<RegisterRange, 1> kWritten{{{reg::kId, 160}}};

FlitHeader any_header(Random& random) {
  FlitHeader h;
  h.tag = static_cast<std::uint32_t>(random.next());
  h.phase = random.below(8) == 0 ? static_cast<std::uint8_t>(random.below(256)) : kPhaseOnline;
  h.dst = static_cast<std::uint16_t>(random.below(random.below(8) == 0 ? 0x10000 : 32));
  h.vc = static_cast<std::uint8_t>(random.below(kNumVcs));
  return h;
}

}  // namespace

std::uint64_t run_lockstep(std::uint64_t seed) {
  static const std::vector<SwitchShape> shapes = built_shapes();
  Random random(seed);
  const SwitchShape& shape = shapes.at(random.below(shapes.size()));
  const Stalls stalls = random_stalls(random);
  VoqDriver driver(
      shape,
      std::make_unique<RandomReads>(make_switch(SwitchModel::kLockstep, shape, "dut"), kRead, seed),
      stalls, seed);
  driver.add_random_packets(static_cast<int>(50 + random.below(300)));
  driver.drain(2'000'000);
  driver.check_quiet();
  const auto break_it = [&] {
    return break_contract(
        driver.core(), shape.ports(), shape.lanes(), random, [&] { return any_header(random); },
        kWritten);
  };
  std::uint64_t cycles = driver.cycle() + break_it();
  if (random.below(2) == 0) {  // reset in any state
    driver.core().reset();
    cycles += break_it();
  }
  return cycles;
}

}  // namespace fredsim::tb
