// SPDX-License-Identifier: Apache-2.0
// Nodes come when they are ready, each once, and little of a file is held at a time.
#include "workload_files/trace_feeder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/random.h"
#include "support/temporary_folder.h"
#include "support/traces.h"

namespace fredsim {
namespace {

std::vector<TraceNode> random_graph(Random& random, std::uint64_t count) {
  std::vector<TraceNode> nodes;
  for (std::uint64_t k = 0; k < count; ++k) {
    std::set<std::uint64_t> after;
    for (std::uint64_t n = std::min(k, random.below(4)); n > 0; --n) {
      after.insert(3 * random.below(k));
    }
    nodes.push_back(compute_node(3 * k, {after.begin(), after.end()}));
  }
  return nodes;
}

TEST(TraceFeeder, EveryNodeComesOnceAndAfterWhatItDependsOn) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<TraceNode> nodes = random_graph(random, 1 + random.below(200));
    const bool is_shuffled = random.below(2) != 0;
    for (std::size_t k = nodes.size(); is_shuffled && k > 1; --k) {
      std::swap(nodes[k - 1], nodes[random.below(k)]);
    }
    write_trace(folder.file("t"), nodes);
    TraceFeeder feeder(folder.file("t"), 1 + random.below(20));
    std::set<std::uint64_t> complete;
    std::vector<std::uint64_t> in_flight;
    while (!feeder.is_done()) {
      while (const auto node = feeder.next()) {
        for (const std::uint64_t id : node->after) ASSERT_TRUE(complete.contains(id)) << node->id;
        in_flight.push_back(node->id);
      }
      ASSERT_FALSE(in_flight.empty());
      std::swap(in_flight.back(), in_flight[random.below(in_flight.size())]);
      ASSERT_TRUE(complete.insert(in_flight.back()).second);
      feeder.complete(in_flight.back());
      in_flight.pop_back();
    }
    EXPECT_EQ(complete.size(), nodes.size());
    EXPECT_TRUE(in_flight.empty());
  }
}

TEST(TraceFeeder, OfALongFileInOrderTheWindowIsHeld) {
  const TemporaryFolder folder;
  constexpr std::uint64_t kNodes = 20'000;
  std::vector<TraceNode> nodes{compute_node(0)};
  for (std::uint64_t k = 1; k < kNodes; ++k) nodes.push_back(compute_node(k, {k - 1}));
  write_trace(folder.file("t"), nodes);
  TraceFeeder feeder(folder.file("t"), 16);
  std::uint64_t complete = 0;
  for (; const auto node = feeder.next(); ++complete) {
    ASSERT_EQ(node->id, complete);
    ASSERT_LE(feeder.held(), 16U);
    feeder.complete(node->id);
  }
  EXPECT_EQ(complete, kNodes);
  EXPECT_TRUE(feeder.is_done());
}

TEST(IdRanges, HoldIdsThatFollowEachOtherAsOne) {
  IdRanges ids;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t k = 0; k < 1000; ++k) numbers.push_back(k + 7);
  Random random(1);
  for (std::size_t k = numbers.size(); k > 1; --k)
    std::swap(numbers[k - 1], numbers[random.below(k)]);
  for (const std::uint64_t id : numbers) {
    EXPECT_FALSE(ids.has(id));
    EXPECT_TRUE(ids.add(id));
    EXPECT_FALSE(ids.add(id));
    EXPECT_TRUE(ids.has(id));
  }
  EXPECT_EQ(ids.ranges(), 1U);
  EXPECT_FALSE(ids.has(6));
  EXPECT_FALSE(ids.has(1007));
  EXPECT_TRUE(ids.add(~std::uint64_t{0}));
  EXPECT_TRUE(ids.add(0));
  EXPECT_EQ(ids.ranges(), 3U);
}

}  // namespace
}  // namespace fredsim
