// SPDX-License-Identifier: Apache-2.0
// Lockstep over many seeds, and faults put into the twin: seen in the cycle in which they show.

#include "tb_voq_crossbar/lockstep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "support/faulty_twin.h"
#include "tb_voq_crossbar/voq_driver.h"

namespace fredsim::tb {
namespace {

TEST(VoqLockstep, HalfAMillionCyclesWithoutADifference) {
  std::uint64_t cycles = 0;
  for (std::uint64_t seed = 1; cycles < 500'000; ++seed) {
    try {
      cycles += run_lockstep(seed);
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what();
    }
  }
  RecordProperty("cycles", std::to_string(cycles));
}

void expect_caught(const std::string& field, const FaultyTwin::Fault& fault) {
  const Caught caught = catch_fault<VoqDriver>(
      voq_shape({{"P", 4}}), fault, [](VoqDriver& driver) { driver.add_random_packets(400); });
  EXPECT_EQ(caught.where.cycle, caught.injected);
  EXPECT_EQ(caught.where.field, field);
}

TEST(VoqLockstep, CatchesFaultsInTheirCycle) {
  expect_caught("out_flit word 3", [](FaultyTwin&, SwitchPins& pins) {
    if ((pins.out_valid & 2U) == 0) return false;
    pins.out_flit[flit_words(1) + kHeaderWords] ^= 4;
    return true;
  });
  expect_caught("in_credit VC 2", [](FaultyTwin&, SwitchPins& pins) {
    return std::exchange(pins.in_credit[kDp], 0) != 0;
  });
  expect_caught("out_valid", [](FaultyTwin&, SwitchPins& pins) {
    return std::exchange(pins.out_valid, 0) != 0;
  });
  expect_caught("stall_arbiter", [](FaultyTwin& faulty, SwitchPins&) {
    faulty.miscount(&SwitchCounters::stall_arbiter);
    return true;
  });
}

}  // namespace
}  // namespace fredsim::tb
