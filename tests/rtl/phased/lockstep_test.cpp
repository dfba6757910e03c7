// SPDX-License-Identifier: Apache-2.0
// Lockstep over many seeds, and faults put into one of the two implementations: seen in the cycle
// in which they show, at the right port and field.

#include "tb_fred_switch/lockstep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/faulty_twin.h"
#include "switch/switch_factory.h"
#include "tb_fred_switch/switch_driver.h"

namespace fredsim::tb {
namespace {

TEST(Lockstep, AMillionCyclesWithoutADifference) {
  std::uint64_t cycles = 0;
  for (std::uint64_t seed = 1; cycles < 1'000'000; ++seed) {
    try {
      cycles += run_lockstep(seed);
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what();
    }
  }
  RecordProperty("cycles", std::to_string(cycles));
}

Caught catch_fault(const FaultyTwin::Fault& fault) {
  TestedSwitch shape;
  shape.fred = {12, 3};
  return catch_fault<SwitchDriver>(shape, fault, [&shape](SwitchDriver& driver) {
    Phase phase;
    phase.flows = {{0x00F, 0x0F0}, {0xF00, 0x001}};
    phase.route = shape.route(phase.flows);
    driver.add_phase(phase);
    for (int i = 0; i < 100; ++i) {
      driver.add_packet(0, 0, kPacketFlits);
      driver.add_packet(0, 1, kPacketFlits);
    }
  });
}

TEST(Lockstep, CatchesAWrongLaneInItsCycle) {
  const Caught caught = catch_fault([](FaultyTwin&, SwitchPins& pins) {
    if ((pins.out_valid >> 5 & 1U) == 0) return false;
    pins.out_flit[5 * flit_words(1) + kHeaderWords] ^= 4;
    return true;
  });
  EXPECT_EQ(caught.where.cycle, caught.injected);
  EXPECT_EQ(caught.where.port, 5);
  EXPECT_EQ(caught.where.field, "out_flit word 3");
  EXPECT_EQ(caught.where.reference ^ caught.where.twin, 4U);
}

TEST(Lockstep, CatchesASwallowedCreditInItsCycle) {
  const Caught caught = catch_fault([](FaultyTwin&, SwitchPins& pins) {
    if ((pins.in_credit[kDp] >> 2 & 1U) == 0) return false;
    pins.in_credit[kDp] &= ~4U;
    return true;
  });
  EXPECT_EQ(caught.where.cycle, caught.injected);
  EXPECT_EQ(caught.where.port, 2);
  EXPECT_EQ(caught.where.field, "in_credit VC 2");
}

TEST(Lockstep, CatchesAMissingFlitInItsCycle) {
  const Caught caught = catch_fault([](FaultyTwin&, SwitchPins& pins) {
    if ((pins.out_valid & 1U) == 0) return false;
    pins.out_valid &= ~1U;
    return true;
  });
  EXPECT_EQ(caught.where.cycle, caught.injected);
  EXPECT_EQ(caught.where.port, 0);
  EXPECT_EQ(caught.where.field, "out_valid");
}

TEST(Lockstep, CatchesAWrongCounterInItsCycle) {
  const Caught caught = catch_fault([](FaultyTwin& faulty, SwitchPins&) {
    faulty.miscount(&SwitchCounters::reductions);
    return true;
  });
  EXPECT_EQ(caught.where.cycle, caught.injected);
  EXPECT_EQ(caught.where.field, "reductions");
  EXPECT_EQ(caught.where.reference + 1, caught.where.twin);
}

TEST(Lockstep, CatchesAWrongPhaseInItsCycle) {
  using Field = std::uint8_t SwitchPhase::*;
  for (const auto& [what, name] : {std::pair{Field{&SwitchPhase::phase}, "phase"},
                                   {&SwitchPhase::vc, "VC"},
                                   {&SwitchPhase::next, "next phase"}}) {
    const Caught caught = catch_fault([what = what](FaultyTwin& faulty, SwitchPins&) {
      faulty.misphase(what);
      return true;
    });
    EXPECT_EQ(caught.where.cycle, caught.injected);
    EXPECT_EQ(caught.where.field, std::string("control unit, ") + name);
  }
}

// An MP phase arrives while a DP phase is busy: state of the control unit, edge by edge, in
// lockstep.
TEST(ControlUnit, ShowsThePhaseInUseAndItsPreEmption) {
  TestedSwitch shape;
  shape.fred = {4, 3};
  SwitchDriver driver(shape, make_switch(SwitchModel::kLockstep, shape, "dut"), {}, 1);
  for (const int vc : {kDp, kMp}) {
    Phase phase;
    phase.vc = vc;
    phase.flows = {{0x3, 0xC}};
    phase.route = shape.route(phase.flows);
    driver.add_phase(phase);
  }
  SwitchPhase now;
  ASSERT_TRUE(driver.core().peek_phase(now));
  EXPECT_EQ(now, SwitchPhase{});
  for (int i = 0; i < 20; ++i) driver.add_packet(0, 0, kPacketFlits);
  std::vector<SwitchPhase> seen{now};
  const auto step = [&] {
    driver.step();
    ASSERT_TRUE(driver.core().peek_phase(now));
    if (now != seen.back()) seen.push_back(now);
  };
  for (int i = 0; i < 30; ++i) step();
  driver.add_packet(1, 0, kPacketFlits);
  for (int i = 0; i < 300; ++i) step();
  std::vector<SwitchPhase> loads;
  for (const SwitchPhase& p : seen) {
    if (p.loading) loads.push_back(p);
  }
  ASSERT_EQ(loads.size(), 3U);
  EXPECT_FALSE(loads[0].active);
  EXPECT_EQ(loads[0].next, 0);
  EXPECT_TRUE(loads[1].active);
  EXPECT_TRUE(loads[1].busy) << "pre-empted, not silent";
  EXPECT_EQ(loads[1].phase, 0);
  EXPECT_EQ(loads[1].vc, kDp);
  EXPECT_EQ(loads[1].next, 1);
  EXPECT_EQ(loads[2].phase, 1);
  EXPECT_EQ(loads[2].vc, kMp);
  EXPECT_FALSE(loads[2].busy) << "gives way to a lower priority when silent";
  EXPECT_EQ(loads[2].next, 0);
  EXPECT_FALSE(seen.back().busy);
  EXPECT_EQ(seen.back().phase, 0);
}

}  // namespace
}  // namespace fredsim::tb
