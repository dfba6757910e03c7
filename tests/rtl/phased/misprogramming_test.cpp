// SPDX-License-Identifier: Apache-2.0
// Rows of the phase store that contradict their flows: flits that are lost or go astray give
// ERROR_CONFIG; routes of the library give none.

#include "tb_fred_switch/misprogramming.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "routing/fred_routing.h"
#include "switch/fred/fred_row.h"
#include "switch/register_map.h"
#include "switch/switch_factory.h"
#include "tb_fred_switch/switch_driver.h"

namespace fredsim::tb {
namespace {

// Every bit of a configuration changed, one at a time; the packets of one flow at a time, so that
// flits of two flows do not collide.
void change_every_bit(SwitchModel model, const Stalls& stalls) {
  const TestedSwitch shape(4, 3);
  const Phase right = shape.phase(kDp, {{0x3, 0x5}, {0x4, 0x8}});
  int found = 0, harmless = 0;
  for (std::size_t bit = 0; bit < right.route.bits.size(); ++bit) {
    SCOPED_TRACE(fmt::format("bit {}", bit));
    Phase wrong = right;
    wrong.route.bits[bit] = !wrong.route.bits[bit];
    SwitchDriver driver(shape, make_switch(model, shape, "dut"), stalls, bit + 1);
    driver.add_phase(wrong);
    std::string said;
    try {
      for (const int flow : {0, 1}) {
        for (int i = 0; i < 3; ++i) driver.add_packet(0, flow, kPacketFlits);
        driver.drain(2000);
      }
      driver.check_quiet();
    } catch (const std::runtime_error& what) {
      said = what.what();
    }
    // Contents of flits that come at all are not compared.
    const bool carries_less =
        said.find("header") != std::string::npos || said.find(" lane ") != std::string::npos;
    if (!carries_less || driver.core().error() != reg::kErrorNone) {
      EXPECT_EQ(driver.core().error(), said.empty() ? reg::kErrorNone : reg::kErrorConfig) << said;
    }
    (said.empty() ? harmless : found) += 1;
    // It is as new after a reset.
    driver.core().reset();
    EXPECT_EQ(driver.core().error(), reg::kErrorNone);
    EXPECT_TRUE(driver.core().idle());
  }
  EXPECT_GT(found, 8);
  EXPECT_GT(harmless, 8);
}

TEST(Misprogramming, LosesAndMisleadsNoFlitUnnoticed) {
  constexpr Stalls kStalls{
      .gap_percent = 30, .pause_percent = 30, .return_delay = 20, .receive_depth = 10};
  for (const SwitchModel model : {SwitchModel::kRtl, SwitchModel::kTlm, SwitchModel::kLockstep}) {
    for (const Stalls& stalls : {Stalls{}, kStalls}) {
      SCOPED_TRACE(switch_model_name(model));
      change_every_bit(model, stalls);
    }
  }
}

// Error code after three packets of `flits` flits at each of the first inputs, all from one edge
// on.
std::uint32_t error_of(SwitchCore& core, const TestedSwitch& shape, const Phase& phase,
                       const std::vector<int>& lengths) {
  core.reset();
  SwitchPins pins(shape.ports(), shape.lanes);
  int address = reg::kPhaseStore;
  for (const std::uint32_t word : shape.row(phase)) {
    pins.reg = {true, true, static_cast<std::uint16_t>(address++), word};
    core.step(pins);
  }
  pins.reg = {};
  pins.out_ready = (1U << shape.ports()) - 1;
  for (int cycle = 0; cycle < 100; ++cycle) {
    pins.in_valid = 0;
    for (int p = 0; p < static_cast<int>(lengths.size()); ++p) {
      const int length = lengths[static_cast<std::size_t>(p)];
      if (cycle >= 3 * length) continue;
      FlitHeader header;
      header.phase = 0;
      header.vc = kDp;
      header.head = cycle % length == 0;
      header.tail = cycle % length == length - 1;
      pack_header(header, &pins.in_flit[static_cast<std::size_t>(p * flit_words(shape.lanes))]);
      pins.in_valid |= 1U << p;
    }
    core.step(pins);
  }
  return core.error();
}

// Two flows whose outputs the configuration exchanges: all flits find places, and the packets of 5
// and 8 flits are interleaved. With equal packets the exchange is not detected.
TEST(Misprogramming, OfExchangedOutputsMixesNoPacketsUnnoticed) {
  const TestedSwitch shape(4, 3);
  const Phase right = shape.phase(kDp, {{0x1, 0x4}, {0x2, 0x8}});
  Phase wrong = right;
  wrong.route = shape.route(std::vector<Flow>{{0x1, 0x8}, {0x2, 0x4}});
  for (const SwitchModel model : {SwitchModel::kRtl, SwitchModel::kTlm, SwitchModel::kLockstep}) {
    SCOPED_TRACE(switch_model_name(model));
    const std::unique_ptr<SwitchCore> core = make_switch(model, shape, "dut");
    EXPECT_EQ(error_of(*core, shape, right, {5, 8}), reg::kErrorNone);
    EXPECT_EQ(error_of(*core, shape, wrong, {5, 8}), reg::kErrorConfig);
    EXPECT_EQ(error_of(*core, shape, wrong, {8, 8}), reg::kErrorNone);
    EXPECT_EQ(error_of(*core, shape, right, {8, 1}), reg::kErrorNone);
  }
}

// Two phases in use; one selects the other's sub-network at its output: it receives flits of
// another virtual channel than expected, which are dropped.
TEST(Misprogramming, GivesNoOutputTheFlitsOfAnotherVirtualChannel) {
  constexpr int kOutput = 4;
  const TestedSwitch shape = with_two_phases({8, 3});
  Phase wrong = shape.phase(kMp, {{0x01, 1U << kOutput}});
  const Phase right = shape.phase(kDp, {{0x04, 0x60}});
  const int select = 8 / 2 * 2 * 3 + 3 * fred_config_bits({4, 3}) + 2 * kOutput;
  ASSERT_TRUE(!wrong.route.bits[select] && wrong.route.bits[select + 1]);      // sub-network 1
  ASSERT_TRUE(right.route.bits[select + 2] && !right.route.bits[select + 3]);  // sub-network 0
  wrong.route.bits[select] = true;
  wrong.route.bits[select + 1] = false;
  for (const SwitchModel model : {SwitchModel::kRtl, SwitchModel::kTlm, SwitchModel::kLockstep}) {
    SCOPED_TRACE(switch_model_name(model));
    const std::unique_ptr<SwitchCore> core = make_switch(model, shape, "dut");
    core->reset();
    SwitchPins pins(shape.ports(), shape.lanes);
    int address = reg::kPhaseStore;
    for (const Phase& phase : {wrong, right}) {
      for (const std::uint32_t word : shape.row(phase)) {
        pins.reg = {true, true, static_cast<std::uint16_t>(address++), word};
        core->step(pins);
      }
    }
    pins.reg = {};
    pins.out_ready = 0xFF;
    const auto send = [&](int port, int phase, int vc, int flits) {
      FlitHeader header;
      header.phase = static_cast<std::uint8_t>(phase);
      header.vc = static_cast<std::uint8_t>(vc);
      header.head = flits % kPacketFlits == 0;
      header.tail = flits % kPacketFlits == kPacketFlits - 1;
      pack_header(header, &pins.in_flit[static_cast<std::size_t>(port * flit_words(shape.lanes))]);
      pins.in_valid |= 1U << port;
    };
    std::uint32_t launched = 0;
    for (int cycle = 0; cycle < 100; ++cycle) {
      pins.in_valid = 0;
      if (cycle < 5 * kPacketFlits) send(2, 1, kDp, cycle);
      if (cycle >= 2 * kPacketFlits && cycle < 3 * kPacketFlits) send(0, 0, kMp, cycle);
      core->step(pins);
      launched |= pins.out_valid;
    }
    EXPECT_EQ(core->error(), reg::kErrorConfig);
    EXPECT_EQ(launched, 0x60U);
  }
}

TEST(Misprogramming, IsNotWhatTheLibraryRoutes) {
  Random random(1);
  for (const int middle : {2, 3, 4}) {
    for (int ports = 2; ports <= 20; ++ports) {
      const TestedSwitch shape(ports, middle);
      for (int n = 0; n < 20; ++n) {
        const Phase phase =
            random_phase(shape, static_cast<int>(random.below(kNumVcs)), ports, random);
        EXPECT_TRUE(decode_row(shape.fred, shape.row(phase)).contradictory.empty()) << shape.name();
      }
    }
  }
}

}  // namespace
}  // namespace fredsim::tb
