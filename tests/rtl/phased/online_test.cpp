// SPDX-License-Identifier: Apache-2.0
// Online unicasts of fred_switch, on the RTL, the twin and both in lockstep: latency, throughput of
// permutations (which shows whether an idle output is ever refused), behaviour beside a phase,
// fairness, errors. Random traffic with and without stalls, mixed with phases: switch_test.cpp and
// lockstep.cpp.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "switch/register_map.h"
#include "switch/switch_factory.h"
#include "tb_fred_switch/switch_driver.h"

namespace fredsim::tb {
namespace {

struct Size {
  int ports, middle;
};

class FredOnlineUnicasts : public testing::TestWithParam<std::tuple<Size, SwitchModel>> {
 protected:
  FredOnlineUnicasts() {
    const Size size = std::get<Size>(GetParam());
    shape_ = TestedSwitch(size.ports, size.middle);
    if (size.ports == 5) shape_ = narrow_shape(size.middle);
  }
  std::unique_ptr<SwitchCore> make_dut() const {
    return make_switch(std::get<SwitchModel>(GetParam()), shape_, "dut");
  }
  // The next packet finds room before the last one has left.
  bool staging_for_two_packets() const {
    return shape_.buffers.output_flits >= 2 * shape_.packet_flits;
  }
  std::vector<int> random_permutation(Random& random) const {
    std::vector<int> to(static_cast<std::size_t>(shape_.ports()));
    std::iota(to.begin(), to.end(), 0);
    for (std::size_t i = to.size(); i > 1; --i) std::swap(to[i - 1], to[random.below(i)]);
    return to;
  }
  // Outputs for the inputs `from`, one each, to which there are paths.
  std::vector<int> random_outputs(const std::vector<int>& from, Random& random) const {
    for (;;) {
      std::vector<int> to = random_permutation(random);
      if (std::ranges::equal(from, to, [&](int in, int out) { return shape_.has_path(in, out); }))
        return to;
    }
  }

  TestedSwitch shape_;
};

TEST_P(FredOnlineUnicasts, CrossAnIdleSwitchAsFastAsAPhaseInUse) {
  SwitchDriver driver(shape_, make_dut(), {}, 1);
  driver.write_routes();
  for (int in = 0; in < shape_.ports(); ++in) {
    for (int out = 0; out < shape_.ports(); ++out) {
      if (!shape_.has_path(in, out)) continue;
      const std::uint64_t start = driver.cycle();
      driver.add_online_packet(in, out, kMp, 1);
      driver.drain(200);
      EXPECT_EQ(driver.last_delivery() - start, static_cast<std::uint64_t>(shape_.stages() + 6))
          << in << " to " << out;
    }
  }
  driver.check_quiet();
}

// Every output is requested by one input. With three middle sub-networks, or in a crossbar, there
// is no conflict; with two sub-networks a flit may wait for flits with which it would collide, here
// for two of them.
TEST_P(FredOnlineUnicasts, PermutationsFlowWithoutWaitingWhereEveryMatchingHasItsPaths) {
  constexpr int kPackets = 40;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    SwitchDriver driver(shape_, make_dut(), {}, seed);
    driver.write_routes();
    std::vector<int> inputs(static_cast<std::size_t>(shape_.ports()));
    std::iota(inputs.begin(), inputs.end(), 0);
    const std::vector<int> to = random_outputs(inputs, random);
    for (int i = 0; i < kPackets; ++i) {
      for (int in = 0; in < shape_.ports(); ++in) {
        driver.add_online_packet(in, to[in], kPp, shape_.packet_flits);
      }
    }
    const std::uint64_t start = driver.cycle();
    driver.drain(20'000);
    driver.check_quiet();
    const std::uint64_t time = driver.last_delivery() - start;
    const std::uint64_t ideal = shape_.stages() + 6 + kPackets * shape_.packet_flits - 1;
    if (shape_.routes_every_matching() && staging_for_two_packets()) {
      EXPECT_EQ(time, ideal);
      EXPECT_EQ(driver.read_counter(reg::kStallArbiter), 0U);
    } else {
      EXPECT_LE(time, 3 * ideal);
    }
  }
}

// All inputs request one output, the last, to which there is a path from each: they are served in
// turn, packet by packet, so that the last packets of all of them leave within one round.
TEST_P(FredOnlineUnicasts, AnOutputServesItsInputsInTurn) {
  SwitchDriver driver(shape_, make_dut(), {}, 2);
  driver.write_routes();
  constexpr int kRounds = 30;
  const int output = shape_.ports() - 1;
  for (int i = 0; i < kRounds; ++i) {
    for (int in = 0; in < shape_.ports(); ++in) driver.add_online_packet(in, output, kDp, 3);
  }
  const std::uint64_t start = driver.cycle();
  driver.drain(20'000);
  driver.check_quiet();
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  for (int in = 0; in < shape_.ports(); ++in) {
    first = std::min(first, driver.online_span(in, output).last);
    last = std::max(last, driver.online_span(in, output).last);
  }
  EXPECT_LT(last - first, (last - start) / kRounds);
}

// A stream through the phase in use, and unicast streams that share neither input nor output with
// it: the phase runs as it does alone, and the unicasts never wait where every matching has its
// paths.
TEST_P(FredOnlineUnicasts, RunBesideThePhaseInUse) {
  const int ports = shape_.ports();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const std::vector<int> from = random_permutation(random);
    const std::vector<int> to = random_outputs(from, random);
    Phase phase;
    phase.vc = kDp;
    phase.flows = {{0, 0}};
    for (int i = 0; i < ports / 2; ++i) {
      phase.flows[0].inputs |= 1U << from[i];
      phase.flows[0].outputs |= 1U << to[i];
    }
    phase.route = shape_.route(phase.flows);
    std::array<std::uint64_t, 2> time{};
    for (const bool unicasts : {false, true}) {
      SwitchDriver driver(shape_, make_dut(), {}, seed);
      driver.write_routes();
      driver.add_phase(phase);
      driver.add_packet(0, 0, 1);
      driver.drain(200);
      for (int k = 0; k < 50; ++k) {
        driver.add_packet(0, 0, shape_.packet_flits);
        for (int i = ports / 2; unicasts && i < ports; ++i) {
          driver.add_online_packet(from[i], to[i], kDp, shape_.packet_flits);
        }
      }
      const std::uint64_t start = driver.cycle();
      driver.drain(20'000);
      driver.check_quiet();
      time[unicasts ? 1 : 0] = driver.span(0, 0).last - start;
      if (shape_.routes_every_matching()) {
        EXPECT_EQ(driver.last_delivery() - start, time[0]);
        EXPECT_EQ(driver.read_counter(reg::kStallArbiter), 0U);
      }
    }
    EXPECT_EQ(time[0], time[1]);
  }
}

TEST_P(FredOnlineUnicasts, WithoutARouteAreAnError) {
  // At (0, 0), to be sent back to where it comes from, to an I/O port that is not there.
  const std::vector<int> nowhere =
      shape_.is_mesh() ? std::vector<int>{63, 1, 15 << 12, 3 << 12}
                       : std::vector<int>{0, 5, reg::kMaxRoutes - 1, reg::kMaxRoutes, 0xFFFF};
  for (const int destination : nowhere) {
    SCOPED_TRACE(destination);
    auto core = make_dut();
    core->reset();
    SwitchPins pins(shape_.ports(), shape_.lanes);
    // A destination beyond the table is not the one whose low bits it has.
    const bool beyond = destination >= reg::kMaxRoutes;
    pins.reg = {true, true, static_cast<std::uint16_t>(reg::kRoute + destination % reg::kMaxRoutes),
                static_cast<std::uint32_t>(beyond ? 1 : shape_.ports() + 1)};
    core->step(pins);
    pins.reg = {};
    FlitHeader h;
    h.dst = static_cast<std::uint16_t>(destination);
    h.phase = kPhaseOnline;
    h.head = h.tail = true;
    pack_header(h, &pins.in_flit[static_cast<std::size_t>(flit_words(shape_.lanes))]);
    pins.in_valid = 2;
    core->step(pins);
    pins.in_valid = 0;
    for (int i = 0; i < 5; ++i) core->step(pins);
    EXPECT_EQ(core->error(), reg::kErrorRoute);
    EXPECT_FALSE(core->idle());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Built, FredOnlineUnicasts,
    testing::Combine(testing::Values(Size{12, 3}, Size{11, 3}, Size{10, 3}, Size{4, 3}, Size{5, 2},
                                     Size{4, TestedSwitch::kCrossbar},
                                     Size{5, TestedSwitch::kCrossbar},
                                     Size{10, TestedSwitch::kMesh}, Size{5, TestedSwitch::kMesh},
                                     Size{4, TestedSwitch::kAggregator},
                                     Size{5, TestedSwitch::kAggregator}),
                     testing::Values(SwitchModel::kRtl, SwitchModel::kTlm, SwitchModel::kLockstep)),
    [](const auto& test) {
      const Size size = std::get<Size>(test.param);
      return fmt::format("{}_{}", TestedSwitch(size.ports, size.middle).name(),
                         switch_model_name(std::get<SwitchModel>(test.param)));
    });

}  // namespace
}  // namespace fredsim::tb
