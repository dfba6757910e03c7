// SPDX-License-Identifier: Apache-2.0
// Packets that a breakdown lists, against the sorted list of all of them; figures by stage and
// cause; names of packets.
#include "trace/packet_list.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "trace/breakdown_statistics.h"
#include "trace/observed_job.h"

namespace fredsim {
namespace {

struct DeliveredPacket {
  std::uint64_t begin = 0, latency = 0;
  int number = 0;
};

std::vector<DeliveredPacket> random_deliveries(Random& random) {
  std::vector<DeliveredPacket> all(random.below(60));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = {random.below(1000), random.below(12), static_cast<int>(i)};
  return all;
}

// Numbers of the listed packets when only packets for the list are made.
std::vector<std::string> listed(const BreakdownOptions& options,
                                const std::vector<DeliveredPacket>& all) {
  PacketList list(options);
  for (const DeliveredPacket& packet : all) {
    if (!list.wants(packet.latency)) continue;
    PacketBreakdown made;
    made.name = std::to_string(packet.number);
    made.begin = packet.begin;
    made.end = packet.begin + packet.latency;
    list.add(std::move(made));
    EXPECT_EQ(
        std::ranges::count(list.packets(), std::to_string(packet.number), &PacketBreakdown::name),
        1)
        << "wanted, and not in the list";
  }
  std::vector<std::string> names;
  for (const PacketBreakdown& packet : list.packets()) names.push_back(packet.name);
  list.clear();
  EXPECT_TRUE(list.packets().empty());
  return names;
}

TEST(PacketList, HasTheSlowestOrTheFirst) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    std::vector<DeliveredPacket> all = random_deliveries(random);
    const std::size_t max = random.below(8);
    std::vector<std::string> first, slowest;
    for (const DeliveredPacket& packet : all) first.push_back(std::to_string(packet.number));
    first.resize(std::min(first.size(), max));
    EXPECT_EQ(listed({.is_on = true, .listed = max, .lists_first = true}, all), first);
    // The first of equally slow packets.
    std::vector<DeliveredPacket> sorted = all;
    std::ranges::stable_sort(sorted, std::greater{}, &DeliveredPacket::latency);
    sorted.resize(std::min(sorted.size(), max));
    for (const DeliveredPacket& packet : sorted) slowest.push_back(std::to_string(packet.number));
    EXPECT_EQ(listed({.is_on = true, .listed = max, .lists_first = false}, all), slowest);
  }
}

// ---- statistics by stage

TEST(BreakdownStatistics, HasMeansOverAllPacketsAndLeavesOutStagesOfNone) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  const BreakdownStages stages(topology);
  BreakdownStatistics statistics(stages.count());
  constexpr int kNic = BreakdownStages::kSendingNic;
  const int link = stages.link(0);
  StageCycles cycles(stages.count());
  cycles.add(kNic, DelayCause::kQueue, 6);
  cycles.add(link, DelayCause::kLatency, 4);
  statistics.add(10, cycles, {kNic, link, link}, 3);
  cycles.clear();
  cycles.add(link, DelayCause::kLatency, 2);
  statistics.add(2, cycles, {link}, 1);
  statistics.add_join(stages.receiving_nic(), 8, 2);
  EXPECT_EQ(statistics.packets(), 4U);
  EXPECT_EQ(statistics.latencies(), 32U);
  const LatencyBreakdown result = statistics.result(stages);
  EXPECT_EQ(result.packets, 4U);
  EXPECT_DOUBLE_EQ(result.latency.mean, 8);
  EXPECT_EQ(result.latency.p50, 10U);
  ASSERT_EQ(result.stages.size(), 3U) << "stages that no packet came by are left out";
  const auto& [nic, wire, end] = std::tie(result.stages[0], result.stages[1], result.stages[2]);
  EXPECT_EQ(nic.name, "sending NIC");
  EXPECT_DOUBLE_EQ(nic.visits, 0.75);
  ASSERT_EQ(nic.causes.size(), 1U);
  EXPECT_EQ(nic.causes[0].name, "queue");
  EXPECT_EQ(nic.causes[0].total, 18U);
  EXPECT_DOUBLE_EQ(nic.causes[0].share, 18.0 / 32);
  EXPECT_DOUBLE_EQ(nic.causes[0].cycles.mean, 4.5);
  EXPECT_EQ(nic.causes[0].cycles.p50, 6U);
  EXPECT_DOUBLE_EQ(wire.visits, 7.0 / 4);
  ASSERT_EQ(wire.causes.size(), 1U);
  EXPECT_EQ(wire.causes[0].name, "latency");
  EXPECT_EQ(wire.causes[0].total, 14U);
  EXPECT_DOUBLE_EQ(wire.causes[0].share, 14.0 / 32);
  EXPECT_EQ(end.operands, 2U);
  EXPECT_DOUBLE_EQ(end.join.mean, 8);
  EXPECT_EQ(end.visits, 0);
  EXPECT_TRUE(end.causes.empty());
}

TEST(BreakdownStatistics, OfNoPacketIsEmpty) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  const BreakdownStages stages(topology);
  const LatencyBreakdown result = BreakdownStatistics(stages.count()).result(stages);
  EXPECT_EQ(result.packets, 0U);
  EXPECT_EQ(result.latency.mean, 0);
  EXPECT_TRUE(result.stages.empty());
}

TEST(NamedCycles, AreThoseThatAreNotZeroInTheOrderOfCauses) {
  CyclesByCause cycles{};
  count(cycles, DelayCause::kReceive) = 5;
  count(cycles, DelayCause::kSource) = 7;
  EXPECT_EQ(named_cycles(cycles), (NamedCycles{{"source", 7}, {"receive", 5}}));
  EXPECT_TRUE(named_cycles({}).empty());
}

// ---- stages of a topology

class TreeStages : public testing::TestWithParam<const char*> {};

// Up, turn, down: the stages of a path are in order.
TEST_P(TreeStages, StandInTheOrderOfTheWay) {
  const Topology topology = load_config(fmt::format("configs/{}.yaml", GetParam())).topology;
  const BreakdownStages stages(topology);
  std::vector<std::string> names;
  for (int s = 0; s < stages.count(); ++s) names.push_back(stages.name(s));
  EXPECT_EQ(names.front(), "NPU");
  EXPECT_EQ(names[BreakdownStages::kSendingNic], "sending NIC");
  EXPECT_EQ(names[static_cast<std::size_t>(stages.receiving_nic())], "receiving NIC");
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  EXPECT_TRUE(std::ranges::adjacent_find(sorted) == sorted.end()) << "a name of two stages";
  int up = 0, down = 0, turns = 0;
  for (NodeId node = 0; node < std::ssize(topology.nodes); ++node) {
    const Node& at = topology.nodes[node];
    for (int in = 0; in < at.ports; ++in) {
      const int link_in = topology.link_in(node, in);
      if (link_in < 0) continue;
      EXPECT_GT(stages.link(link_in), BreakdownStages::kSendingNic);
      EXPECT_LT(stages.link(link_in), stages.receiving_nic());
      if (at.is_endpoint()) continue;
      const bool from_above = topology.nodes[topology.links[link_in].from].level > at.level;
      for (int out = 0; out < at.ports; ++out) {
        const int link_out = topology.link_out(node, out);
        if (link_out < 0) continue;
        const bool to_above = topology.nodes[topology.links[link_out].to].level > at.level;
        if (from_above && to_above) continue;  // no path of a packet
        const int stage = stages.switch_between(node, in, out);
        const std::string& name = stages.name(stage);
        EXPECT_TRUE(name.starts_with(fmt::format("L{}", at.level))) << name;
        EXPECT_EQ(name.ends_with(" up"), to_above) << name;
        EXPECT_EQ(name.ends_with(" down"), from_above) << name;
        EXPECT_LT(stages.link(link_in), stage) << name;
        EXPECT_LT(stage, stages.link(link_out)) << name;
        ++(to_above ? up : from_above ? down : turns);
      }
    }
  }
  EXPECT_GT(turns, 0);
  const bool is_deep =
      std::ranges::any_of(topology.nodes, [](const Node& n) { return n.level > 1; });
  EXPECT_EQ(up > 0, is_deep);
  EXPECT_EQ(down > 0, is_deep);
}

INSTANTIATE_TEST_SUITE_P(Of, TreeStages, testing::Values("fred_small", "fred_d", "fred_64"));

TEST(BreakdownStages, OfAGridAreItsRoutersAndLinks) {
  const Topology topology = load_config("configs/mesh.yaml").topology;
  const BreakdownStages stages(topology);
  for (NodeId node = 0; node < std::ssize(topology.nodes); ++node) {
    if (topology.nodes[node].is_endpoint()) continue;
    for (int in = 0; in < topology.nodes[node].ports; ++in)
      for (int out = 0; out < topology.nodes[node].ports; ++out) {
        ASSERT_EQ(stages.name(stages.switch_between(node, in, out)), "router");
      }
  }
  for (int link = 0; link < std::ssize(topology.links); ++link) {
    const Node& from = topology.nodes[topology.links[link].from];
    const Node& to = topology.nodes[topology.links[link].to];
    const std::string& name = stages.name(stages.link(link));
    EXPECT_EQ(name.starts_with("router -> "), from.is_switch()) << name;
    EXPECT_EQ(name.ends_with(" -> router"), to.is_switch()) << name;
  }
}

// ---- names

TEST(ObservedJob, NamesTreesAndPackets) {
  ObservedJob job;
  EXPECT_EQ(job.tree_name(3), "tree 3");
  EXPECT_EQ(job.packet_name(3, 17, kDp), "tree 3 #17");
  EXPECT_EQ(job.packet_name(3, 16, kControl), "tree 3 up to #16");
  EXPECT_EQ(job.part(5), 5);
  EXPECT_EQ(job.count(1), 1U);
  job.name = "forward 2";
  job.parts = {4, 0};
  job.copies = {1, 5};
  EXPECT_EQ(job.packet_name(0, 2, kMp), "forward 2: tree 0 #2");
  EXPECT_EQ(job.part(0), 4);
  EXPECT_EQ(job.count(1), 5U);
}

}  // namespace
}  // namespace fredsim
