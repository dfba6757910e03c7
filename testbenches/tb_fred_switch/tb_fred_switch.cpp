// Testbench of fred_switch: random phases and packets, with and without stalls, on every size that
// is built; latency, throughput, phase changes, pre-emption and error codes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "switch/register_map.h"
#include "switch/rtl_switch.h"
#include "switch_driver.h"

namespace fredsim::tb {
namespace {

SwitchShape shape_of(int ports, int middle, int lanes = 1) {
  SwitchShape s;
  s.fred = {ports, middle};
  s.lanes = lanes;
  return s;
}

std::unique_ptr<SwitchCore> rtl(const SwitchShape& shape) { return make_rtl_switch(shape, "dut"); }

Phase fixed_phase(const SwitchShape& shape, int vc, std::vector<Flow> flows) {
  Phase p;
  p.vc = vc;
  p.route = route_flows(shape.fred, flows);
  p.flows = std::move(flows);
  return p;
}

void random_traffic(const SwitchShape& shape, const Stalls& stalls, std::uint64_t seed,
                    int packets) {
  SCOPED_TRACE(fmt::format("Fred_{}({}) lanes {} seed {}", shape.fred.middle, shape.fred.ports,
                           shape.lanes, seed));
  Random random(seed);
  SwitchDriver driver(shape, rtl(shape), stalls, seed);
  const int count = 1 + static_cast<int>(random.below(6));
  std::vector<Phase> phases;
  for (int i = 0; i < count; ++i) {
    phases.push_back(
        random_phase(shape, static_cast<int>(random.below(kNumVcs)), shape.fred.ports, random));
    driver.add_phase(phases.back());
  }
  for (int i = 0; i < packets; ++i) {
    const int phase = static_cast<int>(random.below(phases.size()));
    const int flow = static_cast<int>(random.below(phases[phase].flows.size()));
    const int longest = phases[phase].vc == kControl ? 1 : kPacketFlits;
    driver.add_packet(phase, flow, 1 + static_cast<int>(random.below(longest)));
  }
  driver.drain(2'000'000);
  driver.check_quiet();
}

class FredSwitchSizes : public testing::TestWithParam<std::array<int, 3>> {
 protected:
  SwitchShape shape_ = shape_of(GetParam()[0], GetParam()[1], GetParam()[2]);
};

TEST_P(FredSwitchSizes, DeliversEveryFlitWithoutStalls) {
  const int packets = shape_.lanes > 1 ? 60 : 300;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) random_traffic(shape_, {}, seed, packets);
}

TEST_P(FredSwitchSizes, DeliversEveryFlitWithStalls) {
  const int packets = shape_.lanes > 1 ? 60 : 300;
  for (std::uint64_t seed = 100; seed <= 160; ++seed) {
    Random random(seed);
    Stalls stalls;
    stalls.gap_percent = static_cast<int>(random.below(60));
    stalls.pause_percent = static_cast<int>(random.below(60));
    stalls.return_delay = static_cast<int>(random.below(80));
    stalls.receive_depth = 1 + static_cast<int>(random.below(64));
    random_traffic(shape_, stalls, seed, packets);
  }
}

// An all-reduce over half of the ports in full flow moves one flit per port and cycle, and an
// unloaded flit takes stages(P) + 2 cycles from the buffer to the link.
TEST_P(FredSwitchSizes, SustainsOneFlitPerCycleAtKnownLatency) {
  SwitchDriver driver(shape_, rtl(shape_), {}, 7);
  const std::uint32_t half = (1U << (shape_.fred.ports + 1) / 2) - 1;
  driver.add_phase(fixed_phase(shape_, kDp, {{half, half}}));
  driver.add_packet(0, 0, 1);
  driver.drain(100);
  const std::uint64_t start = driver.cycle();
  driver.add_packet(0, 0, 1);
  driver.drain(100);
  // Buffered by the first edge; then the stages, staging and the output register.
  EXPECT_EQ(driver.last_delivery() - start,
            static_cast<std::uint64_t>(fred_stages(shape_.fred.ports) + 2));
  for (int i = 0; i < 200; ++i) driver.add_packet(0, 0, kPacketFlits);
  const std::uint64_t burst = driver.cycle();
  driver.drain(10'000);
  EXPECT_EQ(
      driver.last_delivery() - burst,
      static_cast<std::uint64_t>(fred_stages(shape_.fred.ports) + 2 + 200 * kPacketFlits - 1));
  driver.check_quiet();
}

INSTANTIATE_TEST_SUITE_P(Built, FredSwitchSizes,
                         testing::Values(std::array{12, 3, 1}, std::array{11, 3, 1},
                                         std::array{10, 3, 1}, std::array{5, 2, 3},
                                         std::array{3, 2, 256}),
                         [](const auto& size) {
                           return fmt::format("P{}M{}L{}", size.param[0], size.param[1],
                                              size.param[2]);
                         });

// Concurrent flows of one phase do not disturb each other.
TEST(FredSwitch, FlowsOfOnePhaseRunSideBySide) {
  const SwitchShape shape = shape_of(12, 3);
  SwitchDriver driver(shape, rtl(shape), {}, 1);
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

// A DP stream is interrupted by MP packets at a packet boundary; both complete;
// the cost is measured.
TEST(FredSwitch, HigherPriorityPreemptsAtPacketBoundary) {
  const SwitchShape shape = shape_of(12, 3);
  SwitchDriver driver(shape, rtl(shape), {}, 3);
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
  // the rest of an open packet (7), the change (2), the buffer's edge and the way through.
  EXPECT_LE(driver.span(1, 0).first - arrival, 7U + 2 + 1 + fred_stages(12) + 2 + kPacketFlits);
  EXPECT_LT(driver.span(1, 0).last, driver.span(0, 0).last);
  // MP shares the input ports with DP packets (random choice of the driver per cycle), so more than
  // one change is possible, but at least the interruption and the return are there.
  EXPECT_GE(driver.read_counter(reg::kPhaseChanges) - changes, 2U);
}

// Alternating phases of equal priority on the same ports: each packet pays the change.
TEST(FredSwitch, PhaseChangeCostsTwoCycles) {
  const SwitchShape shape = shape_of(12, 3);
  SwitchDriver driver(shape, rtl(shape), {}, 4);
  driver.add_phase(fixed_phase(shape, kDp, {{0x001, 0x002}}));
  driver.add_phase(fixed_phase(shape, kMp, {{0x004, 0x008}}));
  driver.add_packet(0, 0, 1);
  driver.drain(100);
  const std::uint64_t start = driver.cycle();
  driver.add_packet(1, 0, 1);  // idle on another phase: load, then go
  driver.drain(100);
  EXPECT_EQ(driver.last_delivery() - start, static_cast<std::uint64_t>(fred_stages(12) + 2 + 2));
  EXPECT_EQ(driver.read_counter(reg::kPhaseChanges), 2U);
  driver.check_quiet();
}

// Two phases of equal priority, both always ready: neither starves.
TEST(FredSwitch, EqualPriorityPhasesShare) {
  const SwitchShape shape = shape_of(12, 3);
  SwitchDriver driver(shape, rtl(shape), {}, 5);
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

std::uint32_t error_after(const SwitchShape& shape,
                          const std::vector<std::pair<int, FlitHeader>>& flits, int steps) {
  auto core = rtl(shape);
  core->reset();
  SwitchPins pins(shape.ports(), shape.lanes);
  const Phase phase = fixed_phase(shape, kDp, {{0x003, 0x003}});
  const auto row = phase_row(shape.fred, phase.vc, phase.flows, phase.route);
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

TEST(FredSwitch, ErrorsAreReported) {
  const SwitchShape shape = shape_of(12, 3);
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
