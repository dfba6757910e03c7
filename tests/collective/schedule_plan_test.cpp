// SPDX-License-Identifier: Apache-2.0
// Plans as schedules: a plan that is written and read back is the same plan, and schedules of any
// form deliver what their collectives must.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "collective/algorithm.h"
#include "collective/schedule_algorithm.h"
#include "fabrics.h"
#include "plan_evaluator.h"
#include "schedule_files/schedule_file.h"
#include "schedule_files/schedule_text.h"
#include "support/collective_specs.h"
#include "support/schedule_texts.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

std::string sends_text(const std::vector<Send>& sends) {
  std::string text;
  for (const Send& send : sends)
    text += fmt::format(" {}:{}:{}:{}", send.rank, send.port, send.vc, send.due);
  return text;
}

// All of a tree that a run depends on.
std::string tree_text(const Tree& tree) {
  std::string text = fmt::format("{}+{} {} bytes, {} {} {} {} {} {}\n", tree.first_flit, tree.flits,
                                 tree.bytes, tree.interval, tree.in_frame, tree.acknowledge_packets,
                                 tree.is_acknowledged, tree.operands, tree.to_sum);
  for (const TreeRank& rank : tree.ranks.all()) {
    text += fmt::format("{} {}{}{}{} from", rank.rank, rank.contributes, rank.receives,
                        rank.sums_acknowledged, rank.results_acknowledged);
    for (const int from : rank.reduce_from) text += fmt::format(" {}", from);
    for (const auto* sends :
         {&rank.reduce_to, &rank.broadcast_to, &rank.acknowledge_sums, &rank.acknowledge_results})
      text += " |" + sends_text(*sends);
    text += '\n';
  }
  for (const int leaf : tree.order.postfix()) text += fmt::format(" {}", leaf);
  return text;
}

void expect_same(const Plan& plan, const Plan& other) {
  ASSERT_EQ(plan.trees.size(), other.trees.size());
  const Part& part = plan.parts.front();
  const Part& again = other.parts.front();
  EXPECT_EQ(part.window, again.window);
  EXPECT_EQ(part.is_ordered, again.is_ordered);
  EXPECT_EQ(part.packet_flits, again.packet_flits);
  for (std::size_t t = 0; t < plan.trees.size(); ++t) {
    const std::string text = tree_text(plan.trees[t]);
    ASSERT_EQ(text, tree_text(other.trees[t])) << "tree " << t;
  }
}

std::vector<Topology> machines() {
  return {mesh(4, 4),           mesh(5, 4),       torus(4, 4),          fred_tree(),
          fred_tree({}, false), torus3d(4, 2, 2), circulant(8, {1, 3}), reducing_mesh(4, 4)};
}

bool is_planned(const Topology& topology, const CollectiveSpec& spec, Plan& plan) {
  try {
    plan = make_plan(topology, std::vector{spec});
    return true;
  } catch (const BadInput&) {
    return false;  // the group or the fabric does not have it
  }
}

TEST(SchedulePlan, WrittenAndReadBackIsTheSame) {
  const std::vector<Topology> fabrics = machines();
  std::set<std::string> seen, refused;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Topology& topology = fabrics[random.below(fabrics.size())];
    const int npus = static_cast<int>(topology.npus.size());
    const bool is_whole = random.below(2) == 0;
    std::vector<int> group = first_ranks(npus);
    if (!is_whole) group.resize(2 + random.below(static_cast<std::uint64_t>(npus) - 1));
    for (const Algorithm* algorithm : algorithms()) {
      const auto collective = static_cast<Collective>(random.below(8));
      if (!algorithm->has(collective) || algorithm->is_in_switches()) continue;
      const CollectiveSpec spec = spec_of(collective, group, 1 + random.below(200'000),
                                          {.algorithm = std::string(algorithm->name())});
      SCOPED_TRACE(fmt::format("seed {}: {} of {} bytes by {}, {} ranks on {}", seed,
                               to_string(collective), spec.bytes, algorithm->name(), group.size(),
                               topology.name));
      Plan plan;
      if (!is_planned(topology, spec, plan)) continue;
      std::string text;
      try {
        text = schedule_text(schedule_of(topology, plan));
      } catch (const BadInput& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("which no schedule expresses"));
        refused.emplace(algorithm->name());
        continue;
      }
      CollectiveSpec again = spec;
      again.algorithm = fmt::format("test-{}-{}.json", seed, algorithm->name());
      add_schedule_algorithm(schedule_of(again.algorithm, text));
      expect_same(plan, make_plan(topology, std::vector{again}));
      seen.emplace(algorithm->name());
    }
  }
  for (const char* name : {"ring", "hier_ring", "tree", "direct", "one_shot", "multi_tree",
                           "halving_doubling", "chain"})
    EXPECT_TRUE(seen.contains(name)) << name;
}

TEST(SchedulePlan, AnySizeDeliversWhatItMust) {
  const std::vector<Topology> fabrics = machines();
  for (const int ranks : {4, 8}) {
    for (const std::string& text :
         {msccl_ring(ranks), msccl_trees(ranks), msccl_halving_doubling(ranks)}) {
      const std::string name = fmt::format("any-{}.xml", ranks);
      add_schedule_algorithm(schedule_of(name, text));
      for (const Topology& topology : fabrics) {
        for (const std::uint64_t bytes : {1U, 512U, 513U, 100'000U}) {
          SCOPED_TRACE(fmt::format("{} bytes by {} ranks on {}", bytes, ranks, topology.name));
          const std::vector<CollectiveSpec> work{
              spec_of(Collective::kAllReduce, first_ranks(ranks), bytes, {.algorithm = name})};
          expect_plan(topology, work, make_plan(topology, work));
        }
      }
    }
  }
}

TEST(SchedulePlan, NeedsAGroupOfItsSize) {
  add_schedule_algorithm(schedule_of("four.xml", msccl_ring(4)));
  const Topology topology = mesh(5, 4);
  const auto refusal = [&](const CollectiveSpec& spec) -> std::string {
    try {
      make_plan(topology, std::vector{spec});
    } catch (const BadInput& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(
      refusal(spec_of(Collective::kAllReduce, first_ranks(5), 4096, {.algorithm = "four.xml"})),
      testing::StartsWith("algorithm: found four.xml, a schedule of 4 ranks, for a group of 5"));
  EXPECT_THAT(
      refusal(spec_of(Collective::kAllGather, first_ranks(4), 4096, {.algorithm = "four.xml"})),
      testing::HasSubstr("four.xml found, all_gather on"));
  EXPECT_THAT(
      refusal(spec_of(Collective::kAllReduce, first_ranks(4), 4096, {.algorithm = "none.xml"})),
      testing::HasSubstr("none.xml: No such file or directory"));
}

}  // namespace
}  // namespace fredsim::test
