// SPDX-License-Identifier: Apache-2.0
// Registers of fred_switch (sc_models/switch/register_map.h), and a reset in mid-traffic, which
// clears all state of a switch. On the RTL, on the twin and on both in lockstep.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "switch/register_map.h"
#include "switch/switch_factory.h"
#include "tb_fred_switch/switch_driver.h"

namespace fredsim::tb {
namespace {

constexpr int kPorts = 4;

class FredSwitchRegisters : public testing::TestWithParam<std::tuple<int, SwitchModel>> {
 protected:
  std::unique_ptr<SwitchCore> make_dut() const { return make_switch(model_, shape_, "dut"); }
  SwitchModel model_ = std::get<SwitchModel>(GetParam());
  TestedSwitch shape_{kPorts, std::get<int>(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(
    Models, FredSwitchRegisters,
    testing::Combine(testing::Values(3, TestedSwitch::kCrossbar, TestedSwitch::kAggregator),
                     testing::Values(SwitchModel::kRtl, SwitchModel::kTlm, SwitchModel::kLockstep)),
    [](const auto& test) {
      return fmt::format("{}_{}", TestedSwitch(kPorts, std::get<int>(test.param)).name(),
                         switch_model_name(std::get<SwitchModel>(test.param)));
    });

TEST_P(FredSwitchRegisters, ReadBack) {
  SwitchDriver driver(shape_, make_dut(), {}, 1);
  EXPECT_EQ(driver.read(reg::kId), shape_.kind().identity());
  EXPECT_EQ(driver.read(reg::kShape), shape_.shape_register());
  EXPECT_EQ(driver.read(reg::kError), reg::kErrorNone);
  for (const int read_only : {int{reg::kId}, int{reg::kShape}, int{reg::kFlitsIn}}) {
    const std::uint32_t before = driver.read(read_only);
    driver.write(read_only, ~before);
    EXPECT_EQ(driver.read(read_only), before) << read_only;
  }
  const int row_words = shape_.row_words();
  const int past_rows = reg::kPhaseStore + shape_.kind().num_phases(shape_) * row_words;
  for (const int unknown : {int{reg::kPosition}, int{reg::kTorus}, 0x00FF,
                            reg::kCredit + 4 * kPorts, 0x01FF, reg::kFlitsIn + 2 * kPorts,
                            reg::kFlitsOut + 2 * kPorts, 0x0304, 0x031A, past_rows, 0xFFFF}) {
    driver.write(unknown, ~0U);
    EXPECT_EQ(driver.read(unknown), 0U) << unknown;
  }
  // Read data holds until the next read, for any writes.
  driver.write_routes();
  driver.add_online_packet(0, 1, kMp, kPacketFlits);
  driver.drain(100);
  const std::vector<std::pair<int, std::uint32_t>> known{{reg::kShape, driver.read(reg::kShape)},
                                                         {reg::kRoute + 7, 3},
                                                         {past_rows - 1, 0xC0FFEE},
                                                         {reg::kFlitsIn, kPacketFlits}};
  driver.write(reg::kRoute + 7, 3);
  driver.write(past_rows - 1, 0xC0FFEE);
  for (const auto& [address, value] : known) {
    EXPECT_EQ(driver.read(address), value) << address;
    driver.step();
    EXPECT_EQ(driver.pins().reg_rdata, value) << address;
    for (const auto& [written, same] : known) {
      driver.write(written, same);
      EXPECT_EQ(driver.pins().reg_rdata, value) << address << " after a write to " << written;
    }
  }
}

TEST_P(FredSwitchRegisters, KeepCreditsOfEveryPortAndVcApart) {
  SwitchDriver driver(shape_, make_dut(), {}, 1);
  const auto credits = [](int p, int v) { return static_cast<std::uint32_t>(100 + 4 * p + v); };
  for (int p = 0; p < kPorts; ++p) {
    for (int v = 0; v < kNumVcs; ++v) driver.write(reg::kCredit + 4 * p + v, credits(p, v));
  }
  for (int p = 0; p < kPorts; ++p) {
    for (int v = 0; v < kNumVcs; ++v) {
      EXPECT_EQ(driver.read(reg::kCredit + 4 * p + v), credits(p, v)) << p << " " << v;
    }
  }
}

// ---------------------------------------------------------------- errors
enum Mistake : unsigned { kOverflow = 1, kJoin = 2, kPhase = 4, kRoute = 8 };

// Error register some edges after the given mistakes, all detected at one edge.
std::uint32_t error_of(SwitchCore& core, const TestedSwitch& shape, unsigned mistakes) {
  core.reset();
  SwitchPins pins(kPorts, shape.lanes);
  const auto step = [&] {
    core.step(pins);
    pins.in_valid = 0;
    pins.reg = {};
  };
  const auto put = [&](int port, int vc, int phase, std::uint32_t tag) {
    pins.in_valid |= 1U << port;
    pack_header({.tag = tag,
                 .phase = static_cast<std::uint8_t>(phase),
                 .vc = static_cast<std::uint8_t>(vc),
                 .head = true,
                 .tail = true},
                &pins.in_flit[port * flit_words(shape.lanes)]);
  };
  const std::vector<std::pair<int, std::vector<Flow>>> phases{{kDp, {{0x3, 0x3}}},
                                                              {kMp, {{0xC, 0xC}}}};
  int address = reg::kPhaseStore;
  for (const auto& [vc, flows] : phases) {
    for (const std::uint32_t word : shape.row(shape.phase(vc, flows))) {
      pins.reg = {true, true, static_cast<std::uint16_t>(address++), word};
      step();
    }
  }
  // Phase 0 is in use, and port 2 full of flits that wait for port 3.
  for (int i = 0; i < shape.buffers.depth(kMp); ++i) {
    put(2, kMp, 1, 7);
    if (i == 0) put(0, kDp, 0, 7);
    if (i == 0) put(1, kDp, 0, 7);
    step();
  }
  EXPECT_EQ(core.error(), reg::kErrorNone);
  // Edges from the pin to the error register: joined flits 5, a phase 3, all others 2.
  for (int i = 0; i <= 3; ++i) {
    if (i == 0 && (mistakes & kJoin) != 0) put(0, kDp, 0, 8);
    if (i == 0 && (mistakes & kJoin) != 0) put(1, kDp, 0, 9);
    if (i == 2 && (mistakes & kPhase) != 0) put(3, kPp, 9, 7);
    if (i == 3 && (mistakes & kOverflow) != 0) put(2, kMp, 1, 7);
    if (i == 3 && (mistakes & kRoute) != 0) {
      put((mistakes & kPhase) != 0 ? 0 : 3, kPp, kPhaseOnline, 7);
    }
    step();
  }
  for (int i = 0; i < 10; ++i) step();
  pins.reg = {true, false, reg::kError, 0};
  step();
  EXPECT_EQ(pins.reg_rdata, core.error());
  return core.error();
}

// The first error stays; among simultaneous ones the lowest code.
TEST_P(FredSwitchRegisters, TellTheFirstError) {
  const auto core = make_dut();
  const std::vector<std::uint32_t> codes{reg::kErrorOverflow, reg::kErrorJoin, reg::kErrorPhase,
                                         reg::kErrorRoute};
  for (unsigned mistakes = 0; mistakes < 16; ++mistakes) {
    constexpr unsigned kFourPorts = kJoin | kPhase | kRoute;  // would need a fifth
    if ((mistakes & kFourPorts) == kFourPorts) continue;
    SCOPED_TRACE(fmt::format("mistakes {:04b}", mistakes));
    EXPECT_EQ(error_of(*core, shape_, mistakes),
              mistakes == 0 ? reg::kErrorNone : codes[std::countr_zero(mistakes)]);
  }
}

// Error and phase changes after a flit of (phase, vc) has come to ports 0 and 1; row `index` of the
// store has their sum on the DP channel, valid or not.
std::pair<std::uint32_t, std::uint64_t> after_flits(SwitchCore& core, const TestedSwitch& shape,
                                                    int index, bool valid, int phase, int vc) {
  const std::vector<Flow> flows{{0x3, 0x3}};
  std::vector<std::uint32_t> row = shape.row(shape.phase(kDp, flows));
  if (!valid) row[0] &= ~1U;
  core.reset();
  SwitchPins pins(shape.ports(), shape.lanes);
  int address = reg::kPhaseStore + index * static_cast<int>(row.size());
  for (const std::uint32_t word : row) {
    pins.reg = {true, true, static_cast<std::uint16_t>(address++), word};
    core.step(pins);
  }
  pins.reg = {};
  for (int p = 0; p < 2; ++p) {
    pack_header({.phase = static_cast<std::uint8_t>(phase),
                 .vc = static_cast<std::uint8_t>(vc),
                 .head = true,
                 .tail = true},
                &pins.in_flit[p * flit_words(shape.lanes)]);
  }
  pins.in_valid = 3;
  core.step(pins);
  pins.in_valid = 0;
  for (int i = 0; i < 10; ++i) core.step(pins);
  SwitchCounters counters;
  EXPECT_TRUE(core.peek_counters(counters));
  return {core.error(), counters.phase_changes};
}

const std::pair<std::uint32_t, std::uint64_t> kLoaded{reg::kErrorNone, 1},
    kRefused{reg::kErrorPhase, 0};

TEST_P(FredSwitchRegisters, RowsThatAreNoPhaseOfTheirFlitsAreNotLoaded) {
  const auto core = make_dut();
  for (const bool valid : {true, false}) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      SCOPED_TRACE(fmt::format("{} row, VC {}", valid ? "valid" : "invalid", vc));
      EXPECT_EQ(after_flits(*core, shape_, 0, valid, 0, vc),
                valid && vc == kDp ? kLoaded : kRefused);
    }
  }
}

// A phase beyond the store does not alias another one. In the second shape the phase index is one
// bit wider than the index of the last row.
TEST_P(FredSwitchRegisters, PhasesBeyondTheStoreAreNone) {
  const TestedSwitch other = narrow_shape();
  EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(other.kind().num_phases(other))));
  for (const TestedSwitch& shape : {shape_, other}) {
    const auto core = make_switch(model_, shape, "dut");
    const int rows = shape.kind().num_phases(shape);
    for (int phase = rows - 2; phase < kPhaseOnline; ++phase) {
      SCOPED_TRACE(fmt::format("phase {} of {}", phase, rows));
      EXPECT_EQ(after_flits(*core, shape, phase % rows, true, phase, kDp),
                phase < rows ? kLoaded : kRefused);
    }
  }
}

// ---------------------------------------------------------------- reset

// Phases, routes and credits are written, and flits are everywhere in the switch.
std::unique_ptr<SwitchCore> in_use(const TestedSwitch& shape, std::unique_ptr<SwitchCore> core,
                                   std::uint64_t seed) {
  Random random(seed);
  SwitchDriver driver(shape, std::move(core),
                      {.pause_percent = 40, .return_delay = 30, .receive_depth = 10}, seed);
  std::vector<Phase> phases;
  for (int i = 0; i < 5; ++i) {
    phases.push_back(random_phase(shape, static_cast<int>(random.below(kNumVcs)), kPorts, random));
    driver.add_phase(phases.back());
  }
  add_random_packets(driver, shape, phases, 300, 40, random);
  for (std::uint64_t left = 60 + random.below(60); left != 0; --left) driver.step();
  return driver.take_core();
}

void expect_as_powered_up(SwitchCore& core, const TestedSwitch& shape) {
  EXPECT_TRUE(core.idle());
  EXPECT_EQ(core.error(), reg::kErrorNone);
  SwitchPhase phase;
  ASSERT_TRUE(core.peek_phase(phase));
  EXPECT_EQ(phase, SwitchPhase{});
  SwitchPins pins(kPorts, shape.lanes);
  const auto access = [&](int address, bool write = false, std::uint32_t value = 0) {
    pins.reg = {true, write, static_cast<std::uint16_t>(address), value};
    core.step(pins);
    return pins.reg_rdata;
  };
  const auto expect_zero = [&](int first, int count) {
    for (int i = 0; i < count; ++i) EXPECT_EQ(access(first + i), 0U) << first + i;
  };
  core.step(pins);
  EXPECT_EQ(pins.reg_rdata, 0U);
  for (int p = 0; p < kPorts; ++p) {
    for (int v = 0; v < kNumVcs; ++v) {
      EXPECT_EQ(access(reg::kCredit + 4 * p + v),
                static_cast<std::uint32_t>(shape.buffers.depth(v)));
    }
  }
  expect_zero(reg::kError, 1);
  expect_zero(reg::kFlitsIn, 2 * kPorts);
  expect_zero(reg::kFlitsOut, 2 * kPorts);
  expect_zero(reg::kReductions, 4);
  expect_zero(reg::kStallJoin, 10);
  expect_zero(reg::kPhaseStore, reg::kPhaseStoreWords);
  // A row with one written word has zero in all other words.
  access(reg::kPhaseStore + 1, true, ~0U);
  for (int word = 0; word < shape.row_words(); ++word) {
    EXPECT_EQ(access(reg::kPhaseStore + word), word == 1 ? ~0U : 0U) << word;
  }
  // A phase of before is none.
  for (const int phase_of_before : {1, 2, 3, 4}) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      core.reset();
      pins.reg = {};
      pack_header({.phase = static_cast<std::uint8_t>(phase_of_before),
                   .vc = static_cast<std::uint8_t>(vc),
                   .head = true,
                   .tail = true},
                  pins.in_flit.data());
      pins.in_valid = 1;
      core.step(pins);
      pins.in_valid = 0;
      for (int i = 0; i < 5; ++i) core.step(pins);
      EXPECT_EQ(core.error(), reg::kErrorPhase);
      EXPECT_FALSE(core.idle());
    }
  }
}

TEST_P(FredSwitchRegisters, AreForgottenByAReset) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const auto core = in_use(shape_, make_dut(), seed);
    EXPECT_FALSE(core->idle());
    core->reset();
    expect_as_powered_up(*core, shape_);
  }
}

// All but the routing table, which is a memory.
TEST_P(FredSwitchRegisters, KeepTheirRoutesOverAReset) {
  const auto core = make_dut();
  core->reset();
  SwitchPins pins(kPorts, shape_.lanes);
  const auto read_route = [&](int destination) {
    pins.reg = {true, false, static_cast<std::uint16_t>(reg::kRoute + destination), 0};
    core->step(pins);
    return pins.reg_rdata;
  };
  EXPECT_EQ(read_route(7), 0U);
  pins.reg = {true, true, static_cast<std::uint16_t>(reg::kRoute + 7), 3};
  core->step(pins);
  core->reset();
  pins.reg = {};
  core->step(pins);
  EXPECT_EQ(read_route(7), 3U);
  EXPECT_EQ(read_route(8), 0U);
}

// Traffic after the reset runs by the rules that begin with it; with the credits that it leaves.
TEST_P(FredSwitchRegisters, AndSoIsTheTrafficOfBefore) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    SwitchDriver driver(
        shape_, in_use(shape_, make_dut(), seed),
        {.pause_percent = 20, .return_delay = 60, .receive_depth = Stalls::kAsReset}, seed);
    std::vector<Phase> phases;
    for (int i = 0; i < 3; ++i) {
      phases.push_back(
          random_phase(shape_, static_cast<int>(random.below(kNumVcs)), kPorts, random));
      driver.add_phase(phases.back());
    }
    add_random_packets(driver, shape_, phases, 200, 30, random);
    driver.drain(100'000);
    driver.check_quiet();
  }
}

}  // namespace
}  // namespace fredsim::tb
