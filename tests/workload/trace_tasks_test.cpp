// SPDX-License-Identifier: Apache-2.0
// Traces that are read as they run: the times equal the whole graph's, and only a small part of a
// file is held at a time.
#include "workload/trace_tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "support/comparable_results.h"
#include "support/simulation.h"
#include "support/temporary_folder.h"
#include "support/traces.h"
#include "workload/detail/critical_path.h"
#include "workload/graph_run.h"
#include "workload/trace_graph.h"

namespace fredsim::test {
namespace {

constexpr int kRanks = 4;
const CommGroups kGroups{{"1", {0, 1, 2, 3}}, {"2", {3, 1}}, {"3", {1, 3}}};

class TraceTasksTest : public testing::TestWithParam<const char*> {
 protected:
  std::string file(int rank) const { return prefix_ + "." + std::to_string(rank) + ".et"; }

  // Every rank has the same nodes in the same file order, each with its own times.
  void write_random(Random& random, std::uint64_t nodes) {
    std::vector<std::uint64_t> order;
    for (std::uint64_t k = 0; k < nodes; ++k) order.push_back(k);
    if (random.below(2) != 0)
      for (std::size_t k = order.size(); k > 1; --k)
        std::swap(order[k - 1], order[random.below(k)]);
    const std::uint64_t reach = 1 + random.below(nodes);
    std::vector<TraceNode> graph;
    for (std::uint64_t k = 0; k < nodes; ++k) {
      TraceNode& node = graph.emplace_back(compute_node(k));
      std::set<std::uint64_t> after;
      for (std::uint64_t n = std::min(k, random.below(3)); n > 0; --n)
        after.insert(k - 1 - random.below(std::min(k, reach)));
      node.after.assign(after.begin(), after.end());
      const std::uint64_t kind = random.below(10);
      if (kind == 0) node.type = TraceNodeType::kMetadata;
      if (kind == 1) node.type = TraceNodeType::kLoad;
      if (kind < 7) continue;
      node.type = TraceNodeType::kCollective;
      node.group = std::to_string(kind - 6);
      node.bytes = 4096;
      node.priority = static_cast<std::int64_t>(random.below(3));
    }
    for (int rank = 0; rank < kRanks; ++rank) {
      std::vector<TraceNode> own;
      for (const std::uint64_t k : order) {
        TraceNode node = graph[k];
        if (!node.group.empty() && node.group != "1" && rank % 2 == 0) {
          node.type = TraceNodeType::kMetadata;  // not in the group
        }
        if (node.type <= TraceNodeType::kCompute) node.duration_ps = random.below(4) * 400'000;
        own.push_back(std::move(node));
      }
      write_trace(file(rank), own);
    }
  }

  GraphOutcome streamed(const TraceFiles& files) {
    TraceTasks tasks(files, kGroups, speed_, topology_);
    const ShapePlans plans = plan_shapes(topology_, tasks.shapes(), OnConflict::kRefuse);
    Simulation simulation;
    Machine machine("machine", topology_, {});
    GraphOutcome outcome;
    simulation.run([&] { outcome = run_tasks(machine, tasks, plans); });
    return outcome;
  }

  TemporaryFolder folder_;
  std::string prefix_ = folder_.file("t");
  Topology topology_ = load_config(GetParam()).topology;
  ComputeSpeed speed_{.npu = {.peak_gflops = 1000, .memory_bandwidth = 1'000'000'000'000}};
};

TEST_P(TraceTasksTest, TakeWhatTheWholeGraphTakes) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    write_random(random, 1 + random.below(120));
    const TraceFiles files = check_traces(prefix_);
    const TaskGraph graph = trace_graph(files, kGroups, speed_, topology_);
    const ShapePlans plans = plan_shapes(topology_, graph, OnConflict::kRefuse);
    Simulation simulation;
    Machine machine("machine", topology_, {});
    GraphOutcome whole;
    simulation.run([&] { whole = run_graph(machine, graph, plans); });
    const GraphOutcome outcome = streamed(files);
    EXPECT_EQ(outcome.result.cycles, whole.result.cycles);
    EXPECT_EQ(comparable_results(outcome.result), comparable_results(whole.result));
    EXPECT_EQ(outcome.critical_path, whole.critical_path);
    EXPECT_EQ(critical_path(graph, whole), whole.critical_path);
    EXPECT_EQ(outcome.iteration_ends, whole.iteration_ends);
    EXPECT_EQ(outcome.used, whole.used);
    for (std::size_t r = 0; r < kRanks; ++r) {
      EXPECT_EQ(outcome.times[r].parts, whole.times[r].parts);
      EXPECT_EQ(outcome.times[r].bubble, whole.times[r].bubble);
      EXPECT_EQ(outcome.times[r].end, whole.times[r].end);
    }
  }
}

// Four times as many nodes; every tenth is an all-reduce that the next ones depend on, or that has
// no dependents.
TEST_P(TraceTasksTest, WhatIsHeldDoesNotGrowWithTheTrace) {
  for (const bool waits : {true, false}) {
    std::vector<std::size_t> held;
    for (const std::uint64_t nodes : {2'000, 8'000}) {
      std::vector<TraceNode> trace;
      for (std::uint64_t k = 0; k < nodes; ++k) {
        const bool is_sum = k % 10 == 9;
        const std::uint64_t before = waits || is_sum || k % 10 != 0 || k == 0 ? 1 : 2;
        TraceNode& node = trace.emplace_back(
            compute_node(k, k == 0 ? std::vector<std::uint64_t>{} : std::vector{k - before}));
        node.duration_ps = 1'000'000;
        if (!is_sum) continue;
        node.type = TraceNodeType::kCollective;
        node.bytes = 4096;
      }
      for (int rank = 0; rank < kRanks; ++rank) write_trace(file(rank), trace);
      held.push_back(streamed(check_traces(prefix_)).max_tasks);
    }
    EXPECT_EQ(held[0], held[1]);
    EXPECT_LT(held[1], waits ? 20U : 2'000U);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, TraceTasksTest,
                         testing::Values("configs/mesh_2x2.yaml", "configs/fred_small.yaml"),
                         [](const auto& machine) {
                           const std::string path = machine.param;
                           return path.find("mesh") != std::string::npos ? "mesh" : "fred";
                         });

}  // namespace
}  // namespace fredsim::test
