// SPDX-License-Identifier: Apache-2.0
// Searches of strategies and networks: against every strategy, repeated, cut short, of jobs that
// have few strategies.
#include "optimize/topoopt_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace fredsim {
namespace {

// A layer that computes for a while, and then reduces as tensor-parallel layers do, on groups of
// MP; and gradients along DP.
TaskGraph small_job(const Strategy& strategy) {
  if (strategy.pp > 1) throw BadInput("found a pipeline; allowed: pp1");
  TaskGraph graph;
  graph.labels = {"compute", "all_reduce"};
  const int nodes = strategy.workers();
  for (int w = 0; w < nodes; ++w) {
    graph.ranks.push_back({w, {}});
    Task compute;
    compute.cycles = 1000;
    graph.ranks.back().tasks.push_back(compute);
  }
  for (const Dimension dimension : {Dimension::kMp, Dimension::kDp}) {
    const auto groups = groups_of(strategy, dimension);
    if (groups.empty()) continue;
    OperationShape shape;
    for (const auto& group : groups) {
      CollectiveSpec spec;
      spec.group = group;
      spec.bytes = dimension == Dimension::kMp ? 3'000'000 / strategy.dp : 8'000'000 / strategy.mp;
      shape.work.push_back(spec);
    }
    graph.shapes.push_back(shape);
    graph.operations.push_back({.shape = static_cast<int>(graph.shapes.size()) - 1, .label = 1});
    for (int part = 0; part < std::ssize(groups); ++part) {
      for (int rank = 0; rank < std::ssize(groups[part]); ++rank) {
        Task task;
        task.operation = static_cast<int>(graph.operations.size()) - 1;
        task.part = part;
        task.rank = rank;
        auto& tasks = graph.ranks[groups[part][rank]].tasks;
        task.after = {static_cast<int>(tasks.size()) - 1};
        tasks.push_back(task);
      }
    }
  }
  graph.check();
  return graph;
}

TopooptOptions small_options() {
  TopooptOptions options;
  options.finder.degree = 3;
  options.link = {1e9, 1e-6};
  options.clock_hz = 1e9;
  return options;
}

TEST(TopooptSearch, FindsTheBestOfAllStrategiesOnTheirNetworks) {
  TopooptOptions options = small_options();
  const TopooptResult found = search_topology(16, small_job, options);
  options.each = true;
  const TopooptResult best = search_topology(16, small_job, options);
  EXPECT_TRUE(found.converged);
  EXPECT_TRUE(best.converged);
  EXPECT_EQ(best.rounds.size(), 5U);  // MP x DP = 16
  EXPECT_EQ(to_string(found.strategy), to_string(best.strategy));
  EXPECT_DOUBLE_EQ(found.seconds, best.seconds);
  EXPECT_DOUBLE_EQ(found.best_switch_seconds, best.best_switch_seconds);
  for (const TopooptRound& round : best.rounds) EXPECT_GE(round.seconds, best.seconds);
  // No network with as many interfaces is faster than the switch.
  EXPECT_GE(found.seconds, found.switch_seconds * (1 - 1e-9));
  EXPECT_TRUE(found.topology.network.joins_all());
}

TEST(TopooptSearch, GivesTheSameForTheSameSeed) {
  TopooptOptions options = small_options();
  for (const std::uint64_t seed : {1, 2, 3}) {
    options.seed = seed;
    const TopooptResult once = search_topology(32, small_job, options);
    const TopooptResult again = search_topology(32, small_job, options);
    EXPECT_EQ(to_string(once.strategy), to_string(again.strategy));
    EXPECT_EQ(once.seconds, again.seconds);
    EXPECT_EQ(once.evaluations, again.evaluations);
    ASSERT_EQ(once.topology.network.links().size(), again.topology.network.links().size());
    for (std::size_t i = 0; i < once.topology.network.links().size(); ++i)
      EXPECT_EQ(once.topology.network.links()[i].to, again.topology.network.links()[i].to);
  }
}

TEST(TopooptSearch, SaysWhereItHasNotConverged) {
  TopooptOptions options = small_options();
  for (const bool each : {false, true}) {
    options.each = each;
    for (const int limit : {0, 3, 6}) {
      const TopooptResult cut =
          search_topology(16, small_job, options, [&](int done) { return done < limit; });
      EXPECT_FALSE(cut.converged);
      ASSERT_FALSE(cut.rounds.empty());
      EXPECT_LE(cut.evaluations, limit + 8);
      EXPECT_EQ(cut.seconds, std::ranges::min(cut.rounds, {}, &TopooptRound::seconds).seconds);
    }
  }
}

TEST(TopooptSearch, PassesOnWhyAJobHasNoStrategy) {
  const JobOfStrategy none = [](const Strategy&) -> TaskGraph { throw BadInput("found nothing"); };
  try {
    search_topology(16, none, small_options());
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "found nothing");
  }
}

TEST(TopooptSearch, StrategiesUseAllNodes) {
  EXPECT_EQ(whole_strategies(128).size(), 36U);
  EXPECT_EQ(whole_strategies(12).size(), 18U);
  for (const Strategy& strategy : whole_strategies(24)) EXPECT_EQ(strategy.workers(), 24);
}

}  // namespace
}  // namespace fredsim
