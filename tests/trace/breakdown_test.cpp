// SPDX-License-Identifier: Apache-2.0
// Breakdown of the cycles of packets: against numbers computed by hand from the machine files, and
// invariants of any run. Every run with a breakdown itself checks that the parts of every packet,
// and of a collective, add up to its cycles.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "report/detail/breakdown_json.h"
#include "support/comparable_results.h"
#include "support/simulation.h"
#include "systems/make_plan.h"
#include "trace/room_history.h"
#include "traffic/traffic_run.h"

namespace fredsim::test {
namespace {

using Causes = std::map<std::string, std::uint64_t>;
using Stages = std::vector<std::pair<std::string, Causes>>;

Topology machine(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return load_config("configs/" + name + ".yaml", overrides).topology;
}

FabricOptions with_breakdown(SwitchModel model = SwitchModel::kTlm) {
  return {.model = model, .breakdown = {.is_on = true, .listed = 3}};
}

std::string text_of(std::span<const LatencyBreakdown> breakdowns) {
  return breakdown_json(breakdowns).dump(1);
}

Stages stages_of(const PacketBreakdown& packet) {
  Stages stages;
  for (const PacketHop& hop : packet.hops) {
    stages.emplace_back(hop.stage, Causes(hop.causes.begin(), hop.causes.end()));
  }
  return stages;
}

std::uint64_t sum_of(const NamedCycles& causes) {
  std::uint64_t sum = 0;
  for (const auto& [cause, cycles] : causes) sum += cycles;
  return sum;
}

// Invariants of every breakdown.
void expect_sound(const LatencyBreakdown& breakdown) {
  double mean = 0, share = 0;
  for (const BreakdownStage& stage : breakdown.stages) {
    for (const BreakdownCause& cause : stage.causes) {
      mean += cause.cycles.mean;
      share += cause.share;
      EXPECT_LE(cause.cycles.p50, cause.cycles.p99);
      EXPECT_LE(cause.cycles.p99, cause.cycles.max);
    }
  }
  EXPECT_GT(breakdown.packets, 0U);
  EXPECT_NEAR(mean, breakdown.latency.mean, 1e-6 * breakdown.latency.mean);
  EXPECT_NEAR(share, 1, 1e-6);
  std::uint64_t last = ~0ULL;
  for (const PacketBreakdown& packet : breakdown.listed) {
    std::uint64_t at = packet.begin;
    for (const PacketHop& hop : packet.hops) {
      EXPECT_EQ(hop.begin, at) << packet.name << " at " << hop.place;
      at += sum_of(hop.causes);
    }
    EXPECT_EQ(at, packet.end) << packet.name;
    EXPECT_LE(packet.end - packet.begin, last) << "slowest first";
    last = packet.end - packet.begin;
  }
  if (!breakdown.listed.empty()) {
    const PacketBreakdown& slowest = breakdown.listed.front();
    EXPECT_EQ(slowest.end - slowest.begin, breakdown.latency.max);
  }
}

class Breakdown : public testing::Test {
 protected:
  RunResult run(const Topology& topology, const Plan& plan, const FabricOptions& options) {
    Machine machine(fmt::format("machine{}", machines_++).c_str(), topology, options);
    RunResult result;
    simulation_.run([&] { result = run_plan(machine, plan); });
    return result;
  }

  Simulation simulation_;
  int machines_ = 0;
};

// An idle fabric: everything follows from latencies and rates of the machine file and the pipelines
// of the switches.
TEST_F(Breakdown, OfAUnicastOnAnIdleMeshIsWhatTheMachineFileSays) {
  // A flit per cycle: 512 B x 1.5 GHz = 768 GB/s. 20 ns = 30 cycles.
  const Topology topology = machine(
      "mesh_2x2", {"clock=1.5 GHz", "npu.bandwidth=3072 GB/s", "fabric.link_bandwidth=768 GB/s",
                   "fabric.link_latency=20 ns", "fabric.local_latency=2 ns"});
  const Plan plan = make_plan(topology, Collective::kUnicast, {0, 3}, 8 * 512, "auto");
  ASSERT_EQ(plan.trees.size(), 1U);
  const RunResult result = run(topology, plan, with_breakdown());
  ASSERT_EQ(result.breakdowns.size(), 1U);
  const LatencyBreakdown& breakdown = result.breakdowns.front();
  expect_sound(breakdown);
  EXPECT_EQ(breakdown.packets, 1U);
  const Causes router{{"pipeline", 4}};
  EXPECT_EQ(stages_of(*breakdown.critical), (Stages{{"sending NIC", {}},
                                                    {"NPU -> router", {{"latency", 3}}},
                                                    {"router", router},
                                                    {"router -> router", {{"latency", 30}}},
                                                    {"router", router},
                                                    {"router -> router", {{"latency", 30}}},
                                                    {"router", router},
                                                    {"router -> NPU", {{"latency", 3}}},
                                                    {"receiving NIC", {{"flits", 7}}}}));
  EXPECT_EQ(result.cycles, 3U + 4 + 30 + 4 + 30 + 4 + 3 + 7);
}

// At half a flit per cycle every link takes a flit a cycle longer, and the last flit is twice as
// far behind.
TEST_F(Breakdown, OfSlowLinksHasTheirSerialisation) {
  const Topology topology = machine(
      "mesh_2x2", {"clock=1.5 GHz", "npu.bandwidth=1536 GB/s", "fabric.link_bandwidth=384 GB/s",
                   "fabric.link_latency=20 ns", "fabric.local_latency=2 ns"});
  const Plan plan = make_plan(topology, Collective::kUnicast, {0, 1}, 8 * 512, "auto");
  const RunResult result = run(topology, plan, with_breakdown());
  const Stages stages = stages_of(*result.breakdowns.front().critical);
  ASSERT_EQ(stages.size(), 7U);
  EXPECT_EQ(stages[3].second, (Causes{{"latency", 30}, {"serialisation", 1}}));
  EXPECT_EQ(stages[6].second, (Causes{{"flits", 7}, {"serialisation", 7}}));
}

// One packet of all-reduce in the switches of Fred_3(4): 3 + 6 edges in a chiplet, up, at the top,
// down.
TEST_F(Breakdown, OfAnAllReduceInIdleSwitchesIsPipelinesAndLatencies) {
  const Topology topology =
      machine("fred_small", {"clock=1.5 GHz", "npu.bandwidth=768 GB/s",
                             "fabric.uplink_bandwidth=1536 GB/s", "fabric.link_latency=20 ns"});
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  const Plan plan = make_plan(topology, Collective::kAllReduce, group, 512, "in_switch");
  const RunResult result = run(topology, plan, with_breakdown());
  const LatencyBreakdown& breakdown = result.breakdowns.front();
  expect_sound(breakdown);
  std::uint64_t pipeline = 0, latency = 0;
  for (const auto& [stage, causes] : stages_of(*breakdown.critical)) {
    if (causes.contains("latency")) latency += causes.at("latency");
    if (!causes.contains("pipeline")) continue;
    pipeline += causes.at("pipeline");
    EXPECT_EQ(causes.at("pipeline"), 9U) << stage;
  }
  EXPECT_EQ(pipeline, 3U * 9);
  EXPECT_EQ(latency, 4U * 30);
  // Sums of operands that leave at the same time wait for nobody.
  for (const BreakdownStage& stage : breakdown.stages) EXPECT_EQ(stage.join.max, 0U) << stage.name;
  EXPECT_EQ(breakdown.path->cycles, result.cycles);
}

TEST_F(Breakdown, OfSyntheticTrafficHasTheLatenciesOfTheMeasuredPackets) {
  const Topology topology = machine("mesh_2x2");
  TrafficRun traffic(topology,
                     {.pattern = {.kind = PatternKind::kNeighbor},
                      .packet_flits = 1,
                      .warmup_cycles = 200,
                      .window_cycles = 2'000},
                     factory_for({}));
  traffic.break_down({.is_on = true, .listed = 2});
  const TrafficPoint point = traffic.measure(0.02);
  ASSERT_TRUE(point.breakdown);
  expect_sound(*point.breakdown);
  EXPECT_EQ(point.breakdown->packets, point.packets);
  EXPECT_DOUBLE_EQ(point.breakdown->latency.mean, point.latency_mean);
  EXPECT_EQ(point.breakdown->latency.max, point.latency_max);
}

class RandomBreakdown : public testing::TestWithParam<std::uint64_t> {
 protected:
  // A machine whose switches are among the Verilated ones.
  Topology random_machine() {
    if (random_.below(2) == 0) {
      return machine(
          "mesh_2x2",
          {fmt::format("switch.kind={}", random_.below(2) == 0 ? "mesh" : "mesh_reducing"),
           fmt::format("fabric.link_bandwidth={} GB/s", 100 + random_.below(668)),
           fmt::format("fabric.link_latency={} ns", 1 + random_.below(40))});
    }
    constexpr std::array<const char*, 4> kKinds{"fred", "reducing_crossbar", "aggregator",
                                                "voq_crossbar"};
    return machine("fred_small",
                   {fmt::format("switch.kind={}", kKinds[random_.below(kKinds.size())]),
                    fmt::format("npu.bandwidth={} GB/s", 100 + random_.below(668)),
                    fmt::format("fabric.uplink_bandwidth={} GB/s", 200 + random_.below(1300)),
                    fmt::format("fabric.link_latency={} ns", 1 + random_.below(40))});
  }

  Plan random_work(const Topology& topology) {
    std::vector<int> group(topology.npus.size());
    std::iota(group.begin(), group.end(), 0);
    constexpr std::array<Collective, 5> kCollectives{
        Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather,
        Collective::kAllToAll, Collective::kBroadcast};
    const std::uint64_t bytes = 1 + random_.below(random_.below(2) == 0 ? 5'000 : 200'000);
    return make_plan(topology, kCollectives[random_.below(kCollectives.size())], group, bytes,
                     "auto");
  }

  Random random_{GetParam()};
  Simulation simulation_;
};

TEST_P(RandomBreakdown, AddsUpInEveryImplementationAndChangesNothing) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  const Topology topology = random_machine();
  Machine plain("plain", topology, {.model = SwitchModel::kTlm});
  Machine tlm("tlm", topology, with_breakdown(SwitchModel::kTlm));
  Machine rtl("rtl", topology, with_breakdown(SwitchModel::kRtl));
  Machine lockstep("lockstep", topology, with_breakdown(SwitchModel::kLockstep));
  simulation_.run([&] {
    for (int run = 0; run < 3; ++run) {
      const Plan plan = random_work(topology);
      const RunResult expected = run_plan(plain, plan);
      const RunResult of_tlm = run_plan(tlm, plan);
      EXPECT_TRUE(expected.breakdowns.empty());
      EXPECT_EQ(comparable_results(of_tlm), comparable_results(expected));
      ASSERT_EQ(of_tlm.breakdowns.size(), 1U);
      expect_sound(of_tlm.breakdowns.front());
      EXPECT_EQ(of_tlm.breakdowns.front().path->cycles, expected.cycles);
      // Packets of one slice stand for packets of equal slices.
      const RunResult of_rtl = run_plan(rtl, plan);
      const RunResult of_both = run_plan(lockstep, plan);
      EXPECT_EQ(of_rtl.breakdowns.front().packets, of_tlm.breakdowns.front().packets);
      EXPECT_EQ(of_rtl.breakdowns.front().latency.mean, of_tlm.breakdowns.front().latency.mean);
      EXPECT_EQ(text_of(of_rtl.breakdowns), text_of(of_both.breakdowns));
      if (of_tlm.slices == of_tlm.slices_simulated) {
        EXPECT_EQ(text_of(of_rtl.breakdowns), text_of(of_tlm.breakdowns));
      }
    }
  });
}

TEST_P(RandomBreakdown, OfSyntheticTrafficAddsUpToTheLatenciesThatNodesCount) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  const Topology topology = random_machine();
  constexpr std::array<PatternKind, 3> kPatterns{PatternKind::kUniform, PatternKind::kHotspot,
                                                 PatternKind::kTranspose};
  const TrafficOptions options{.pattern = {.kind = kPatterns[random_.below(kPatterns.size())]},
                               .packet_flits = 1 + static_cast<int>(random_.below(8)),
                               .warmup_cycles = 300,
                               .window_cycles = 1'500,
                               .seed = GetParam()};
  const double rate = 0.02 + 0.01 * static_cast<double>(random_.below(20));
  const auto measure = [&](SwitchModel model, bool with) {
    TrafficRun traffic(topology, options, factory_for({.model = model}));
    if (with) traffic.break_down({.is_on = true, .listed = 3});
    return traffic.measure(rate);
  };
  const TrafficPoint plain = measure(SwitchModel::kTlm, false);
  const TrafficPoint tlm = measure(SwitchModel::kTlm, true);
  const TrafficPoint rtl = measure(SwitchModel::kRtl, true);
  EXPECT_FALSE(plain.breakdown);
  EXPECT_EQ(tlm.cycles, plain.cycles);
  EXPECT_EQ(tlm.latency_mean, plain.latency_mean);
  expect_sound(*tlm.breakdown);
  EXPECT_EQ(tlm.breakdown->packets, plain.arrived);
  EXPECT_EQ(text_of({&*rtl.breakdown, 1}), text_of({&*tlm.breakdown, 1}));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomBreakdown, testing::Range<std::uint64_t>(1, 13));

// A torus has rules of its own for credits; bigger machines have more of everything.
class LargerMachine : public Breakdown, public testing::WithParamInterface<const char*> {};

TEST_P(LargerMachine, AddsUp) {
  const Topology topology = machine(GetParam());
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  const Plan plan = make_plan(topology, Collective::kAllReduce, group, 200'000, "auto");
  const RunResult result = run(topology, plan, with_breakdown());
  expect_sound(result.breakdowns.front());
  EXPECT_EQ(result.breakdowns.front().path->cycles, result.cycles);
}

INSTANTIATE_TEST_SUITE_P(Configs, LargerMachine,
                         testing::Values("mesh", "torus", "mesh_reducing", "fred_a", "fred_d"));

TEST(RoomHistory, TellsWhatWasFreeAtAnEdge) {
  RoomHistory history;
  history.reset(2, 1);
  history.take(10);
  history.take(12);
  history.give(14);
  RoomHistory::Cursor at(history, 9);
  const std::array<std::int64_t, 8> expected{2, 2, 1, 1, 0, 0, 1, 1};  // from edge 9 on
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(at.free_at(9 + i), expected[i]) << i;
  history.forget_before(13);
  EXPECT_EQ(RoomHistory::Cursor(history, 13).free_at(13), 0);
  EXPECT_EQ(RoomHistory::Cursor(history, 15).free_at(15), 1);
  LinkHistory link;
  for (const std::uint64_t edge : {5, 6, 9}) link.busy(edge);
  LinkHistory::Cursor busy(link, 4);
  std::string text;
  for (std::uint64_t edge = 4; edge < 11; ++edge) text += busy.busy_at(edge) ? 'x' : '-';
  EXPECT_EQ(text, "-xx--x-");
}

}  // namespace
}  // namespace fredsim::test
