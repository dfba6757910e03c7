// SPDX-License-Identifier: Apache-2.0
// Tests of a bus_switch against its contract, in four modes: RTL and twin, without and with random
// stalls; and of both in lockstep under arbitrary pin values.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/vc_order.h"
#include "bus_bench.h"
#include "bus_kind.h"
#include "bus_switches.h"
#include "switch/register_map.h"
#include "switch/switch_factory.h"

namespace fredsim::tb {
namespace {

constexpr std::uint64_t kSeed = 71;
constexpr int kSeeds = 6;

SwitchShape small_shape() {
  return bus_kind().shape(std::vector<NamedValue>{{"P", 3},
                                                  {"LANES", 3},
                                                  {"VC_DEPTH", 9},
                                                  {"CTRL_DEPTH", 1},
                                                  {"PACKET_FLITS", 5},
                                                  {"VC_ORDER", 45}});
}
SwitchShape shape_of(std::uint64_t seed) {
  return seed % 2 == 0 ? small_shape() : bus_kind().shape({});
}

struct Mode {
  SwitchModel model;
  bool stalls;
};

class BusSwitch : public testing::TestWithParam<Mode> {};

TEST_P(BusSwitch, KeepsItsContractUnderRandomTraffic) {
  fmt::print("seeds {} to {}\n", kSeed, kSeed + kSeeds - 1);
  for (std::uint64_t seed = kSeed; seed < kSeed + kSeeds; ++seed) {
    const SwitchShape shape = shape_of(seed);
    const auto core = make_switch(GetParam().model, shape, "bus");
    BusBench bench(*core, shape, seed, GetParam().stalls);
    ASSERT_NO_THROW(bench.run(4000));
    const auto [min, max] = std::ranges::minmax(bench.packets());
    EXPECT_GT(min * 10, max * 8) << "inputs do not take turns, seed " << seed;
  }
}

// A switch of four ports, a flit at a time. Destination p is output p.
class OneAtATime {
 public:
  explicit OneAtATime(SwitchModel model)
      : core_(make_switch(model, bus_kind().shape({}), "bus")), pins_(4, 1) {
    core_->reset();
    for (std::uint16_t p = 0; p < 4; ++p)
      write(static_cast<std::uint16_t>(reg::kRoute + p), p + 1U);
  }
  void write(std::uint16_t address, std::uint32_t data) {
    pins_.reg = {.valid = true, .write = true, .address = address, .wdata = data};
    step();
    pins_.reg = {};
  }
  // A packet of one flit.
  void send(int port, int vc, std::uint16_t dst) {
    pack_header({.dst = dst,
                 .src = static_cast<std::uint16_t>(port),
                 .vc = static_cast<std::uint8_t>(vc),
                 .head = true,
                 .tail = true},
                &pins_.in_flit[static_cast<std::size_t>(port * flit_words(1))]);
    pins_.in_valid = 1U << port;
    step();
    pins_.in_valid = 0;
  }
  void step() { core_->step(pins_); }
  SwitchPins& pins() { return pins_; }
  FlitHeader out(int port) const {
    return unpack_header(&pins_.out_flit[static_cast<std::size_t>(port * flit_words(1))]);
  }
  SwitchCounters counters() const {
    SwitchCounters counters;
    EXPECT_TRUE(core_->peek_counters(counters));
    return counters;
  }

 private:
  std::unique_ptr<SwitchCore> core_;
  SwitchPins pins_;
};

// Out four edges after the one that samples it.
TEST_P(BusSwitch, TakesFourCycles) {
  OneAtATime bus(GetParam().model);
  bus.pins().out_ready = 0xF;
  bus.send(0, kPp, 1);
  for (int edge = 0; edge < 3; ++edge) {
    bus.step();
    EXPECT_EQ(bus.pins().out_valid, 0U);
  }
  bus.step();
  EXPECT_EQ(bus.pins().out_valid, 2U);
}

// Priority of VCs, round robin of inputs; blocked flits are counted with their reasons.
TEST_P(BusSwitch, GoesByPriorityAndTurn) {
  OneAtATime bus(GetParam().model);
  bus.write(reg::kCredit + 4 * 3 + kControl, 8);
  for (int round = 0; round < 2; ++round) {
    for (int v = 0; v < kNumVcs; ++v) {
      for (int p = 0; p < 4; ++p) bus.send(p, v, 3);
    }
  }
  bus.step();
  bus.step();
  const SwitchCounters before = bus.counters();
  for (int edge = 0; edge < 10; ++edge) bus.step();
  EXPECT_EQ(bus.counters().stall_link - before.stall_link, 10U) << "one output waits for its link";
  EXPECT_EQ(bus.counters().stall_arbiter, 0U);

  bus.pins().out_ready = 0xF;
  bus.step();
  bus.step();
  std::array<std::array<int, kNumVcs>, 4> left{};  // flits at the head of a buffer and behind it
  for (auto& of_vcs : left) of_vcs.fill(2);
  std::uint64_t waiting = 0;
  for (const int vc : kDefaultVcOrder) {
    for (int i = 0; i < 8; ++i) {
      bus.step();
      ASSERT_EQ(bus.pins().out_valid, 8U);
      EXPECT_EQ(int{bus.out(3).vc}, vc);
      EXPECT_EQ(int{bus.out(3).src}, i % 4);
      for (const auto& of_vcs : left) {
        waiting += static_cast<std::uint64_t>(kNumVcs - std::ranges::count(of_vcs, 0));
      }
      --waiting;
      --left[static_cast<std::size_t>(i % 4)][static_cast<std::size_t>(vc)];
    }
  }
  EXPECT_EQ(bus.counters().stall_arbiter, waiting);
  EXPECT_EQ(bus.counters().stall_credit, 0U);
}

// A packet starts only if the receiver has room for the longest packet, since its head does not
// give its length.
TEST_P(BusSwitch, StartsAPacketWithRoomForAllOfIt) {
  OneAtATime bus(GetParam().model);
  bus.pins().out_ready = 0xF;
  bus.write(reg::kCredit + 4 * 2 + kDp, kPacketFlits - 1);
  bus.send(0, kDp, 2);
  bus.step();
  for (int edge = 0; edge < 10; ++edge) {
    bus.step();
    EXPECT_EQ(bus.pins().in_credit[kDp], 0U);
  }
  EXPECT_EQ(bus.counters().stall_credit, 9U);  // an edge later each
  bus.pins().out_credit[kDp] = 4;
  bus.step();
  bus.pins().out_credit[kDp] = 0;
  EXPECT_EQ(bus.pins().in_credit[kDp], 0U) << "a credit is there from the next edge on";
  bus.step();
  EXPECT_EQ(bus.pins().in_credit[kDp], 1U);
}

INSTANTIATE_TEST_SUITE_P(Modes, BusSwitch,
                         testing::Values(Mode{SwitchModel::kRtl, false},
                                         Mode{SwitchModel::kRtl, true},
                                         Mode{SwitchModel::kTlm, false},
                                         Mode{SwitchModel::kTlm, true}),
                         [](const auto& test) {
                           return fmt::format("{}{}", switch_model_name(test.param.model),
                                              test.param.stalls ? "_stalls" : "");
                         });

// Traffic that keeps packets whole but breaks all other rules: buffers overflow, destinations have
// no route, surplus credits are given, registers are read and written meanwhile.
class Noise {
 public:
  Noise(SwitchCore& core, const SwitchShape& shape, std::uint64_t seed)
      : core_(core),
        random_(seed),
        ports_(shape.ports()),
        words_(flit_words(shape.lanes())),
        pins_(ports_, shape.lanes()),
        inside_(static_cast<std::size_t>(ports_ * kNumVcs)),
        send_percent_(10 + below(90)),
        credit_percent_(5 + below(95)),
        destinations_(below(4) == 0 ? 2000 : ports_) {}

  void run(int steps) {
    core_.reset();
    for (int p = 0; p < ports_; ++p) {
      pins_.reg = {true, true, static_cast<std::uint16_t>(reg::kRoute + p),
                   static_cast<std::uint32_t>(p + 1)};
      core_.step(pins_);
    }
    for (int i = 0; i < steps; ++i) {
      set_flits();
      set_register();
      pins_.out_ready = static_cast<std::uint32_t>(random_.next());
      for (std::uint32_t& ports : pins_.out_credit) {
        ports = below(100) < credit_percent_ ? static_cast<std::uint32_t>(below(1 << ports_)) : 0;
      }
      core_.step(pins_);
    }
  }

 private:
  int below(int n) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(n))); }

  void set_flits() {
    pins_.in_valid = 0;
    for (int p = 0; p < ports_; ++p) {
      if (below(100) >= send_percent_) continue;
      pins_.in_valid |= 1U << p;
      std::uint32_t* flit = &pins_.in_flit[p * words_];
      for (int w = 0; w < words_; ++w) flit[w] = static_cast<std::uint32_t>(random_.next());
      FlitHeader header = unpack_header(flit);
      header.dst = static_cast<std::uint16_t>(below(destinations_));
      auto inside = inside_[static_cast<std::size_t>(p * kNumVcs + header.vc)];
      header.head = !inside;
      header.tail = below(4) == 0;
      inside_[static_cast<std::size_t>(p * kNumVcs + header.vc)] = !header.tail;
      pack_header(header, flit);
    }
  }

  void set_register() {
    pins_.reg = {};
    if (below(3) != 0) return;
    constexpr std::array<int, 6> kBases{
        0, reg::kCredit, reg::kFlitsIn, reg::kFlitsOut, reg::kStallJoin, reg::kRoute};
    pins_.reg = {true, below(4) == 0,
                 static_cast<std::uint16_t>(kBases[static_cast<std::size_t>(below(6))] + below(20)),
                 static_cast<std::uint32_t>(random_.next())};
    // A route is not written while flits go by it.
    if (pins_.reg.write && pins_.reg.address >= reg::kRoute) {
      pins_.reg.address = static_cast<std::uint16_t>(reg::kRoute + reg::kMaxRoutes + below(20));
    }
  }

  SwitchCore& core_;
  Random random_;
  int ports_, words_;
  SwitchPins pins_;
  std::vector<bool> inside_;  // a packet, by input and VC
  int send_percent_, credit_percent_, destinations_;
};

TEST(BusSwitchLockstep, NothingTellsTheImplementationsApart) {
  int overflows = 0;
  int lost_routes = 0;
  SwitchCounters seen;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const SwitchShape shape = shape_of(seed);
    const auto core = make_switch(SwitchModel::kLockstep, shape, "bus");
    ASSERT_NO_THROW(Noise(*core, shape, seed).run(1000));
    overflows += core->error() == reg::kErrorOverflow ? 1 : 0;
    lost_routes += core->error() == reg::kErrorRoute ? 1 : 0;
    SwitchCounters counters;
    ASSERT_TRUE(core->peek_counters(counters));
    for (const CounterInfo& one : kSwitchCounters) seen.*one.value += counters.*one.value;
    seen.flits_out.push_back(counters.flits_out.front());
  }
  EXPECT_GT(overflows, 0);
  EXPECT_GT(lost_routes, 0);
  EXPECT_GT(seen.stall_credit, 0U);
  EXPECT_GT(seen.stall_arbiter, 0U);
  EXPECT_GT(seen.stall_link, 0U);
  EXPECT_GT(std::ranges::count_if(seen.flits_out, [](std::uint64_t n) { return n > 100; }), 20);
}

}  // namespace
}  // namespace fredsim::tb

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  fredsim::add_bus_switches();
  return RUN_ALL_TESTS();
}
