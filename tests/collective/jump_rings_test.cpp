// SPDX-License-Identifier: Apache-2.0
// jump_rings: results of its trees, which stay on the links of their rings. Random groups and sizes
// from seeds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "fabrics.h"
#include "plan_evaluator.h"
#include "support/collective_specs.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

TEST(JumpRings, GiveEveryRankItsResult) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const Topology topology =
        circulant(8, random.below(2) == 0 ? std::vector{1, 3} : std::vector{1, 5, 7});
    const std::uint64_t bytes = 1 + random.below(100'000);
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
      SCOPED_TRACE(fmt::format("seed {}: {} of {} bytes", seed, to_string(collective), bytes));
      const std::vector<CollectiveSpec> work{
          spec_of(collective, first_ranks(8), bytes, {.algorithm = "jump_rings"})};
      const Plan plan = make_plan(topology, work);
      EXPECT_EQ(plan.parts[0].algorithm, "jump_rings");
      expect_plan(topology, work, plan);
    }
  }
}

TEST(JumpRings, ShareTheDataAndStayOnTheirLinks) {
  const Topology topology = circulant(16, {1, 5});
  const Plan plan =
      make_plan(topology, Collective::kAllReduce, first_ranks(16), 64 * 512, "jump_rings");
  EXPECT_EQ(plan.trees.size(), 32U);
  std::set<int> jumps;
  std::uint64_t flits = 0;
  for (const Tree& tree : plan.trees) {
    flits += tree.flits;
    for_each_send(tree.ranks,
                  [&](int rank, const Send& send) { jumps.insert((send.rank - rank + 16) % 16); });
  }
  EXPECT_EQ(flits, 64U);
  EXPECT_EQ(jumps, (std::set<int>{1, 5}));
  // 30 of 32 of half of the data on every link: 2 x 15/16 x 32 flits x 512 B at 50 GB/s.
  EXPECT_NEAR(plan.bound_ns, 60 * 512 / 50.0, 1e-6);
}

TEST(JumpRings, AreTheChoiceWhereLinksLeadOneWay) {
  for (const Topology& topology : {circulant(16, {1, 5}), circulant(128, {1, 5, 13, 39})}) {
    const auto npus = static_cast<int>(topology.npus.size());
    for (const char* choice : {"auto", "paper"})
      EXPECT_EQ(make_plan(topology, Collective::kAllReduce, first_ranks(npus), 256 << 20, choice)
                    .parts[0]
                    .algorithm,
                "jump_rings")
          << npus << " NPUs, " << choice;
  }
}

TEST(JumpRings, NeedDirectLinks) {
  const Topology topology = circulant(16, {1, 5});
  try {
    make_plan(topology, Collective::kAllReduce, {0, 2, 4}, 4096, "jump_rings");
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_TRUE(
        std::string(error.what())
            .starts_with("algorithm: jump_rings needs links one way from each member to the "
                         "one that is as many ranks after it, this group of 3 on "))
        << error.what();
  }
  EXPECT_NE(
      make_plan(topology, Collective::kAllReduce, {0, 2, 4}, 4096, "paper").parts[0].algorithm,
      "jump_rings");
}

}  // namespace
}  // namespace fredsim::test
