// SPDX-License-Identifier: Apache-2.0
// Synthetic traffic on small machines: all sent packets arrive, figures agree with each other and
// with counts by hand, and do not depend on the switches' implementations.

#include "traffic/traffic_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "fabric/point_text.h"
#include "routing/fred_routing.h"
#include "support/simulation.h"
#include "switch/register_map.h"
#include "traffic/traffic_run.h"

namespace fredsim::test {
namespace {

Topology machine(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return load_config("configs/" + name + ".yaml", overrides).topology;
}

TrafficPoint measure(const Topology& topology, const TrafficOptions& options, double rate,
                     const FabricOptions& fabric = {}) {
  return TrafficRun(topology, options, factory_for(fabric)).measure(rate);
}

class Traffic : public testing::TestWithParam<const char*> {};

TEST_P(Traffic, BelowSaturationEverythingArrivesAtTheRateOffered) {
  const Topology topology = machine(GetParam());
  for (const PatternKind kind :
       {PatternKind::kUniform, PatternKind::kTranspose, PatternKind::kBitComplement,
        PatternKind::kNeighbor, PatternKind::kHotspot}) {
    for (const int flits : {1, 3, 8}) {
      SCOPED_TRACE(fmt::format("{}, {} flits", to_string(kind), flits));
      const TrafficOptions options{.pattern = {.kind = kind},
                                   .packet_flits = flits,
                                   .warmup_cycles = 1000,
                                   .window_cycles = 20'000,
                                   .seed = 4};
      const TrafficPoint p = measure(topology, options, 0.08);
      EXPECT_FALSE(p.saturated);
      EXPECT_EQ(p.arrived, p.packets);
      EXPECT_GE(p.cycles, 21'000U);
      EXPECT_LE(p.cycles, 21'000 + p.latency_max) << "over when the last packet is there";
      const int senders = TrafficPattern(options.pattern, topology).sending_nodes();
      const double packets = 0.08 * senders * 20'000 / flits;
      const double deviation = 0.08 / std::sqrt(packets);
      EXPECT_NEAR(p.offered, 0.08, 4 * deviation);
      EXPECT_NEAR(p.accepted, p.offered, deviation);
      EXPECT_LE(p.latency_p50, p.latency_p95);
      EXPECT_LE(p.latency_p95, p.latency_p99);
      EXPECT_LE(p.latency_p99, p.latency_max);
      EXPECT_GE(p.hops, 1);
      EXPECT_LE(p.hops, 9);
    }
  }
}

TEST_P(Traffic, OverloadIsSaturatedAndAcceptsWhatTheLinksCarry) {
  const Topology topology = machine(GetParam());
  const TrafficOptions options{.pattern = {.kind = PatternKind::kHotspot, .hotspot_fraction = 1},
                               .packet_flits = 8,
                               .warmup_cycles = 500,
                               .window_cycles = 1000};
  const TrafficPoint p = measure(topology, options, injection_limit(topology));
  EXPECT_TRUE(p.saturated);
  EXPECT_LE(p.arrived, p.packets);
  EXPECT_LT(p.accepted, 0.95 * p.offered);
  EXPECT_GT(p.accepted, 0.1);
  for (const LinkResult& link : p.links) EXPECT_LE(link.utilization, 1.001) << link.name;
}

TEST_P(Traffic, TheSameSeedGivesTheSameAndRunsDoNotTouchEachOther) {
  const Topology topology = machine(GetParam());
  const TrafficOptions options{.packet_flits = 2, .warmup_cycles = 300, .window_cycles = 2000};
  TrafficRun run(topology, options, factory_for({}));
  const std::string first = text_of(run.measure(0.3));
  run.measure(1);
  EXPECT_EQ(text_of(run.measure(0.3)), first);
  TrafficOptions other = options;
  other.seed = 2;
  EXPECT_NE(text_of(measure(topology, other, 0.3)), first);
}

TEST_P(Traffic, IdleNodesAreLeftOutExactly) {
  const Topology topology = machine(GetParam());
  const TrafficOptions options{.packet_flits = 4, .warmup_cycles = 300, .window_cycles = 3000};
  for (const double rate : {0.01, 0.5, 3.0}) {
    if (rate > injection_limit(topology)) continue;
    TrafficRun stepping(topology, options, factory_for({}));
    stepping.core().set_always_step(true);
    EXPECT_EQ(text_of(stepping.measure(rate)), text_of(measure(topology, options, rate)));
  }
}

// Random patterns, packets and rates, saturated ones too; every mix of implementations.
TEST_P(Traffic, EveryImplementationGivesTheSame) {
  const Topology topology = machine(GetParam());
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const TrafficOptions options{.pattern = {.kind = static_cast<PatternKind>(random.below(5))},
                                 .packet_flits = 1 + static_cast<int>(random.below(8)),
                                 .warmup_cycles = 200,
                                 .window_cycles = 300,
                                 .seed = seed};
    const double rate =
        injection_limit(topology) * static_cast<double>(1 + random.below(100)) / 100;
    const std::string expected = text_of(measure(topology, options, rate));
    EXPECT_EQ(text_of(measure(topology, options, rate, {.model = SwitchModel::kRtl})), expected);
    EXPECT_EQ(text_of(measure(topology, options, rate, {.model = SwitchModel::kLockstep})),
              expected);
    const std::string some = topology.has_places() ? "r0_*" : "l1_*";
    EXPECT_EQ(text_of(measure(topology, options, rate, {.rtl_instances = some})), expected);
  }
}

// Two adjacent windows count as much as one over both, switch by switch.
TEST_P(Traffic, CountsOfTheSwitchesAreThoseOfTheWindow) {
  const Topology topology = machine(GetParam());
  const auto window = [&](std::uint64_t from, std::uint64_t to) {
    return measure(topology, {.packet_flits = 4, .warmup_cycles = from, .window_cycles = to - from},
                   injection_limit(topology) * 0.9);
  };
  const TrafficPoint all = window(100, 1500);
  const TrafficPoint first = window(100, 700);
  const TrafficPoint second = window(700, 1500);
  ASSERT_EQ(all.switches.size(),
            topology.nodes.size() - topology.npus.size() -
                std::ranges::count(topology.nodes, NodeKind::kIo, &Node::kind));
  std::vector<std::string> names;
  for (const Node& node : topology.nodes) {
    if (node.is_switch()) names.push_back(node.name);
  }
  std::uint64_t stalls = 0;
  for (std::size_t s = 0; s < all.switches.size(); ++s) {
    SCOPED_TRACE(names[s]);
    EXPECT_EQ(all.switches[s].name, names[s]);
    const auto& [a, b, c] = std::tie(all.switches[s], first.switches[s], second.switches[s]);
    EXPECT_EQ(a.model, "tlm");
    EXPECT_GT(a.flits_in, 0U);
    EXPECT_EQ(a.flits_in, b.flits_in + c.flits_in);
    EXPECT_EQ(a.flits_out, b.flits_out + c.flits_out);
    ASSERT_GE(a.stall_cycles.size(), 3U);
    for (std::size_t i = 0; i < a.stall_cycles.size(); ++i) {
      EXPECT_EQ(a.stall_cycles[i].second, b.stall_cycles[i].second + c.stall_cycles[i].second)
          << a.stall_cycles[i].first;
      stalls += a.stall_cycles[i].second;
    }
  }
  EXPECT_GT(stalls, 0U);
}

INSTANTIATE_TEST_SUITE_P(Configs, Traffic, testing::Values("mesh_2x2", "fred_small"),
                         [](const auto& param) { return std::string(param.param); });

// Far more than the links carry, for long, with packets of one length and buffers that just keep
// the bubble; a deadlock would throw.
TEST(TrafficOnATorus, SaturatedRingsKeepTurning) {
  struct Case {
    int width, height;
    const char* buffer;
    int packet_flits;
    double rate;
    std::uint64_t window;
  };
  for (const Case& c : {Case{5, 4, "40 KiB", 8, 2, 40'000}, Case{5, 4, "4.5 KiB", 8, 3.9, 20'000},
                        Case{8, 2, "4.5 KiB", 5, 3.9, 20'000}, Case{4, 4, "6 KiB", 1, 3.9, 20'000},
                        Case{9, 1, "8 KiB", 8, 3.9, 20'000}}) {
    SCOPED_TRACE(fmt::format("{} x {}, {}, {} flits", c.width, c.height, c.buffer, c.packet_flits));
    const Topology topology =
        machine("torus",
                {fmt::format("fabric.width={}", c.width), fmt::format("fabric.height={}", c.height),
                 fmt::format("npu.count={}", c.width * c.height), "io.count=0",
                 fmt::format("switch.input_buffer={}", c.buffer)});
    const TrafficOptions options{
        .packet_flits = c.packet_flits, .warmup_cycles = 500, .window_cycles = c.window};
    const TrafficPoint p = measure(topology, options, c.rate);
    EXPECT_TRUE(p.saturated);
    EXPECT_GT(p.accepted, 0.02);
  }
}

// Random tori and their traffic, cycle by cycle against the RTL.
TEST(TrafficOnATorus, EveryImplementationGivesTheSame) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const auto width = 2 + random.below(4);
    const auto height = 1 + random.below(4);
    const Topology topology = machine(
        "torus", {fmt::format("fabric.width={}", width), fmt::format("fabric.height={}", height),
                  fmt::format("npu.count={}", width * height), "io.count=0"});
    const TrafficOptions options{.packet_flits = 1 + static_cast<int>(random.below(8)),
                                 .warmup_cycles = 200,
                                 .window_cycles = 300,
                                 .seed = seed};
    const double rate = static_cast<double>(1 + random.below(390)) / 100;
    EXPECT_EQ(text_of(measure(topology, options, rate, {.model = SwitchModel::kLockstep})),
              text_of(measure(topology, options, rate)));
  }
}

// Ends of a row that is a ring of five are neighbours: one hop where the mesh takes four.
TEST(TrafficOnATorus, TheEndsOfARowAreNeighbours) {
  const TrafficOptions options{
      .pattern = {.kind = PatternKind::kNeighbor}, .warmup_cycles = 0, .window_cycles = 20'000};
  EXPECT_DOUBLE_EQ(measure(machine("torus"), options, 0.001).hops, 1);
  EXPECT_NEAR(measure(machine("mesh"), options, 0.001).hops, (4 * 1 + 4) / 5.0, 0.2);
}

// An NPU to its router 1 cycle; a router 4 from pin to pin, a wafer link 30; router to NPU 1. Each
// of the three links carries 125/128 flit per cycle, so that the end of a flit is there one edge
// later.
TEST(TrafficLatency, OfALonePacketOnAMeshIsTheSumOfItsStages) {
  const Topology topology = machine("mesh_2x2");
  for (const int flits : {1, 5}) {
    const TrafficOptions options{.pattern = {.kind = PatternKind::kNeighbor},  // one hop
                                 .packet_flits = flits,
                                 .warmup_cycles = 0,
                                 .window_cycles = 20'000};
    const TrafficPoint p = measure(topology, options, 0.001 * flits);
    ASSERT_GT(p.packets, 10U);
    EXPECT_EQ(p.latency_p50, static_cast<std::uint64_t>(2 + 4 + 31 + 4 + 2 + flits - 1));
    EXPECT_DOUBLE_EQ(p.hops, 1);
  }
}

// Four links of 30 cycles, and one for the end of a flit at 25/32 flit per cycle; three chiplets,
// each of the stages of its interconnect and six more.
TEST(TrafficLatency, OfALonePacketThroughATreeIsTheSumOfItsStages) {
  const Topology topology = machine("fred_small");
  const TrafficOptions options{.pattern = {.kind = PatternKind::kBitComplement},  // by way of L2
                               .warmup_cycles = 0,
                               .window_cycles = 20'000};
  const TrafficPoint p = measure(topology, options, 0.001);
  ASSERT_GT(p.packets, 10U);
  EXPECT_EQ(p.latency_p50, static_cast<std::uint64_t>(4 * 31 + 3 * (fred_stages(4) + 6)));
  EXPECT_DOUBLE_EQ(p.hops, 4);
}

// Latencies beyond 16 bits: the fabric is idle, the source alone is overloaded.
TEST(TrafficLatency, IsExactHoweverLong) {
  const Topology topology =
      machine("mesh_2x2", {"npu.bandwidth=4 GB/s", "fabric.link_bandwidth=1 GB/s"});
  const TrafficOptions options{.pattern = {.kind = PatternKind::kNeighbor},
                               .packet_flits = 8,
                               .warmup_cycles = 0,
                               .window_cycles = 20'000};
  const TrafficPoint p = measure(topology, options, injection_limit(topology));
  EXPECT_GT(p.latency_max, 65'536U);
  EXPECT_LT(p.latency_max, p.cycles);
}

// Mistakes that a switch may make.
class BadSwitch final : public SwitchCore {
 public:
  explicit BadSwitch(std::uint32_t identity) : identity_(identity) {}
  void reset() override { held_ = 0; }
  void step(SwitchPins& pins) override {
    held_ |= pins.in_valid;  // and never more of it
    pins.out_valid = 0;
    pins.in_credit = {};
    pins.reg_rdata = identity_;
  }
  bool idle() const override { return held_ == 0; }
  std::uint32_t error() const override { return 0; }
  std::string_view model() const override { return "bad"; }

 private:
  std::uint32_t identity_;
  std::uint32_t held_ = 0;
};

std::string failure_with(std::uint32_t identity) {
  const Topology topology = machine("mesh_2x2");
  TrafficRun run(topology, {}, [&](const Node&, const SwitchShape&) {
    return std::make_unique<BadSwitch>(identity);
  });
  return message_of<RunFailed>([&] { run.measure(0.1); });
}

TEST(TrafficFailure, ADeadlockSaysWhatWaits) {
  const std::string message = failure_with(mesh_pkg::MESH_ID);
  EXPECT_NE(message.find("deadlock: no flit has moved for 20000 cycles"), std::string::npos)
      << message;
  EXPECT_NE(message.find("r1_0 input 4 VC DP: 80 flits buffered"), std::string::npos) << message;
}

TEST(TrafficFailure, AStrangerIsNotASwitch) {
  EXPECT_EQ(failure_with(0x1234), "r0_0: identity register reads 0x00001234");
}

TEST(InjectionLimit, IsWhatTheLinksOfAnNpuTake) {
  EXPECT_DOUBLE_EQ(injection_limit(machine("mesh_2x2")), 4 * 125.0 / 128);
  EXPECT_DOUBLE_EQ(injection_limit(machine("fred_small")), 25.0 / 32);
}

// More destinations than a routing table of the default size has.
TEST(LargeTraffic, ArrivesEverywhereInATreeOf2048) {
  const Topology topology = machine(
      "fred_64", {"npu.count=2048", "npu.bandwidth=600 GB/s", "fabric.slices=1",
                  "fabric.levels=[{below: 16, uplinks: 4, uplink_bandwidth: 2.4 TB/s}, {below: 16, "
                  "chiplets_per_slice: 4, uplinks: 4, uplink_bandwidth: 9.6 TB/s}, {below: 8, "
                  "chiplets_per_slice: 4}]"});
  ASSERT_EQ(topology.npus.size(), 2048U);
  const TrafficOptions options{.pattern = {.kind = PatternKind::kBitComplement},
                               .packet_flits = 1,
                               .warmup_cycles = 50,
                               .window_cycles = 100,
                               .seed = 4};
  const TrafficPoint p = measure(topology, options, 0.02);
  EXPECT_EQ(p.arrived, p.packets);
  EXPECT_GT(p.packets, 3000U);
}

}  // namespace
}  // namespace fredsim::test
