// SPDX-License-Identifier: Apache-2.0
// switch_reads: results of its plans on random boxes, bytes sent by each rank and each adder by
// formula, refused input.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "plan_evaluator.h"
#include "support/adder_box.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

std::vector<int> some_npus(const Topology& topology, Random& random) {
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  for (std::size_t i = group.size(); i > 1; --i) std::swap(group[i - 1], group[random.below(i)]);
  group.resize(2 + random.below(group.size() - 1));
  return group;
}

TEST(SwitchReads, GivesEveryRankItsSums) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Topology topology = adder_box({.npus = 2 + static_cast<int>(random.below(9)),
                                         .adders = 2 + static_cast<int>(random.below(8))});
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
      CollectiveSpec spec;
      spec.collective = collective;
      spec.group = some_npus(topology, random);
      spec.bytes = 1 + random.below(200'000);
      spec.algorithm = "switch_reads";
      SCOPED_TRACE(fmt::format("seed {}: {} of {} bytes over {} of {} NPUs, {} adders", seed,
                               to_string(collective), spec.bytes, spec.group.size(),
                               topology.npus.size(), topology.adders.size()));
      const Plan plan = make_plan(topology, {&spec, 1});
      expect_plan(topology, {&spec, 1}, plan);
      EXPECT_EQ(plan.parts[0].ranks(), std::ssize(spec.group));
    }
  }
}

// S (1 + 1/N) from each rank: its vector and the sum of its shard. An adder sends the sum to the
// owner and N - 1 copies of another shard.
TEST(SwitchReads, SendsTheVectorAndTheShard) {
  for (const int n : {2, 3, 5, 8}) {
    const Topology topology = adder_box({.npus = n, .adders = n});
    const std::uint64_t shard = 24;  // flits
    std::vector<int> group(topology.npus.size());
    std::iota(group.begin(), group.end(), 0);
    const Plan plan =
        make_plan(topology, Collective::kAllReduce, group, 512 * shard * n, "switch_reads");
    const std::vector<std::uint64_t> sent = flits_sent(plan);
    ASSERT_EQ(std::ssize(sent), 2 * n);
    for (int rank = 0; rank < n; ++rank) EXPECT_EQ(sent[rank], shard * (n + 1)) << n << " NPUs";
    for (int adder = n; adder < 2 * n; ++adder) EXPECT_EQ(sent[adder], shard * n) << n << " NPUs";
  }
}

TEST(SwitchReads, NeedsAdders) {
  for (const int adders : {0, 1}) {
    const Topology topology = adder_box({.npus = 4, .adders = adders});
    try {
      make_plan(topology, Collective::kAllReduce, {0, 1, 2, 3}, 4096, "switch_reads");
      FAIL() << adders << " adders";
    } catch (const BadInput& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find(fmt::format("has {} in 1 plane", adders)), std::string::npos) << what;
      EXPECT_NE(what.find("allowed: auto, paper, ring"), std::string::npos) << what;
    }
  }
}

}  // namespace
}  // namespace fredsim::test
