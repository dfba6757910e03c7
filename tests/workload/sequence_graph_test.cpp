// SPDX-License-Identifier: Apache-2.0
// Graphs with split sequences: bytes against all-reduces, dependencies around a ring, predicted
// sizes, and equal results in every implementation and from exported traces.
#include "workload/detail/sequence_graph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/config.h"
#include "support/comparable_results.h"
#include "support/simulation.h"
#include "support/temporary_folder.h"
#include "support/traces.h"
#include "workload/graph_size.h"
#include "workload/trace_export.h"
#include "workload/trace_graph.h"
#include "workload/training_graph.h"
#include "workload/training_run.h"
#include "workload/transformer_shape.h"
#include "workload/worker_traffic.h"

namespace fredsim::test {
namespace {

constexpr TransformerShape kSplit{.layers = 2,
                                  .hidden = 64,
                                  .heads = 4,
                                  .kv_heads = 2,
                                  .head_size = 24,
                                  .mlp = 96,
                                  .mlp_matrices = 3,
                                  .vocabulary = 1000,
                                  .sequence = 64};
constexpr ComputeSpeed kSplitSpeed{.npu = {.peak_gflops = 10'000,
                                           .memory_bandwidth = 1'000'000'000'000,
                                           .memory_bytes = 80'000'000'000}};

TaskGraph training(const TrainingOptions& options, const SequenceSplit& split,
                   const Topology& topology) {
  const ModelShape model = part_of_model(model_of("split", kSplit), options.strategy, split);
  TaskGraph graph = training_graph(model, options, kSplitSpeed, topology);
  graph.check();
  return graph;
}

TaskGraph inference(const InferenceOptions& options, const Topology& topology) {
  TaskGraph graph = inference_graph("split", kSplit, options, kSplitSpeed, topology);
  graph.check();
  return graph;
}

// Each on a machine of its own.
std::vector<RunResult> runs_of(const std::vector<TaskGraph>& graphs, const Topology& topology) {
  Simulation simulation;
  std::vector<std::unique_ptr<Machine>> machines;
  for (std::size_t i = 0; i < graphs.size(); ++i)
    machines.push_back(
        std::make_unique<Machine>(fmt::format("machine{}", i).c_str(), topology, FabricOptions{}));
  std::vector<RunResult> runs;
  simulation.run([&] {
    for (std::size_t i = 0; i < graphs.size(); ++i)
      runs.push_back(run_training(*machines[i], graphs[i],
                                  plan_shapes(topology, graphs[i], OnConflict::kRefuse))
                         .run);
  });
  return runs;
}

// ---- bytes

// Parts of operations by label, and bytes of a part.
std::map<std::pair<std::string, std::uint64_t>, std::size_t> parts_of(const TaskGraph& graph) {
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> parts;
  for (const GraphOperation& operation : graph.operations)
    for (const CollectiveSpec& spec : graph.shapes[operation.shape].work)
      ++parts[{to_string(spec.collective), spec.bytes}];
  return parts;
}

using Parts = std::map<std::pair<std::string, std::uint64_t>, std::size_t>;

TEST(SequenceGraphBytes, AllGathersAndReduceScattersHaveThoseOfAllReduces) {
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  InferenceOptions options{.phase = InferencePhase::kPrefill, .strategy = {.mp = 4}};
  options.batch = 2;
  options.context = 64;
  options.algorithm = "ring";
  constexpr std::uint64_t kOutput = 2 * 64 * 64 * 2, kLast = 2 * 64 * 2;
  const TaskGraph whole = inference(options, topology);
  EXPECT_EQ(parts_of(whole), (Parts{{{"all_reduce", kOutput}, 4}}));
  options.split.sp = true;
  const TaskGraph split = inference(options, topology);
  EXPECT_EQ(parts_of(split), (Parts{{{"all_gather", kOutput}, 4},
                                    {{"reduce_scatter", kOutput}, 4},
                                    {{"all_gather", kLast}, 1}}));
  // The links of a ring carry as much, and each NPU sends as much, beside the last tokens.
  const std::vector<RunResult> runs = runs_of({whole, split}, topology);
  const RunResult &a = runs[0], &b = runs[1];
  EXPECT_EQ(a.injected_bytes, 4 * 2 * 3 * kOutput);
  EXPECT_EQ(b.injected_bytes, a.injected_bytes + 3 * kLast);
  EXPECT_EQ(a.injected_bytes_per_npu_max, a.injected_bytes / 4);
  EXPECT_EQ(b.injected_bytes_per_npu_max, b.injected_bytes / 4);
}

TEST(SequenceGraphBytes, OfTrainingAreThoseOfItsShares) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  TrainingOptions options{.strategy = {.mp = 2, .dp = 4, .pp = 2}, .minibatch = 6};
  options.microbatches = 1;
  options.iterations = 1;
  // Three samples per replica of two workers each; a stage has a layer of two halves. An output, of
  // a worker's 32 tokens.
  constexpr std::uint64_t kOutput = 3 * 32 * 64 * 2, kBlock = 3 * 32 * 2 * 24 * 2;
  constexpr std::uint64_t kWeights = 2 * (64 * 24 * (8 + 4) + 3 * 64 * 96) / 2;
  const Parts parts = parts_of(training(options, {.cp = 2, .sp = true}, topology));
  constexpr std::size_t kGroups = 2 * 4;  // two stages
  EXPECT_EQ(parts, (Parts{{{"all_gather", kOutput}, 2 * 3 * kGroups},
                          {{"reduce_scatter", kOutput}, 2 * 2 * kGroups},
                          {{"all_reduce", kWeights}, 4},  // all 4 workers along DP
                          {{"unicast", kBlock}, (1 + 1 + 2) * 2 * kGroups},
                          {{"unicast", kOutput / 2}, 2 * 2 * 4}}));
  // Full recomputation passes keys and values around once more.
  options.recompute = Recompute::kFull;
  EXPECT_EQ(parts_of(training(options, {.cp = 2, .sp = true}, topology)).at({"unicast", kBlock}),
            (1 + 1 + 1 + 2) * 2 * kGroups);
}

// ---- order

class RingOrder : public testing::Test {
 protected:
  static constexpr int kContext = 4;
  const Topology topology_ = load_config("configs/mesh_2x2.yaml").topology;
  const TaskGraph graph_ =
      training({.strategy = {.mp = 1, .dp = kContext, .pp = 1}, .minibatch = 2, .iterations = 1},
               {.cp = kContext}, topology_);
  const std::vector<Task>& tasks_ = graph_.ranks[1].tasks;

  // Tasks of a label that begin with this, of the first layer, in order.
  std::vector<int> tasks(const std::string& label) const {
    std::vector<int> found;
    for (int t = 0; t < std::ssize(tasks_); ++t)
      if (graph_.labels[tasks_[t].label] == label) found.push_back(t);
    return found;
  }
  bool waits(int task, int before) const {
    return std::ranges::count(tasks_[task].after, before) > 0;
  }
};

TEST_F(RingOrder, ABlockComesWhileTheOneBeforeIsComputed) {
  const std::vector<int> passed = tasks("attention 0 forward keys and values");
  const std::vector<int> computed = tasks("attention 0 forward");
  ASSERT_EQ(passed.size(), 2U * (kContext - 1));  // a block is sent, another received
  ASSERT_EQ(computed.size(), kContext + 2U);      // projections before and behind
  for (int step = 0; step + 1 < kContext; ++step)
    for (const int task : {passed[2 * step], passed[2 * step + 1]}) {
      EXPECT_TRUE(waits(task, computed[step]));       // the step before
      EXPECT_FALSE(waits(task, computed[step + 1]));  // beside it
      EXPECT_TRUE(waits(computed[step + 2], task));   // the next step
      EXPECT_EQ(tasks_[task].category, TimeCategory::kCp);
    }
  // Rank 1 gets from rank 0, and sends to rank 2.
  std::set<std::vector<int>> groups;
  for (const int task : passed) {
    const OperationShape& shape = graph_.shapes[graph_.operations[tasks_[task].operation].shape];
    const CollectiveSpec& spec = shape.work[tasks_[task].part];
    groups.insert({spec.group[0], spec.group[1], tasks_[task].rank});
    EXPECT_EQ(spec.vc, kMp);
  }
  const auto npu = [&](int w) { return graph_.ranks[w].member; };
  EXPECT_EQ(groups, (std::set<std::vector<int>>{{npu(0), npu(1), 1}, {npu(1), npu(2), 0}}));
}

TEST_F(RingOrder, GradientsFollowTheirBlockHome) {
  const std::vector<int> computed = tasks("attention 0 backward");
  const std::vector<int> blocks = tasks("attention 0 backward keys and values");
  const std::vector<int> gradients = tasks("attention 0 backward gradients of keys and values");
  ASSERT_EQ(computed.size(), kContext + 2U);
  ASSERT_EQ(blocks.size(), 2U * (kContext - 1));
  ASSERT_EQ(gradients.size(), 2U * kContext);
  for (int step = 0; step < kContext; ++step)
    for (const int task : {gradients[2 * step], gradients[2 * step + 1]}) {
      EXPECT_TRUE(waits(task, computed[step + 1]));
      if (step > 0) {
        EXPECT_TRUE(waits(task, gradients[2 * step - 1]));
      }
      EXPECT_EQ(waits(computed.back(), task), step + 1 == kContext);
    }
}

// Placements are weighed with all operations of the ring: forward, backward, gradients, of 2
// layers.
TEST_F(RingOrder, IsTrafficOfPlacements) {
  std::vector<int> npus;
  for (const TaskRank& rank : graph_.ranks) npus.push_back(rank.member);
  double times = 0;
  for (const WorkerTraffic& traffic : worker_traffic(graph_, npus))
    if (traffic.work.front().collective == Collective::kUnicast) {
      EXPECT_EQ(std::ssize(traffic.work), kContext);
      times += traffic.times;
    }
  EXPECT_EQ(times, 2 * (3 + 3 + 4));
}

TEST(SequenceGraphOrder, GradientsOfWeightsWaitForTheInputOnceMore) {
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  for (const Recompute recompute : {Recompute::kNone, Recompute::kFull}) {
    const TaskGraph graph = training({.strategy = {.mp = 2, .dp = 1, .pp = 1},
                                      .minibatch = 2,
                                      .iterations = 1,
                                      .recompute = recompute},
                                     {.sp = true}, topology);
    const std::vector<Task>& tasks = graph.ranks[0].tasks;
    std::vector<int> computed, inputs;
    for (int t = 0; t < std::ssize(tasks); ++t) {
      if (graph.labels[tasks[t].label] == "mlp 1 backward") computed.push_back(t);
      if (graph.labels[tasks[t].label] == "mlp 1 backward input gather") inputs.push_back(t);
    }
    ASSERT_EQ(inputs.size(), 1U);
    const bool repeats = recompute == Recompute::kFull;
    ASSERT_EQ(computed.size(), repeats ? 3U : 2U);
    const auto waits = [&](int task) { return std::ranges::count(tasks[task].after, inputs[0]); };
    EXPECT_EQ(waits(computed[0]), repeats ? 1 : 0);
    EXPECT_EQ(waits(computed[1]), repeats ? 0 : 1);
    EXPECT_EQ(waits(computed.back()), repeats ? 0 : 1);
  }
}

// ---- sizes

void expect_predicted(const GraphSize& predicted, const TaskGraph& graph) {
  std::size_t tasks = 0, parts = 0;
  for (const TaskRank& rank : graph.ranks) tasks += rank.tasks.size();
  for (const GraphOperation& operation : graph.operations)
    parts += graph.shapes[operation.shape].work.size();
  EXPECT_EQ(predicted.tasks, tasks);
  EXPECT_EQ(predicted.operations, graph.operations.size());
  EXPECT_EQ(predicted.parts, parts);
}

TEST(SequenceGraphSize, IsToldExactly) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  for (const auto& [mp, pp, split] :
       {std::tuple(1, 2, SequenceSplit{.cp = 4}), std::tuple(2, 2, SequenceSplit{.sp = true}),
        std::tuple(2, 1, SequenceSplit{.cp = 2, .sp = true}),
        std::tuple(2, 2, SequenceSplit{.cp = 2})}) {
    const Strategy strategy{.mp = mp, .dp = 4, .pp = pp};
    SCOPED_TRACE(to_string(strategy, split));
    const ModelShape model = part_of_model(model_of("split", kSplit), strategy, split);
    for (const Recompute recompute : {Recompute::kNone, Recompute::kFull}) {
      TrainingOptions options{.strategy = strategy, .minibatch = 3, .microbatches = 2};
      options.recompute = recompute;
      expect_predicted(training_graph_size(model, options, topology),
                       training(options, split, topology));
    }
    for (const InferencePhase phase : {InferencePhase::kPrefill, InferencePhase::kDecode}) {
      if (phase == InferencePhase::kDecode && split.cp > 1) continue;
      InferenceOptions options{.phase = phase, .strategy = strategy, .split = split};
      options.microbatches = 2;
      options.batch = 16;
      options.context = 64;
      options.steps = 2;
      expect_predicted(inference_graph_size(kSplit, options), inference(options, topology));
    }
  }
}

// ---- runs

using SplitCase = std::tuple<const char*, Strategy, SequenceSplit>;
class SequenceRuns : public testing::TestWithParam<SplitCase> {
 protected:
  std::vector<TaskGraph> graphs() const {
    const auto& [config, strategy, split] = GetParam();
    TrainingOptions options{.strategy = strategy};
    options.microbatches = static_cast<std::uint64_t>(strategy.pp);
    options.minibatch = 2 * options.microbatches * static_cast<std::uint64_t>(strategy.dp);
    options.accounting = Accounting::kOverlap;
    std::vector<TaskGraph> all{training(options, split, topology_)};
    InferenceOptions prefill{
        .phase = InferencePhase::kPrefill, .strategy = strategy, .split = split};
    prefill.context = 64;
    prefill.microbatches = options.microbatches;
    prefill.batch = options.minibatch;
    all.push_back(inference(prefill, topology_));
    if (split.cp > 1) return all;
    prefill.phase = InferencePhase::kDecode;
    prefill.steps = 3;
    prefill.batch *= static_cast<std::uint64_t>(strategy.mp);
    all.push_back(inference(prefill, topology_));
    return all;
  }
  const Topology topology_ = load_config(std::get<0>(GetParam())).topology;
};

TEST_P(SequenceRuns, AreTheSameInEveryImplementation) {
  Simulation simulation;
  Machine tlm("tlm", topology_, {});
  Machine whole("whole", topology_, {.skip = false});
  Machine rtl("rtl", topology_, {.model = SwitchModel::kRtl});
  for (const TaskGraph& graph : graphs()) {
    const ShapePlans plans = plan_shapes(topology_, graph, OnConflict::kRefuse);
    simulation.run([&] {
      const TrainingResult result = run_training(tlm, graph, plans);
      EXPECT_EQ(result.run.payload, "exact");
      double sum = 0;
      std::set<std::string> names;
      for (const auto& [category, ns] : result.breakdown_ns) {
        sum += ns;
        names.insert(category);
      }
      EXPECT_NEAR(sum, result.iteration_ns, 1e-6 * sum);
      EXPECT_EQ(names.contains("cp"), std::get<2>(GetParam()).cp > 1);
      for (Machine* const other : {&whole, &rtl}) {
        const TrainingResult same = run_training(*other, graph, plans);
        EXPECT_EQ(comparable_results(result.run), comparable_results(same.run));
      }
    });
  }
}

TEST_P(SequenceRuns, TakeTheSameCyclesFromTheirTraces) {
  std::vector<TaskGraph> all;
  for (TaskGraph& graph : graphs()) {
    const TemporaryFolder folder;
    const TraceTexts texts = trace_texts(graph, topology_);
    for (std::size_t r = 0; r < texts.ranks.size(); ++r)
      write_file(fmt::format("{}.{}.et", folder.file("t"), r), texts.ranks[r]);
    write_file(folder.file("g.json"), texts.groups);
    const TraceFiles files = check_traces(folder.file("t"));
    const CommGroups groups =
        read_comm_groups(folder.file("g.json"), static_cast<int>(files.paths.size()));
    all.push_back(std::move(graph));
    all.push_back(trace_graph(files, groups, {}, topology_));
  }
  const std::vector<RunResult> runs = runs_of(all, topology_);
  for (std::size_t i = 0; i < runs.size(); i += 2)
    EXPECT_EQ(comparable_results(runs[i]), comparable_results(runs[i + 1]));
}

INSTANTIATE_TEST_SUITE_P(Machines, SequenceRuns,
                         testing::Combine(testing::Values("configs/mesh_2x2.yaml",
                                                          "configs/fred_small.yaml"),
                                          testing::Values(Strategy{2, 2, 1}, Strategy{2, 1, 2}),
                                          testing::Values(SequenceSplit{.sp = true})));
INSTANTIATE_TEST_SUITE_P(
    Contexts, SequenceRuns,
    testing::Combine(testing::Values("configs/mesh_2x2.yaml", "configs/fred_small.yaml"),
                     testing::Values(Strategy{2, 2, 1}, Strategy{1, 2, 2}, Strategy{1, 4, 1}),
                     testing::Values(SequenceSplit{.cp = 2})));
INSTANTIATE_TEST_SUITE_P(Both, SequenceRuns,
                         testing::Combine(testing::Values("configs/mesh_2x2.yaml",
                                                          "configs/fred_small.yaml"),
                                          testing::Values(Strategy{2, 2, 1}),
                                          testing::Values(SequenceSplit{.cp = 2, .sp = true})));

}  // namespace
}  // namespace fredsim::test
