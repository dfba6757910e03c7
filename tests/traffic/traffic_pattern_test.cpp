// SPDX-License-Identifier: Apache-2.0
// Destinations and times of packets: patterns, sources, the calendar of creations, the latency
// histogram.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "support/simulation.h"
#include "traffic/creation_calendar.h"
#include "traffic/latency_histogram.h"
#include "traffic/packet_source.h"

namespace fredsim::test {
namespace {

const Topology& mesh() {  // 5 x 4
  static const Topology kTopology = load_config("configs/mesh.yaml").topology;
  return kTopology;
}
const Topology& tree() {  // 5 L1 switches with 4 NPUs
  static const Topology kTopology = load_config("configs/fred_d.yaml").topology;
  return kTopology;
}

std::vector<int> partners(PatternKind kind, const Topology& topology) {
  const TrafficPattern pattern({.kind = kind}, topology);
  Random random(1);
  std::vector<int> partner;
  partner.reserve(static_cast<std::size_t>(pattern.nodes()));
  for (int node = 0; node < pattern.nodes(); ++node) {
    partner.push_back(pattern.sends(node) ? pattern.destination(node, random) : node);
  }
  return partner;
}

TEST(TrafficPattern, TransposeIsTheMatrixTransposed) {
  const std::vector<int> mesh_partner = partners(PatternKind::kTranspose, mesh());
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 5; ++x) EXPECT_EQ(mesh_partner[y * 5 + x], x * 4 + y);
  }
  const std::vector<int> tree_partner = partners(PatternKind::kTranspose, tree());
  for (int l1 = 0; l1 < 5; ++l1) {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(tree_partner[l1 * 4 + i], i * 5 + l1);
  }
  const Topology square = load_config("configs/mesh_2x2.yaml").topology;
  EXPECT_EQ(partners(PatternKind::kTranspose, square), (std::vector<int>{0, 2, 1, 3}));
  EXPECT_EQ(TrafficPattern({.kind = PatternKind::kTranspose}, square).sending_nodes(), 2);
}

TEST(TrafficPattern, BitComplementIsTheOtherEnd) {
  for (const Topology* topology : {&mesh(), &tree()}) {
    const std::vector<int> partner = partners(PatternKind::kBitComplement, *topology);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(partner[i], 19 - i);
  }
}

TEST(TrafficPattern, NeighborGoesEastOrToTheNextRank) {
  const std::vector<int> mesh_partner = partners(PatternKind::kNeighbor, mesh());
  const std::vector<int> tree_partner = partners(PatternKind::kNeighbor, tree());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(mesh_partner[i], i % 5 == 4 ? i - 4 : i + 1);
    EXPECT_EQ(tree_partner[i], i == 19 ? 0 : i + 1);
  }
}

std::vector<int> destinations(const PatternSpec& spec, int node, int draws) {
  const TrafficPattern pattern(spec, mesh());
  EXPECT_EQ(pattern.sending_nodes(), 20);
  Random random(5);
  std::vector<int> count(20);
  for (int i = 0; i < draws; ++i) ++count[pattern.destination(node, random)];
  return count;
}

TEST(TrafficPattern, UniformReachesEveryOtherNodeEquallyOften) {
  constexpr int kDraws = 190'000;
  for (const int node : {0, 7, 19}) {
    const std::vector<int> count = destinations({}, node, kDraws);
    for (int i = 0; i < 20; ++i) {
      EXPECT_NEAR(count[i], i == node ? 0 : 10'000, i == node ? 0 : 400) << i;
    }
  }
}

TEST(TrafficPattern, HotspotGetsItsShareAndThatOfUniform) {
  constexpr int kDraws = 190'000;
  const PatternSpec spec{.kind = PatternKind::kHotspot, .hotspot_node = 3, .hotspot_fraction = 0.4};
  const std::vector<int> count = destinations(spec, 8, kDraws);
  EXPECT_EQ(count[8], 0);
  EXPECT_NEAR(count[3], kDraws * (0.4 + 0.6 / 19), 1000);
  EXPECT_NEAR(count[0], kDraws * 0.6 / 19, 400);
  const std::vector<int> of_hot_node = destinations(spec, 3, kDraws);
  EXPECT_EQ(of_hot_node[3], 0);
  EXPECT_NEAR(of_hot_node[0], 10'000, 400);
}

TEST(TrafficPattern, WhatNoNodeCanUseIsRefused) {
  const Topology column = load_config("configs/mesh_2x2.yaml", {"npu.count=3", "fabric.width=1",
                                                                "fabric.height=3", "io.count=0"})
                              .topology;
  EXPECT_NE(message_of<BadInput>([&] {
              partners(PatternKind::kNeighbor, column);
            }).find("--pattern: found 'neighbor', in which every NPU of mesh_2x2 is its own"),
            std::string::npos);
  EXPECT_EQ(TrafficPattern({.kind = PatternKind::kBitComplement}, column).sending_nodes(), 2);
  EXPECT_EQ(message_of<BadInput>([] {
              TrafficPattern({.kind = PatternKind::kHotspot, .hotspot_node = 20}, mesh());
            }),
            "--hotspot-node: found '20'; allowed: an NPU of mesh, 0 to 19");
}

TEST(PacketSource, CreatesAtItsRateAndForetellsItself) {
  const TrafficPattern pattern({}, mesh());
  const PacketKinds kinds(1);
  for (const double rate : {0.25, 2.25}) {  // one trial per cycle, and three
    const CreationProcess process = make_process(rate, 1, {});
    PacketSource source(pattern, 4, process, kinds, 9);
    PacketSource copy = source;
    constexpr std::uint64_t kCycles = 100'000;
    std::uint64_t packets = 0;
    std::uint64_t last = 0;
    for (; source.creation() < kCycles; ++packets) {
      EXPECT_GE(source.creation(), last);
      last = source.creation();
      EXPECT_EQ(copy.creation(), source.creation());
      EXPECT_EQ(copy.take().destination, source.take().destination);
    }
    const double expected = rate * static_cast<double>(kCycles);
    EXPECT_NEAR(static_cast<double>(packets), expected, 4 * std::sqrt(expected));
  }
}

TEST(PacketSource, SeedAndNodeMakeADifference) {
  const TrafficPattern pattern({}, mesh());
  const CreationProcess process = make_process(0.01, 1, {});
  const PacketKinds kinds(1);
  std::set<std::uint64_t> sums;
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (int node = 0; node < 20; ++node) {
      PacketSource source(pattern, node, process, kinds, seed);
      for (int i = 0; i < 100; ++i) source.take();
      sums.insert(source.creation());
    }
  }
  EXPECT_GT(sums.size(), 55U);
}

// Near and far entries, several in a cycle, added at any time before it.
TEST(CreationCalendar, WakesEveryNodeAtItsCycle) {
  constexpr int kNodes = 40;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    CreationCalendar calendar(kNodes);
    std::vector<std::uint64_t> due(kNodes);
    const auto gap = [&] { return 1 + random.below(random.below(4) == 0 ? 5000 : 30); };
    for (int run = 0; run < 2; ++run) {
      calendar.clear();
      for (int node = 0; node < kNodes; ++node) {
        due[node] = gap() - 1;
        calendar.add(due[node], node);
      }
      for (std::uint64_t cycle = 0; cycle < 20'000; ++cycle) {
        std::vector<int> woken;
        calendar.remove_due(cycle, [&](int node) { woken.push_back(node); });
        std::ranges::sort(woken);
        std::vector<int> wanted;
        for (int node = 0; node < kNodes; ++node)
          if (due[node] == cycle) wanted.push_back(node);
        ASSERT_EQ(woken, wanted) << "cycle " << cycle;
        for (const int node : woken) {
          due[node] = cycle + gap();
          calendar.add(due[node], node);
        }
      }
    }
  }
}

TEST(LatencyHistogram, PercentilesAreThoseOfTheSortedList) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.percentile(99), 0U);
  Random random(11);
  std::vector<std::uint64_t> list;
  for (int i = 0; i < 1234; ++i) {
    list.push_back(random.below(random.below(10) == 0 ? 100'000 : 300));
    histogram.add(list.back());
  }
  std::ranges::sort(list);
  EXPECT_EQ(histogram.count(), list.size());
  EXPECT_EQ(histogram.max(), list.back());
  EXPECT_DOUBLE_EQ(histogram.mean(), std::accumulate(list.begin(), list.end(), 0.0) / 1234);
  for (const unsigned percent : {1U, 50U, 95U, 99U}) {  // nearest rank
    const std::size_t rank = (list.size() * percent + 99) / 100;
    EXPECT_EQ(histogram.percentile(percent), list[rank - 1]) << percent;
  }
  histogram.clear();
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.max(), 0U);
}

}  // namespace
}  // namespace fredsim::test
