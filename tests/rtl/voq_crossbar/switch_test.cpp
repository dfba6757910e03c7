// SPDX-License-Identifier: Apache-2.0
// A voq_crossbar, RTL, twin and both in lockstep: random traffic in four modes, latency,
// permutations, fairness, priorities, registers, errors.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "base/vc_order.h"
#include "rtl/voq_crossbar_pkg.h"
#include "switch/register_map.h"
#include "switch/switch_factory.h"
#include "tb_voq_crossbar/voq_driver.h"

namespace fredsim::tb {
namespace {

constexpr std::uint64_t kEdges = 7;  // latency of an unloaded switch, pin to pin

SwitchShape shape_of(int size) { return size == 0 ? voq_shape({{"P", 4}}) : narrow_shape(); }

class VoqCrossbar : public testing::TestWithParam<std::tuple<int, SwitchModel>> {
 protected:
  VoqDriver driver(const Stalls& stalls, std::uint64_t seed) const {
    return {shape_, dut(), stalls, seed};
  }
  std::unique_ptr<SwitchCore> dut() const {
    return make_switch(std::get<SwitchModel>(GetParam()), shape_, "dut");
  }

  SwitchShape shape_ = shape_of(std::get<int>(GetParam()));
  int ports_ = shape_.ports();
  int packet_flits_ = shape_.value("PACKET_FLITS");
};

TEST_P(VoqCrossbar, DeliversRandomTrafficWithoutStalls) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    VoqDriver d = driver({}, seed);
    d.add_random_packets(300);
    d.drain(50'000);
    d.check_quiet();
  }
}

TEST_P(VoqCrossbar, DeliversRandomTrafficWithStalls) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const Stalls stalls{.gap_percent = static_cast<int>(random.below(80)),
                        .pause_percent = static_cast<int>(random.below(80)),
                        .return_delay = static_cast<int>(random.below(60)),
                        .receive_depth = 1 + static_cast<int>(random.below(30))};
    VoqDriver d = driver(stalls, seed);
    d.add_random_packets(200);
    d.drain(500'000);
    d.check_quiet();
  }
}

TEST_P(VoqCrossbar, AnIdleSwitchIsCrossedInSevenEdges) {
  VoqDriver d = driver({}, 1);
  for (int in = 0; in < ports_; ++in) {
    for (int out = 0; out < ports_; ++out) {
      const std::uint64_t start = d.cycle();
      d.add_packet(in, out, kMp, 1);
      d.drain(100);
      EXPECT_EQ(d.last_delivery() - start, kEdges) << in << " to " << out;
    }
  }
  d.check_quiet();
}

// Every output has one input that wants it: nothing is in the way.
TEST_P(VoqCrossbar, PermutationsFlowWithoutWaiting) {
  constexpr int kPackets = 40;
  const int flits = packet_flits_ / 2;  // two of them fit into the staging
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    VoqDriver d = driver({}, seed);
    std::vector<int> to(static_cast<std::size_t>(ports_));
    std::iota(to.begin(), to.end(), 0);
    for (std::size_t i = to.size(); i > 1; --i) std::swap(to[i - 1], to[random.below(i)]);
    for (int i = 0; i < kPackets; ++i) {
      for (int in = 0; in < ports_; ++in) d.add_packet(in, to[in], kPp, flits);
    }
    const std::uint64_t start = d.cycle();
    d.drain(20'000);
    d.check_quiet();
    if (shape_.value("OUT_DEPTH") >= 2 * packet_flits_) {
      EXPECT_EQ(d.last_delivery() - start, kEdges + kPackets * flits - 1);
      EXPECT_EQ(d.read_counter(reg::kStallArbiter), 0U);
    }
  }
}

// All inputs request output 0: they are served in turn, so that the last packets of all of them
// leave within one round.
TEST_P(VoqCrossbar, AnOutputServesItsInputsInTurn) {
  constexpr int kRounds = 30;
  for (const int flits : {1, 3}) {
    SCOPED_TRACE(fmt::format("{} flits", flits));
    VoqDriver d = driver({}, 2);
    for (int i = 0; i < kRounds; ++i) {
      for (int in = 0; in < ports_; ++in) d.add_packet(in, 0, kDp, flits);
    }
    const std::uint64_t start = d.cycle();
    d.drain(20'000);
    d.check_quiet();
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    for (int in = 0; in < ports_; ++in) {
      first = std::min(first, d.last_delivery_from(in));
      last = std::max(last, d.last_delivery_from(in));
    }
    EXPECT_LT(last - first, 2 * (last - start) / kRounds);
  }
}

// One input has packets for a blocked output, then for other outputs: the latter pass.
TEST_P(VoqCrossbar, ABlockedOutputDoesNotBlockTheOthers) {
  VoqDriver d = driver({.receive_depth = 12}, 3);
  d.set_return_delay(5'000);
  // More for output 0 than its staging and its receiver take, and less than the input's buffer.
  const int staged = shape_.value("OUT_DEPTH") + 12 + 2;
  for (int i = 0; i < staged; ++i) d.add_packet(0, 0, kDp, 1);
  for (int i = 0; i < 10; ++i) d.add_packet(0, 1, kDp, 1);
  for (int i = 0; i < 200; ++i) d.step();
  EXPECT_FALSE(d.core().idle());
  EXPECT_EQ(d.read_counter(reg::kFlitsOut + 2), 10U);
  EXPECT_GT(d.read_counter(reg::kStallCredit), 0U);
  d.drain(500'000);
  d.set_return_delay(0);
}

// Packets of all VCs wait in the staging of one output: its link takes the highest first.
TEST_P(VoqCrossbar, LinksTakeTheHighestVcFirst) {
  VoqDriver d = driver({.pause_percent = 100}, 1);
  for (int vc = 0; vc < kNumVcs; ++vc) d.add_packet(0, 2, vc, vc == kControl ? 1 : packet_flits_);
  for (int i = 0; i < 100; ++i) d.step();
  d.set_pause_percent(0);
  d.drain(1000);
  d.check_quiet();
  const VcOrder order = kDefaultVcOrder;
  for (std::size_t i = 1; i < order.size(); ++i) {
    EXPECT_LT(d.last_delivery_on(order[i - 1]), d.last_delivery_on(order[i]));
  }
}

// One packet of every VC from every input to every output at once: the higher a VC, the sooner its
// last one is there.
TEST_P(VoqCrossbar, HigherVcsAreServedFirst) {
  VoqDriver d = driver({}, 1);
  for (int in = 0; in < ports_; ++in) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      for (int out = 0; out < ports_; ++out) {
        d.add_packet(in, out, vc, 1);
        d.add_packet(in, out, vc, 1);
      }
    }
  }
  d.drain(10'000);
  d.check_quiet();
  const VcOrder order = kDefaultVcOrder;
  for (std::size_t i = 2; i < order.size();
       ++i) {  // control has a shallow buffer: its senders wait for credits
    EXPECT_LT(d.last_delivery_on(order[i - 1]), d.last_delivery_on(order[i]));
  }
}

TEST_P(VoqCrossbar, RegistersSayWhatItIs) {
  VoqDriver d = driver({.receive_depth = 33}, 1);
  EXPECT_EQ(d.read(reg::kId), voq_crossbar_pkg::VOQ_CROSSBAR_ID);
  EXPECT_EQ(d.read(reg::kShape), static_cast<std::uint32_t>(ports_));
  EXPECT_EQ(d.read(reg::kError), reg::kErrorNone);
  EXPECT_EQ(d.read(reg::kCredit + 5), 33U);
  EXPECT_EQ(d.read(reg::kRoute + ports_ + 2), 3U);
  for (const int other : {int{reg::kPosition}, reg::kCredit + kNumVcs * ports_,
                          reg::kRoute + reg::kMaxRoutes, int{reg::kPhaseStore}, 0xFFFF}) {
    EXPECT_EQ(d.read(other), 0U) << other;
    d.write(other, 7);
    EXPECT_EQ(d.read(other), 0U) << other;
  }
  d.write(reg::kRoute + 1000, 63);
  EXPECT_EQ(d.read(reg::kRoute + 1000), 63U);
  d.core().reset();
  EXPECT_EQ(d.read(reg::kRoute + 1000), 63U) << "a reset leaves the routing table";
  for (int vc = 0; vc < kNumVcs; ++vc) {
    EXPECT_EQ(d.read(reg::kCredit + vc), static_cast<std::uint32_t>(buffer_depth(shape_, vc)));
  }
}

// A flit that breaks the contract is dropped: the error register says why, and the switch is idle
// again.
TEST_P(VoqCrossbar, ErrorsHaveTheirCodes) {
  struct Case {
    std::uint8_t phase;
    std::uint16_t destination;
    std::uint32_t error;
  };
  for (const Case& c :
       {Case{0, 1, reg::kErrorPhase}, Case{17, 1, reg::kErrorPhase},
        Case{kPhaseOnline, 900, reg::kErrorRoute}, Case{kPhaseOnline, 901, reg::kErrorRoute},
        Case{kPhaseOnline, reg::kMaxRoutes + 1, reg::kErrorRoute},
        Case{kPhaseOnline, 0xFFFF, reg::kErrorRoute}, Case{kPhaseOnline, 1, reg::kErrorNone}}) {
    SCOPED_TRACE(fmt::format("phase {} destination {}", c.phase, c.destination));
    auto core = dut();
    core->reset();
    SwitchPins pins(ports_, shape_.lanes());
    const auto write = [&](int address, int value) {
      pins.reg = {true, true, static_cast<std::uint16_t>(address),
                  static_cast<std::uint32_t>(value)};
      core->step(pins);
      pins.reg = {};
    };
    write(reg::kRoute + 1, 1);
    write(reg::kRoute + 900, 0);
    write(reg::kRoute + 901, ports_ + 1);  // no such port
    FlitHeader h;
    h.dst = c.destination;
    h.phase = c.phase;
    h.head = h.tail = true;
    pack_header(h, &pins.in_flit[flit_words(shape_.lanes())]);
    pins.in_valid = 2;
    pins.out_ready = ~0U >> (32 - ports_);
    core->step(pins);
    pins.in_valid = 0;
    for (int i = 0; i < 12; ++i) core->step(pins);
    EXPECT_EQ(core->error(), c.error);
    EXPECT_TRUE(core->idle());
  }
}

TEST_P(VoqCrossbar, AFlitWithoutACreditIsAnOverflow) {
  auto core = dut();
  core->reset();
  SwitchPins pins(ports_, shape_.lanes());
  pins.reg = {true, true, reg::kRoute, 1};
  core->step(pins);
  pins.reg = {};
  FlitHeader h;
  h.phase = kPhaseOnline;
  h.vc = kDp;
  h.head = h.tail = true;
  pack_header(h, pins.in_flit.data());
  pins.in_valid = 1;  // the links take nothing, so at most buffer and staging fill up
  const int room = buffer_depth(shape_, kDp) + shape_.value("OUT_DEPTH");
  int sent = 0;
  for (; core->error() == reg::kErrorNone && sent < 2 * room; ++sent) core->step(pins);
  EXPECT_EQ(core->error(), reg::kErrorOverflow);
  EXPECT_LE(sent, room + 4);
}

INSTANTIATE_TEST_SUITE_P(Built, VoqCrossbar,
                         testing::Combine(testing::Values(0, 1),
                                          testing::Values(SwitchModel::kRtl, SwitchModel::kTlm,
                                                          SwitchModel::kLockstep)),
                         [](const auto& test) {
                           return fmt::format("P{}_{}", shape_of(std::get<int>(test.param)).ports(),
                                              switch_model_name(std::get<SwitchModel>(test.param)));
                         });

}  // namespace
}  // namespace fredsim::tb
