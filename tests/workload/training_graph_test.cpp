// SPDX-License-Identifier: Apache-2.0
// Content of a training run: operations by kind, their groups and sizes, computations.
#include "workload/training_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "base/error.h"
#include "config/config.h"
#include "workload/graph_run.h"
#include "workload/model_file.h"

namespace fredsim::test {
namespace {

class TrainingGraphTest : public testing::Test {
 protected:
  TaskGraph graph(const TrainingOptions& options,
                  const std::string& name = "transformer_17b") const {
    return training_graph(built_in_model(name), options,
                          {{.memory_bandwidth = 3'000'000'000'000}, 1e16}, topology_);
  }
  Topology topology_ = load_config("configs/fred_d.yaml").topology;
};

struct Sums {
  std::map<std::string, int> operations;       // by label, without the layer's name and number
  std::map<std::string, std::uint64_t> bytes;  // bytes of a part, summed
};

std::string kind_of(const std::string& label) {
  for (const char* kind : {"forward reduction", "backward reduction"})
    if (label.ends_with(kind)) return kind;
  return label;
}

Sums sums_of(const TaskGraph& graph) {
  graph.check();
  Sums sums;
  for (const GraphOperation& operation : graph.operations) {
    const std::string kind = kind_of(graph.labels[operation.label]);
    ++sums.operations[kind];
    sums.bytes[kind] += graph.shapes[operation.shape].work.front().bytes;
  }
  return sums;
}

// For every task, whether `of` waits for it, directly or through other tasks.
std::vector<bool> waited_for(const std::vector<Task>& tasks, int of) {
  std::vector<bool> waited(static_cast<std::size_t>(of) + 1);
  waited[of] = true;
  for (int t = of; t > 0; --t)
    if (waited[t])
      for (const int before : tasks[t].after) waited[before] = true;
  return waited;
}

TEST_F(TrainingGraphTest, DataParallelIsBucketsOfAllGradients) {
  const TaskGraph graph =
      this->graph({.strategy = {.mp = 1, .dp = 20, .pp = 1}, .minibatch = 320}, "resnet152");
  const Sums sums = sums_of(graph);
  EXPECT_EQ(sums.operations.at("gradients"), 2 * 5);
  EXPECT_EQ(sums.bytes.at("gradients"), 2 * 2 * 60'192'808U);
  EXPECT_EQ(sums.operations.at("input"), 1);  // input of the first one is there
  EXPECT_EQ(sums.operations.size(), 2U);
  int before = -1;  // previous bucket
  const std::vector<Task>& tasks = graph.ranks[7].tasks;
  for (int t = 0; t < std::ssize(tasks); ++t) {
    if (tasks[t].category != TimeCategory::kDp) continue;
    if (before >= 0) {
      EXPECT_EQ(std::ranges::count(tasks[t].after, before), 1);
    }
    before = t;
  }
}

TEST_F(TrainingGraphTest, MegatronReducesTwicePerLayerAndPass) {
  const TrainingOptions options{
      .strategy = {.mp = 3, .dp = 3, .pp = 2}, .minibatch = 48, .microbatches = 8, .iterations = 1};
  const TaskGraph graph = this->graph(options);
  const Sums sums = sums_of(graph);
  // An operation of a stage has the groups of all replicas.
  EXPECT_EQ(sums.operations.at("forward reduction"), 78 * 2 * 8);
  EXPECT_EQ(sums.operations.at("backward reduction"), 78 * 2 * 8);
  EXPECT_EQ(sums.bytes.at("forward reduction"), 78ULL * 2 * 8 * 2 * 1024 * 4256 * 2);
  EXPECT_EQ(sums.operations.at("activations to the next stage"), 8);
  EXPECT_EQ(sums.operations.at("gradients to the stage before"), 8);
  EXPECT_EQ(graph.ranks.size(), 18U);  // nothing is loaded
  std::uint64_t cycles = 0;
  for (const Task& task : graph.ranks[0].tasks) cycles += task.cycles;
  // A worker of three has up to 10 of the 28 heads, and a third of the MLP.
  const std::vector<ModelLayer>& layers = built_in_model("transformer_17b").layers;
  const double flops = 3 * (layers[0].flops * 10 / 28 + layers[1].flops / 3) * 39 * 48 / 3;
  EXPECT_NEAR(static_cast<double>(cycles), flops / 1e16 * 1.5e9,
              0.001 * static_cast<double>(cycles));
}

TEST_F(TrainingGraphTest, ZeRO2ScattersAndGathersWhatBucketsReduce) {
  const TrainingOptions options{.strategy = {.mp = 1, .dp = 20, .pp = 1},
                                .minibatch = 320,
                                .iterations = 1,
                                .gradients = find_schedule("zero2")};
  const Sums sums = sums_of(graph(options, "resnet152"));
  EXPECT_EQ(sums.operations.at("gradients' reduce-scatter"), 5);
  EXPECT_EQ(sums.bytes.at("gradients' reduce-scatter"), 2 * 60'192'808U);
  EXPECT_EQ(sums.bytes.at("parameters' all-gather"), 2 * 60'192'808U);
}

// Bytes that workers load and store, and who waits for whom.
TEST_F(TrainingGraphTest, OptimizersLoadAndStoreWhatAWorkerUpdates) {
  constexpr std::uint64_t kParameters = 60'192'808;
  TrainingOptions options{
      .strategy = {.mp = 1, .dp = 20, .pp = 1}, .minibatch = 320, .optimizer = Optimizer::kAdam};
  const auto accesses = [&] {
    const TaskGraph graph = this->graph(options, "resnet152");
    graph.check();
    std::vector<Task> found;
    for (const Task& task : graph.ranks[7].tasks) {
      if (task.category != TimeCategory::kMemory) continue;
      EXPECT_EQ(task.cycles, (task.bytes + 1999) / 2000);  // 3 TB/s at 1.5 GHz
      found.push_back(task);
    }
    return found;
  };
  const auto expect = [&](std::uint64_t load, std::uint64_t store) {
    const std::vector<Task> found = accesses();
    ASSERT_EQ(found.size(), 4U);  // accesses of two iterations
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].stores, i % 2 == 1);
      EXPECT_EQ(found[i].iteration, static_cast<int>(i / 2));
      EXPECT_EQ(found[i].bytes, i % 2 == 1 ? store : load);
    }
  };
  expect(14 * kParameters, 14 * kParameters);
  options.optimizer = Optimizer::kSgd;
  expect(6 * kParameters, 6 * kParameters);
  options.gradients = find_schedule("zero2");
  const std::uint64_t share = (kParameters + 19) / 20;
  expect(6 * share, 6 * share);
  options.optimizer = Optimizer::kNone;
  EXPECT_TRUE(accesses().empty());
  options.strategy = {.mp = 2, .dp = 5, .pp = 1};
  options.gradients = find_schedule("layer");
  options.optimizer = Optimizer::kAdam;
  expect(14 * kParameters / 2, 14 * kParameters / 2);
}

// Optimizers run between the reductions of the gradients and their successors: the all-gather of
// ZeRO-2, the next iteration.
TEST_F(TrainingGraphTest, OptimizersWaitForGradientsAndAreWaitedFor) {
  for (const Schedule* const gradients :
       {find_schedule("bucket"), find_schedule("layer"), find_schedule("zero2")}) {
    for (const Accounting accounting : {Accounting::kSerial, Accounting::kOverlap}) {
      const TaskGraph graph = this->graph({.strategy = {.mp = 1, .dp = 20, .pp = 1},
                                           .minibatch = 320,
                                           .iterations = 1,
                                           .accounting = accounting,
                                           .gradients = gradients,
                                           .optimizer = Optimizer::kAdam},
                                          "resnet152");
      const std::vector<Task>& tasks = graph.ranks[3].tasks;
      const auto load = std::ranges::find(tasks, TimeCategory::kMemory, &Task::category);
      ASSERT_NE(load, tasks.end());
      const auto store = static_cast<int>(load - tasks.begin()) + 1;
      const std::vector<bool> waited = waited_for(tasks, store - 1);
      for (auto t = 0; t < store - 1; ++t)
        EXPECT_TRUE(waited[t] || tasks[t].category != TimeCategory::kDp) << t;
      for (auto t = static_cast<std::size_t>(store) + 1; t < tasks.size(); ++t) {
        EXPECT_EQ(kind_of(graph.labels[tasks[t].label]), "parameters' all-gather");
        EXPECT_EQ(std::ranges::count(tasks[t].after, store), 1);
      }
      EXPECT_EQ(std::ssize(tasks) > store + 1, gradients == find_schedule("zero2"));
    }
  }
}

// Some workers here have no samples, and so no computations that would end a wait.
TEST_F(TrainingGraphTest, TasksWaitForFewOthersHoweverManyBucketsAndIterations) {
  const auto max = [this](const TrainingOptions& options, const std::string& name) {
    const TaskGraph graph = this->graph(options, name);
    std::size_t found = 0;
    for (const TaskRank& rank : graph.ranks)
      for (const Task& task : rank.tasks) found = std::max(found, task.after.size());
    return found;
  };
  // One load per controller, plus single flits for sizes that are not divisible by the slices.
  const std::size_t loads = topology_.io_controllers.size() + 4;
  for (const Schedule* const gradients : {find_schedule("bucket"), find_schedule("zero2")}) {
    for (const Accounting accounting : {Accounting::kSerial, Accounting::kOverlap}) {
      EXPECT_LE(max({.strategy = {.mp = 1, .dp = 4, .pp = 1},
                     .minibatch = 3,
                     .iterations = 5,
                     .accounting = accounting,
                     .gradients = gradients,
                     .bucket_bytes = 1'000'000},
                    "resnet152"),
                loads + 3);
    }
  }
  EXPECT_LE(max({.strategy = {.mp = 2, .dp = 4, .pp = 2},
                 .minibatch = 3,
                 .execution = Execution::kStreaming,
                 .stream_layers = 1},
                "transformer_17b"),
            loads + 3);
}

// Iterations after the first have to wait for all gradients of the one before, too.
TEST_F(TrainingGraphTest, AnIterationWaitsForAllThatWasSent) {
  for (const Schedule* const gradients : {find_schedule("bucket"), find_schedule("zero2")}) {
    for (const Accounting accounting : {Accounting::kSerial, Accounting::kOverlap}) {
      const TaskGraph graph = this->graph({.strategy = {.mp = 2, .dp = 5, .pp = 2},
                                           .minibatch = 40,
                                           .microbatches = 2,
                                           .accounting = accounting,
                                           .gradients = gradients});
      for (const TaskRank& rank : graph.ranks) {
        const std::vector<Task>& tasks = rank.tasks;
        const auto next = std::ranges::find_if(
            tasks, [](const Task& task) { return task.computes() && task.iteration == 1; });
        if (next == tasks.end()) continue;  // a controller's
        const auto at = static_cast<int>(next - tasks.begin());
        const std::vector<bool> waited = waited_for(tasks, at);
        int sent = 0;
        for (auto t = 0; t < at; ++t) {
          if (tasks[t].category != TimeCategory::kDp) continue;
          EXPECT_TRUE(waited[t]) << t;
          ++sent;
        }
        EXPECT_GT(sent, 100);
      }
    }
  }
}

TEST_F(TrainingGraphTest, ByLayerEachHasItsOwn) {
  for (const Accounting accounting : {Accounting::kSerial, Accounting::kOverlap}) {
    const TrainingOptions options{.strategy = {.mp = 1, .dp = 20, .pp = 1},
                                  .minibatch = 320,
                                  .iterations = 1,
                                  .accounting = accounting,
                                  .gradients = find_schedule("layer")};
    const Sums sums = sums_of(graph(options, "resnet152"));
    EXPECT_EQ(sums.operations.at("gradients"), 156);
    EXPECT_EQ(sums.bytes.at("gradients"), 2 * 60'192'808U);
  }
}

TEST_F(TrainingGraphTest, OperationsOfEqualShapeShareIt) {
  const TaskGraph graph =
      this->graph({.strategy = {.mp = 2, .dp = 5, .pp = 2}, .minibatch = 80, .microbatches = 8});
  // MP and DP (buckets and rest) of two stages, transfers in two directions, input.
  EXPECT_EQ(graph.shapes.size(), 2U + 4 + 2 + 1);
  for (const OperationShape& shape : graph.shapes) {
    if (shape.work.front().vc != kMp) continue;
    EXPECT_EQ(shape.work.size(), 5U);
    EXPECT_EQ(shape.before.size() + shape.beside.size(), 5U);
  }
}

// Bytes loaded by each worker's tasks of the operation "input".
std::map<int, std::uint64_t> loaded_bytes(const TaskGraph& graph) {
  std::map<int, std::uint64_t> loaded;
  for (const TaskRank& rank : graph.ranks) {
    for (const Task& task : rank.tasks) {
      if (task.category != TimeCategory::kInputLoad || task.rank == 0) continue;
      const CollectiveSpec& spec =
          graph.shapes[graph.operations[task.operation].shape].work[task.part];
      EXPECT_EQ(spec.group[task.rank], rank.member);
      const std::size_t shares = spec.collective == Collective::kScatter ? spec.group.size() : 1;
      EXPECT_EQ(spec.bytes % shares, 0U);
      loaded[rank.member] += spec.bytes / shares;
    }
  }
  return loaded;
}

// Each worker of the first stage loads its replica's samples, to the byte: 512 B a sample, and
// sizes that are no multiple of a flit, or of one in every slice.
TEST_F(TrainingGraphTest, InputIsTheSamplesToTheByte) {
  for (const std::uint64_t sample : {1U, 28U, 512U, 8192U, 12'345U, 301'056U}) {
    for (const std::uint64_t minibatch : {3U, 20U, 23U, 320U}) {
      SCOPED_TRACE(testing::Message() << minibatch << " samples of " << sample << " bytes");
      ModelShape model = built_in_model("resnet152");
      model.sample_bytes = sample;
      const TrainingOptions options{.strategy = {.mp = 2, .dp = 5, .pp = 2},
                                    .minibatch = minibatch};
      const TaskGraph graph = training_graph(
          model, options, {{.memory_bandwidth = 3'000'000'000'000}, 1e16}, topology_);
      graph.check();
      const std::map<int, std::uint64_t> loaded = loaded_bytes(graph);
      std::uint64_t all = 0;
      for (const auto& [member, bytes] : loaded) {
        EXPECT_TRUE(bytes == minibatch / 5 * sample || bytes == (minibatch / 5 + 1) * sample);
        all += bytes;
      }
      EXPECT_EQ(all, 2 * minibatch * sample) << "both of a replica load its samples";
      EXPECT_EQ(loaded.size(), 2 * std::min<std::uint64_t>(5, minibatch));
    }
  }
}

// MP of both stages, and transfers in both directions: all operations share their phases.
TEST_F(TrainingGraphTest, StagesHaveTheSamePhases) {
  const TaskGraph graph =
      this->graph({.strategy = {.mp = 2, .dp = 5, .pp = 2}, .minibatch = 80, .microbatches = 8});
  const ShapePlans plans = plan_shapes(topology_, graph, OnConflict::kRefuse);
  std::vector<const PreparedPlan*> mp;
  for (std::size_t s = 0; s < plans.size(); ++s)
    if (graph.shapes[s].work.front().vc == kMp) mp.push_back(plans[s].get());
  ASSERT_EQ(mp.size(), 2U);
  EXPECT_EQ(mp[0]->rows, mp[1]->rows);
  EXPECT_FALSE(in_conflict(*mp[0], *mp[1]));
}

// Ten samples on three replicas in three microbatches: 2, 1, 1 and twice 1, 1, 1.
TEST_F(TrainingGraphTest, SamplesThatDoNotComeOutEvenAreWhole) {
  const TrainingOptions options{
      .strategy = {.mp = 2, .dp = 3, .pp = 2}, .minibatch = 10, .microbatches = 3, .iterations = 1};
  const TaskGraph graph = this->graph(options);
  graph.check();
  std::map<std::string, std::uint64_t> bytes;  // bytes of all groups
  for (const GraphOperation& operation : graph.operations) {
    for (const CollectiveSpec& spec : graph.shapes[operation.shape].work)
      bytes[kind_of(graph.labels[operation.label])] += spec.bytes;
  }
  constexpr std::uint64_t kActivations = 2ULL * 1024 * 4256;  // bytes of a sample
  EXPECT_EQ(bytes.at("forward reduction"), 78 * 2 * 10 * kActivations);
  EXPECT_EQ(bytes.at("activations to the next stage"), 10 * kActivations);
  std::vector<std::uint64_t> cycles;
  for (const TaskRank& rank : graph.ranks) {
    cycles.push_back(0);
    for (const Task& task : rank.tasks) cycles.back() += task.cycles;
  }
  for (const int stage : {0, 6}) {
    EXPECT_NEAR(static_cast<double>(cycles[stage]), static_cast<double>(cycles[stage + 2]) * 4 / 3,
                1e-3 * static_cast<double>(cycles[stage]));
    EXPECT_EQ(cycles[stage + 2], cycles[stage + 4]);
  }
}

TEST_F(TrainingGraphTest, AReplicaWithoutSamplesHasItsPartInGradientsOnly) {
  const TrainingOptions options{
      .strategy = {.mp = 2, .dp = 3, .pp = 2}, .minibatch = 2, .microbatches = 2, .iterations = 1};
  const TaskGraph graph = this->graph(options);
  graph.check();
  for (const int w : {4, 5, 10, 11}) {
    for (const Task& task : graph.ranks[w].tasks) EXPECT_EQ(task.category, TimeCategory::kDp);
    EXPECT_FALSE(graph.ranks[w].tasks.empty());
  }
  EXPECT_EQ(sums_of(graph).operations.at("activations to the next stage"), 1);
}

TEST_F(TrainingGraphTest, WhatThereIsNoRoomForIsRefused) {
  EXPECT_THROW(graph({.strategy = {.mp = 1, .dp = 1, .pp = 1},
                      .minibatch = 1,
                      .optimizer = Optimizer::kSgd,
                      .execution = Execution::kStreaming}),
               BadInput);
  EXPECT_THROW(graph({.strategy = {.mp = 3, .dp = 7, .pp = 1}, .minibatch = 7}), BadInput);
  EXPECT_THROW(graph({.strategy = {.mp = 1, .dp = 3, .pp = 2}}), BadInput);
  const ModelShape small = read_model_file("configs/models/small.yaml");
  EXPECT_THROW(training_graph(small, {.strategy = {.mp = 1, .dp = 1, .pp = 5}, .minibatch = 5},
                              {{}, 1e16}, topology_),
               BadInput);
}

}  // namespace
}  // namespace fredsim::test
