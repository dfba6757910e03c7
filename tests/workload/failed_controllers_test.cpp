// SPDX-License-Identifier: Apache-2.0
// Training on machines of which one I/O controller has failed, whichever: the others do its work.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <ranges>
#include <set>
#include <string>
#include <vector>

#include "base/member.h"
#include "config/config.h"
#include "support/simulation.h"
#include "topology/faults.h"
#include "workload/graph_size.h"
#include "workload/input_loads.h"
#include "workload/training_run.h"

namespace fredsim::test {
namespace {

constexpr TransformerShape kShape{.layers = 2,
                                  .hidden = 256,
                                  .heads = 12,
                                  .kv_heads = 12,
                                  .head_size = 64,
                                  .mlp = 1024,
                                  .vocabulary = 100,
                                  .sequence = 64};
constexpr ComputeSpeed kFast{.npu = {.memory_bandwidth = 1'000'000'000'000'000}, .rate = 1e21};

struct Case {
  const char* name;
  Execution execution;
  Stream stream;
  Strategy strategy;
};
constexpr Strategy kPipeline{.mp = 2, .dp = 5, .pp = 2}, kReplicas{.mp = 3, .dp = 6, .pp = 1};
constexpr auto kCases = std::to_array<Case>(
    {{"broadcast", Execution::kStreaming, Stream::kBroadcast, kPipeline},
     {"multicast to 4 shards", Execution::kStreaming, Stream::kMulticast, kPipeline},
     {"multicast to 3 shards", Execution::kStreaming, Stream::kMulticast, kReplicas},
     {"stationary", Execution::kStationary, Stream::kBroadcast, kPipeline}});

class FailedControllers : public testing::TestWithParam<const char*> {
 protected:
  static std::string config() { return fmt::format("configs/{}.yaml", GetParam()); }

  Topology without(int controller) const {
    Topology topology = healthy_;
    lose_parts(topology, {parse_fault(fmt::format("io:{}", controller), "--fault")});
    return topology;
  }

  static TrainingOptions options_of(const Case& one) {
    return {.strategy = one.strategy,
            .minibatch = 2 * static_cast<std::uint64_t>(one.strategy.dp),
            .microbatches = 2,
            .iterations = one.execution == Execution::kStreaming ? 1 : 3,
            .execution = one.execution,
            .stream = one.stream};
  }

  TaskGraph graph_on(const Topology& topology, const Case& one) const {
    return training_graph(model_, options_of(one), kFast, topology);
  }

  const Topology healthy_ = load_config(config()).topology;
  const ModelShape model_ = model_of("small", kShape);
};

// Bytes that each controller sends as a root, of weights, and what a worker gets in its load of input.
std::map<int, double> streamed_by_controller(const TaskGraph& graph) {
  std::map<int, double> bytes;
  for (const GraphOperation& operation : graph.operations)
    for (const CollectiveSpec& spec : graph.shapes[operation.shape].work)
      for (int root = 0; root < spec.roots; ++root)
        if (spec.collective == Collective::kMulticast)
          bytes[spec.group[root]] +=
              static_cast<double>(operation.times) * static_cast<double>(spec.bytes) / spec.roots;
  return bytes;
}

std::map<int, std::uint64_t> loaded_by_worker(const std::vector<InputLoad>& loads) {
  std::map<int, std::uint64_t> bytes;
  for (const InputLoad& load : loads)
    for (const int worker : load.workers) bytes[worker] += load.bytes;
  return bytes;
}

TEST_P(FailedControllers, EachOfThemLeavesItsWorkToAllOthers) {
  const auto controllers = static_cast<int>(healthy_.io_controllers.size());
  ASSERT_EQ(controllers, 18);
  for (const Case& one : kCases) {
    for (int failed = 0; failed < controllers; ++failed) {
      SCOPED_TRACE(fmt::format("{} without io{}", one.name, failed));
      const Topology topology = without(failed);
      const TaskGraph graph = graph_on(topology, one);
      EXPECT_NO_THROW(graph.check());
      const auto workers = static_cast<std::size_t>(one.strategy.workers());
      ASSERT_EQ(graph.ranks.size(), workers + 17);
      std::set<int> members;
      for (std::size_t r = workers; r < graph.ranks.size(); ++r) {
        members.insert(graph.ranks[r].member);
        EXPECT_FALSE(graph.ranks[r].tasks.empty());
      }
      EXPECT_EQ(members.size(), 17U);
      EXPECT_FALSE(members.contains(io_member(failed)));
      for (const OperationShape& shape : graph.shapes)
        for (const auto* specs : {&shape.before, &shape.work, &shape.beside})
          for (const CollectiveSpec& spec : *specs)
            ASSERT_EQ(std::ranges::count(spec.group, io_member(failed)), 0);
      const TrainingOptions options = options_of(one);
      const std::vector<InputLoad> loads = input_loads(model_, options, topology);
      EXPECT_EQ(loaded_by_worker(loads), loaded_by_worker(input_loads(model_, options, healthy_)));
      EXPECT_EQ(std::ranges::count(loads, failed, &InputLoad::controller), 0);
      std::size_t tasks = 0;
      for (const TaskRank& rank : graph.ranks) tasks += rank.tasks.size();
      EXPECT_EQ(training_graph_size(model_, options, topology).tasks, tasks);
      if (one.execution == Execution::kStationary) continue;
      const std::map<int, double> streamed = streamed_by_controller(graph);
      EXPECT_EQ(streamed.size(), 17U);
      const auto [min, max] = std::ranges::minmax(streamed | std::views::values);
      EXPECT_LE(max, 1.25 * min);  // whole bursts of a small model
    }
  }
}

// Where controllers are all that limits, of 18 the 17 that are left take 18/17 of the time.
TEST_P(FailedControllers, TheOthersTakeLittleLonger) {
  constexpr unsigned kSeed = 20'263;
  std::mt19937_64 random(kSeed);
  const std::string name = GetParam();
  const bool is_limited_by_io = name == "fred_c" || name == "fred_d";
  for (const Case& one : kCases) {
    const int failed = std::uniform_int_distribution(0, 17)(random);
    SCOPED_TRACE(fmt::format("{} without io{}, seed {}", one.name, failed, kSeed));
    const Topology topology = without(failed);
    Simulation simulation;
    Machine whole("whole", healthy_, {}), machine("machine", topology, {});
    simulation.run([&] {
      std::vector<double> times;
      for (Machine* const run_on : {&whole, &machine}) {
        const Topology& on = run_on == &whole ? healthy_ : topology;
        const TaskGraph graph = graph_on(on, one);
        const TrainingResult result =
            run_training(*run_on, graph, plan_shapes(on, graph, OnConflict::kRefuse));
        EXPECT_EQ(result.run.payload, "exact");
        times.push_back(result.run.time_ns);
      }
      fmt::print("{} {} io{}: {:.4f}\n", name, one.name, failed, times[1] / times[0]);
      if (is_limited_by_io) {
        EXPECT_LE(times[1], 1.05 * 18 / 17 * times[0]);
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, FailedControllers,
                         testing::Values("mesh", "torus", "fred_a", "fred_b", "fred_c", "fred_d"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace fredsim::test
