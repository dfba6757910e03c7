// SPDX-License-Identifier: Apache-2.0
// Training on machines with one failed I/O controller, any of them: the remaining ones do its work.
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
#include "workload/detail/input_loads.h"
#include "workload/graph_size.h"
#include "workload/training_graph.h"
#include "workload/training_run.h"
#include "workload/transformer_shape.h"

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

  const Topology healthy_ = load_config(config()).topology;
  const ModelShape model_ = model_of("small", kShape);
};

// Bytes of weights that each controller sends as a root.
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

// Bytes of input that each worker gets.
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
      const TaskGraph graph = training_graph(model_, options_of(one), kFast, topology);
      EXPECT_NO_THROW(graph.check());
      const auto workers = static_cast<std::size_t>(one.strategy.workers());
      const bool streams = one.execution == Execution::kStreaming;
      ASSERT_LE(graph.ranks.size(), workers + 17);
      if (streams) {
        ASSERT_EQ(graph.ranks.size(), workers + 17);
      }
      std::set<int> members;
      for (std::size_t r = workers; r < graph.ranks.size(); ++r) {
        members.insert(graph.ranks[r].member);
        if (streams) {
          EXPECT_FALSE(graph.ranks[r].tasks.empty());
        }
      }
      EXPECT_EQ(members.size(), graph.ranks.size() - workers);
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
      if (!streams) continue;
      const std::map<int, double> streamed = streamed_by_controller(graph);
      EXPECT_EQ(streamed.size(), 17U);
      const auto [min, max] = std::ranges::minmax(streamed | std::views::values);
      EXPECT_LE(max, 1.25 * min);  // whole bursts of a small model
    }
  }
}

double time_of(const Topology& topology, const ModelShape& model, const TrainingOptions& options) {
  const TaskGraph graph = training_graph(model, options, kFast, topology);
  const ShapePlans plans = plan_shapes(topology, graph, OnConflict::kRefuse);
  Simulation simulation;
  Machine machine("machine", topology, {});
  TrainingResult result;
  simulation.run([&] { result = run_training(machine, graph, plans); });
  EXPECT_EQ(result.run.payload, "exact");
  return result.run.time_ns;
}

// One of the streams, and weights that stay.
TEST_P(FailedControllers, MachinesTrainWithoutOne) {
  constexpr unsigned kSeed = 20'263;
  std::mt19937_64 random(kSeed + std::string(GetParam()).back());
  const std::size_t stream = random() % (kCases.size() - 1);
  for (const Case& one : {kCases[stream], kCases.back()}) {
    const int failed = std::uniform_int_distribution(0, 17)(random);
    SCOPED_TRACE(fmt::format("{} without io{}, seed {}", one.name, failed, kSeed));
    EXPECT_GT(time_of(without(failed), model_, options_of(one)), 0);
  }
}

// Seventeen of 18 controllers take 18/17 of the time, if nothing else limits.
TEST(FailedController, TakesLittleLongerWhereControllersLimit) {
  constexpr TransformerShape kLarger{.layers = 2,
                                     .hidden = 576,
                                     .heads = 12,
                                     .kv_heads = 12,
                                     .head_size = 48,
                                     .mlp = 2304,
                                     .vocabulary = 100,
                                     .sequence = 16};
  const Topology whole = load_config("configs/fred_d.yaml").topology;
  Topology without = whole;
  lose_parts(without, {parse_fault("io:7", "--fault")});
  for (const Stream stream : {Stream::kBroadcast, Stream::kMulticast}) {
    const TrainingOptions options{.strategy = kPipeline,
                                  .minibatch = 5,
                                  .iterations = 1,
                                  .execution = Execution::kStreaming,
                                  .stream = stream};
    const ModelShape model = model_of("larger", kLarger);
    const double before = time_of(whole, model, options), after = time_of(without, model, options);
    EXPECT_GE(after, before);
    EXPECT_LE(after, 1.05 * 18 / 17 * before) << static_cast<int>(stream);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, FailedControllers,
                         testing::Values("mesh", "torus", "fred_a", "fred_b", "fred_c", "fred_d"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace fredsim::test
