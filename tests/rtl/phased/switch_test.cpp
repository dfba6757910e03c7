// SPDX-License-Identifier: Apache-2.0
// Tests of fred_switch, every one on the RTL, on the twin and on both in lockstep: random phases
// and packets, with and without stalls, on every size that is built; latency, throughput, phase
// changes, pre-emption and error codes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "base/error.h"
#include "switch/register_map.h"
#include "switch/switch_factory.h"
#include "tb_fred_switch/switch_driver.h"

namespace fredsim::tb {
namespace {

TestedSwitch shape_of(int ports, int middle, int lanes = 1) {
  TestedSwitch s(ports, middle);
  s.lanes = lanes;
  return s;
}

std::string model_label(SwitchModel model) { return std::string(switch_model_name(model)); }

constexpr std::array kModels{SwitchModel::kRtl, SwitchModel::kTlm, SwitchModel::kLockstep};

Phase fixed_phase(const TestedSwitch& shape, int vc, std::vector<Flow> flows) {
  Phase p;
  p.vc = vc;
  p.route = shape.route(flows);
  p.flows = std::move(flows);
  return p;
}

void random_traffic(SwitchModel model, const TestedSwitch& shape, const Stalls& stalls,
                    std::uint64_t seed, int packets) {
  SCOPED_TRACE(fmt::format("{} lanes {} seed {}", shape.name(), shape.lanes, seed));
  Random random(seed);
  SwitchDriver driver(shape, make_switch(model, shape, "dut"), stalls, seed);
  const int count = 1 + static_cast<int>(random.below(6));
  std::vector<Phase> phases;
  for (int i = 0; i < count; ++i) {
    phases.push_back(
        random_phase(shape, static_cast<int>(random.below(kNumVcs)), shape.fred.ports, random));
    driver.add_phase(phases.back());
  }
  add_random_packets(driver, shape, phases, packets, static_cast<int>(seed % 3) * 40, random);
  driver.drain(2'000'000);
  driver.check_quiet();
}

Stalls random_stalls(std::uint64_t seed) {
  Random random(seed);
  Stalls stalls;
  stalls.gap_percent = static_cast<int>(random.below(60));
  stalls.pause_percent = static_cast<int>(random.below(60));
  stalls.return_delay = static_cast<int>(random.below(80));
  stalls.receive_depth = 1 + static_cast<int>(random.below(64));
  return stalls;
}

struct Size {
  int ports, middle, lanes;
};

class FredSwitchSizes : public testing::TestWithParam<std::tuple<Size, SwitchModel>> {
 protected:
  std::unique_ptr<SwitchCore> make_dut() const { return make_switch(model_, shape_, "dut"); }

  Size size_ = std::get<Size>(GetParam());
  SwitchModel model_ = std::get<SwitchModel>(GetParam());
  TestedSwitch shape_ = shape_of(size_.ports, size_.middle, size_.lanes);
};

TEST_P(FredSwitchSizes, DeliversEveryFlitWithoutStalls) {
  const int packets = shape_.lanes > 1 ? 60 : 300;
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    random_traffic(model_, shape_, {}, seed, packets);
}

TEST_P(FredSwitchSizes, DeliversEveryFlitWithStalls) {
  const int packets = shape_.lanes > 1 ? 60 : 300;
  for (std::uint64_t seed = 100; seed <= 140; ++seed) {
    const Stalls stalls = random_stalls(seed);
    random_traffic(model_, shape_, stalls, seed, packets);
  }
}

// An all-reduce over half of the ports in full flow moves one flit per port and cycle, and an
// unloaded flit takes stages(P) + 6 cycles from pin to pin.
TEST_P(FredSwitchSizes, SustainsOneFlitPerCycleAtKnownLatency) {
  SwitchDriver driver(shape_, make_dut(), {}, 7);
  const std::uint32_t half = (1U << (shape_.fred.ports + 1) / 2) - 1;
  driver.add_phase(fixed_phase(shape_, kDp, {{half, half}}));
  const int stages = shape_.stages(std::popcount(half));
  driver.add_packet(0, 0, 1);
  driver.drain(100);
  const std::uint64_t start = driver.cycle();
  driver.add_packet(0, 0, 1);
  driver.drain(100);
  // Pin register by the first edge; then buffer, pop, memory, flit register, the stages, staging,
  // output.
  EXPECT_EQ(driver.last_delivery() - start, static_cast<std::uint64_t>(stages + 6));
  for (int i = 0; i < 200; ++i) driver.add_packet(0, 0, kPacketFlits);
  const std::uint64_t burst = driver.cycle();
  driver.drain(10'000);
  EXPECT_EQ(driver.last_delivery() - burst,
            static_cast<std::uint64_t>(stages + 6 + 200 * kPacketFlits - 1));
  driver.check_quiet();
}

INSTANTIATE_TEST_SUITE_P(
    Built, FredSwitchSizes,
    testing::Combine(testing::Values(Size{12, 3, 1}, Size{11, 3, 1}, Size{10, 3, 1}, Size{4, 3, 1},
                                     Size{4, TestedSwitch::kCrossbar, 1},
                                     Size{10, TestedSwitch::kMesh, 1},
                                     Size{4, TestedSwitch::kAggregator, 1}, Size{3, 2, 256}),
                     testing::ValuesIn(kModels)),
    [](const auto& test) {
      const Size size = std::get<Size>(test.param);
      const SwitchModel model = std::get<SwitchModel>(test.param);
      return fmt::format("{}L{}_{}", shape_of(size.ports, size.middle).name(), size.lanes,
                         model_label(model));
    });

class FredSwitch : public testing::TestWithParam<SwitchModel> {
 protected:
  std::unique_ptr<SwitchCore> make_dut(const TestedSwitch& shape) const {
    return make_switch(GetParam(), shape, "dut");
  }
  std::uint32_t error_after(const TestedSwitch& shape,
                            const std::vector<std::pair<int, FlitHeader>>& flits, int steps) const;
};
INSTANTIATE_TEST_SUITE_P(Models, FredSwitch, testing::ValuesIn(kModels),
                         [](const auto& test) { return model_label(test.param); });

TEST_P(FredSwitch, DeliversEveryFlitWithTwoSubNetworksOrNoneAndNarrowBuffers) {
  for (const TestedSwitch& shape :
       {narrow_shape(), narrow_shape(TestedSwitch::kCrossbar), narrow_shape(TestedSwitch::kMesh),
        narrow_shape(TestedSwitch::kAggregator)}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      random_traffic(GetParam(), shape, {}, seed, 200);
      random_traffic(GetParam(), shape, random_stalls(seed), seed, 200);
    }
  }
}

TEST_P(FredSwitch, DeliversEveryFlitInOtherOrdersOfVirtualChannels) {
  for (const TestedSwitch& shape : shapes_of_other_orders()) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      random_traffic(GetParam(), shape, {}, seed, 200);
      random_traffic(GetParam(), shape, random_stalls(seed), seed, 200);
    }
  }
}

TEST_P(FredSwitch, DeliversEveryFlitWithTwoPhasesInUse) {
  for (const TestedSwitch& shape :
       {with_two_phases(shape_of(8, 3)), with_two_phases(narrow_shape())}) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      random_traffic(GetParam(), shape, {}, seed, 200);
      random_traffic(GetParam(), shape, random_stalls(seed), seed, 200);
    }
  }
}

// Adders of two stages, in the four modes: RTL and twin, without and with stalls.
TEST_P(FredSwitch, DeliversEveryFlitWithAddersOfTwoStages) {
  for (const TestedSwitch& shape :
       {with_two_adder_stages(shape_of(4, 3)), with_two_adder_stages(narrow_shape())}) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      random_traffic(GetParam(), shape, {}, seed, 200);
      random_traffic(GetParam(), shape, random_stalls(seed), seed, 200);
    }
  }
}

// A Fred_3(4) has 3 stages, and 5 with adders of two: R, R, RD, RD and the D-level.
TEST_P(FredSwitch, AddersOfTwoStagesTakeTheirStages) {
  for (const TestedSwitch& shape : {shape_of(4, 3), with_two_adder_stages(shape_of(4, 3))}) {
    SwitchDriver driver(shape, make_dut(shape), {}, 1);
    driver.add_phase(fixed_phase(shape, kDp, {{0xF, 0xF}}));
    driver.add_packet(0, 0, 1);
    driver.drain(100);
    const std::uint64_t start = driver.cycle();
    driver.add_packet(0, 0, 1);
    driver.drain(100);
    EXPECT_EQ(driver.last_delivery() - start,
              static_cast<std::uint64_t>((shape.adder_stages == 2 ? 5 : 3) + 6));
  }
}

// Two phases without a common port, each with a packet in every cycle, on one virtual channel or
// two: neither waits for the other.
TEST_P(FredSwitch, PhasesWithoutACommonPortRunAtOnce) {
  for (const int vc : {kDp, kMp}) {
    const TestedSwitch shape = with_two_phases(shape_of(8, 3));
    SwitchDriver driver(shape, make_dut(shape), {}, 1);
    driver.add_phase(fixed_phase(shape, vc, {{0x0F, 0x10}}));
    driver.add_phase(fixed_phase(shape, kDp, {{0x80, 0x0F}}));
    for (int i = 0; i < 100; ++i) {
      driver.add_packet(0, 0, kPacketFlits);
      driver.add_packet(1, 0, kPacketFlits);
    }
    driver.drain(5'000);
    driver.check_quiet();
    EXPECT_EQ(driver.read_counter(reg::kPhaseChanges), 2U);
    for (int phase = 0; phase < 2; ++phase) {
      EXPECT_LE(driver.span(phase, 0).last - driver.span(phase, 0).first, 100U * kPacketFlits + 2)
          << vc << ' ' << phase;
    }
  }
}

// Concurrent flows of one phase do not disturb each other.
TEST_P(FredSwitch, FlowsOfOnePhaseRunSideBySide) {
  const TestedSwitch shape = shape_of(12, 3);
  SwitchDriver driver(shape, make_dut(shape), {}, 1);
  driver.add_phase(
      fixed_phase(shape, kMp, {{0x003, 0x003}, {0x00C, 0x00C}, {0x0F0, 0x100}, {0x100, 0x0F0}}));
  for (int i = 0; i < 100; ++i) {
    for (int f = 0; f < 4; ++f) driver.add_packet(0, f, kPacketFlits);
  }
  driver.drain(5'000);
  for (int f = 0; f < 4; ++f) {
    EXPECT_EQ(driver.span(0, f).last - driver.span(0, f).first, 100U * kPacketFlits - 1) << f;
  }
  driver.check_quiet();
}

// A DP stream is interrupted by MP packets at a packet boundary; both complete; the cost is
// measured.
TEST_P(FredSwitch, HigherPriorityPreemptsAtPacketBoundary) {
  const TestedSwitch shape = shape_of(12, 3);
  SwitchDriver driver(shape, make_dut(shape), {}, 3);
  driver.add_phase(fixed_phase(shape, kDp, {{0x00F, 0x00F}}));
  driver.add_phase(fixed_phase(shape, kMp, {{0x003, 0x003}, {0x00C, 0x00C}}));
  for (int i = 0; i < 100; ++i) driver.add_packet(0, 0, kPacketFlits);
  for (int i = 0; i < 200; ++i) driver.step();
  const std::uint64_t changes = driver.read_counter(reg::kPhaseChanges);
  const std::uint64_t arrival = driver.cycle();
  for (int i = 0; i < 20; ++i) {
    driver.add_packet(1, 0, kPacketFlits);
    driver.add_packet(1, 1, kPacketFlits);
  }
  driver.drain(10'000);
  driver.check_quiet();
  // Priority at the output port lets MP flits pass DP flits already staged; so the wait is at most
  // the rest of an open packet (7), the change (4, of which the look-up comes before) and the path
  // through.
  EXPECT_LE(driver.span(1, 0).first - arrival, 7U + 4 + 1 + fred_stages(12) + 6 + kPacketFlits);
  EXPECT_LT(driver.span(1, 0).last, driver.span(0, 0).last);
  // MP shares the input ports with DP packets (random choice of the driver per cycle), so more than
  // one change is possible, but at least the interruption and the return are there.
  EXPECT_GE(driver.read_counter(reg::kPhaseChanges) - changes, 2U);
}

// Alternating phases of equal priority on the same ports: each packet pays the change.
TEST_P(FredSwitch, PhaseChangeCostsFourCyclesWhenIdle) {
  const TestedSwitch shape = shape_of(12, 3);
  SwitchDriver driver(shape, make_dut(shape), {}, 4);
  driver.add_phase(fixed_phase(shape, kDp, {{0x001, 0x002}}));
  driver.add_phase(fixed_phase(shape, kMp, {{0x004, 0x008}}));
  driver.add_packet(0, 0, 1);
  driver.drain(100);
  const std::uint64_t start = driver.cycle();
  driver.add_packet(1, 0,
                    1);  // idle on another phase: look-up, judgement, decision, change; then go
  driver.drain(100);
  EXPECT_EQ(driver.last_delivery() - start, static_cast<std::uint64_t>(fred_stages(12) + 6 + 4));
  EXPECT_EQ(driver.read_counter(reg::kPhaseChanges), 2U);
  driver.check_quiet();
}

// Two phases of equal priority, both always ready: neither starves.
TEST_P(FredSwitch, EqualPriorityPhasesShare) {
  const TestedSwitch shape = shape_of(12, 3);
  SwitchDriver driver(shape, make_dut(shape), {}, 5);
  driver.add_phase(fixed_phase(shape, kDp, {{0x003, 0x003}}));
  driver.add_phase(fixed_phase(shape, kDp, {{0x00C, 0x00C}}));
  for (int i = 0; i < 400; ++i) {
    driver.add_packet(0, 0, kPacketFlits);
    driver.add_packet(1, 0, kPacketFlits);
  }
  for (int i = 0; i < 3000; ++i) driver.step();
  const auto a = static_cast<double>(driver.span(0, 0).flits);
  const auto b = static_cast<double>(driver.span(1, 0).flits);
  EXPECT_NEAR(a / (a + b), 0.5, 0.05);
  driver.drain(20'000);
  driver.check_quiet();
}

std::uint32_t FredSwitch::error_after(const TestedSwitch& shape,
                                      const std::vector<std::pair<int, FlitHeader>>& flits,
                                      int steps) const {
  auto core = make_dut(shape);
  core->reset();
  SwitchPins pins(shape.ports(), shape.lanes);
  const Phase phase = fixed_phase(shape, kDp, {{0x003, 0x003}});
  const auto row = shape.row(phase);
  for (std::size_t w = 0; w < row.size(); ++w) {
    pins.reg = {true, true, static_cast<std::uint16_t>(reg::kPhaseStore + w), row[w]};
    core->step(pins);
  }
  pins.reg = {};
  for (const auto& [port, header] : flits) {
    pins.in_valid = 1U << port;
    pack_header(header, &pins.in_flit[port * flit_words(shape.lanes)]);
    core->step(pins);
  }
  pins.in_valid = 0;
  for (int i = 0; i < steps; ++i) core->step(pins);
  return core->error();
}

TEST_P(FredSwitch, ErrorsAreReported) {
  const TestedSwitch shape = shape_of(12, 3);
  FlitHeader h;
  h.vc = kDp;
  h.head = h.tail = true;
  h.tag = 1;
  FlitHeader other = h;
  other.tag = 2;
  EXPECT_EQ(error_after(shape, {{0, h}, {1, h}}, 20), reg::kErrorNone);
  EXPECT_EQ(error_after(shape, {{0, h}, {1, other}}, 20), reg::kErrorJoin);
  FlitHeader unprogrammed = h;
  unprogrammed.phase = 5;
  EXPECT_EQ(error_after(shape, {{0, unprogrammed}}, 20), reg::kErrorPhase);
  FlitHeader wrong_vc = h;
  wrong_vc.vc = kMp;
  EXPECT_EQ(error_after(shape, {{0, wrong_vc}}, 20), reg::kErrorPhase);
  EXPECT_EQ(error_after(shape, {{7, h}}, 20), reg::kErrorPhase);
  const std::vector<std::pair<int, FlitHeader>> flood(static_cast<std::size_t>(49), {0, h});
  EXPECT_EQ(error_after(shape, flood, 2), reg::kErrorOverflow);
}

}  // namespace
}  // namespace fredsim::tb
