// SPDX-License-Identifier: Apache-2.0
// Schedules of gradients in graphs of random models: each gradient is reduced once, in buffers of
// the sizes that a formula gives; dependencies on buffers; reductions within nodes; compressed
// volumes.
#include "workload/gradient_schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "support/temporary_folder.h"
#include "support/traces.h"
#include "workload/training_graph.h"

namespace fredsim::test {
namespace {

// [begin, end) of a stage's gradients, in the order of the backward pass, and the layers that have
// some there.
struct Interval {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t bytes() const { return end - begin; }
  bool overlaps(const Interval& other) const { return begin < other.end && other.begin < end; }
};

struct RandomRun {
  ModelShape model{.name = "random", .sample_bytes = 1024, .layers = {}};
  TrainingOptions options;
};

RandomRun random_run(std::uint64_t seed) {
  Random random(seed);
  RandomRun run;
  const auto layers = 2 + random.below(9);
  for (std::uint64_t l = 0; l < layers; ++l) {
    const bool has_parameters = random.below(4) > 0;
    run.model.layers.push_back({.name = fmt::format("layer{}", l),
                                .parameters = has_parameters ? 1 + random.below(40'000) : 0,
                                .flops = 1e6 * static_cast<double>(1 + random.below(100)),
                                .output_bytes = 2048,
                                .reduces = random.below(3) == 0});
  }
  TrainingOptions& options = run.options;
  options.strategy = {.mp = static_cast<int>(1 + random.below(2)),
                      .dp = static_cast<int>(1 + random.below(4)),
                      .pp = static_cast<int>(1 + random.below(2))};
  options.microbatches = 1 + random.below(3);
  options.minibatch = static_cast<std::uint64_t>(options.strategy.dp) * options.microbatches;
  options.iterations = 3;
  options.gradients = schedules()[random.below(schedules().size())];
  options.accounting = options.gradients->feeds_layers() || random.below(2) == 0
                           ? Accounting::kOverlap
                           : Accounting::kSerial;
  options.bucket_bytes = 3000 + random.below(60'000);
  options.optimizer = random.below(2) == 0 ? Optimizer::kNone : Optimizer::kSgd;
  if (random.below(2) == 0) options.compression.dp = 1 + static_cast<double>(random.below(400)) / 4;
  return run;
}

// For every task, whether `of` depends on it, directly, through other tasks, or by the order of
// computations; itself included.
std::vector<bool> waits_for(const std::vector<Task>& tasks, int of) {
  std::vector<bool> waits(tasks.size());
  waits[of] = true;
  bool in_order = false;
  for (int t = of; t >= 0; --t) {
    if (in_order && tasks[t].computes()) waits[t] = true;
    if (!waits[t]) continue;
    in_order = in_order || tasks[t].computes();
    for (const int before : tasks[t].after) waits[before] = true;
  }
  return waits;
}

class CheckedGraph {
 public:
  CheckedGraph(const RandomRun& run, const Topology& topology)
      : run_(run),
        graph_(training_graph(run.model, run.options, {{.memory_bandwidth = 1'000'000'000}, 1e12},
                              topology)) {
    graph_.check();
  }

  void check() {
    for (const TaskRank& rank : graph_.ranks) check_rank(rank.tasks);
  }

 private:
  struct Sent {
    int task = 0;
    Collective collective{};
    std::uint64_t bytes = 0;
    Interval what{};
  };

  std::string label(const Task& task) const { return graph_.labels[task.label]; }
  const CollectiveSpec& spec(const Task& task) const {
    return graph_.shapes[graph_.operations[task.operation].shape].work[task.part];
  }

  // Layers that the rank computes, and where their gradients are.
  std::map<int, Interval> layers_of(const std::vector<Task>& tasks) const {
    std::map<int, Interval> layers;
    std::uint64_t end = 0;
    const auto mp = static_cast<std::uint64_t>(run_.options.strategy.mp);
    for (int l = static_cast<int>(run_.model.layers.size()) - 1; l >= 0; --l) {
      const std::string name = run_.model.layers[l].name + " forward";
      if (std::ranges::none_of(tasks, [&](const Task& t) { return label(t) == name; })) continue;
      const std::uint64_t own = (2 * run_.model.layers[l].parameters + mp - 1) / mp;
      layers[l] = {end, end + own};
      end += own;
    }
    return layers;
  }

  std::vector<Interval> wanted(const std::map<int, Interval>& layers) const {
    std::vector<Interval> found;
    if (run_.options.gradients == find_schedule("layer")) {
      for (auto at = layers.rbegin(); at != layers.rend(); ++at)
        if (at->second.bytes() > 0) found.push_back(at->second);
      return found;
    }
    const std::uint64_t all = layers.empty() ? 0 : layers.begin()->second.end;
    for (std::uint64_t begin = 0; begin < all; begin += run_.options.bucket_bytes)
      found.push_back({begin, std::min(all, begin + run_.options.bucket_bytes)});
    return found;
  }

  int last_task(const std::vector<Task>& tasks, int iteration, const std::string& name) const {
    for (int t = static_cast<int>(tasks.size()) - 1; t >= 0; --t)
      if (tasks[t].iteration == iteration && label(tasks[t]) == name) return t;
    return -1;
  }
  int first_task(const std::vector<Task>& tasks, int iteration, const std::string& name) const {
    const auto at = std::ranges::find_if(
        tasks, [&](const Task& t) { return t.iteration == iteration && label(t) == name; });
    return at == tasks.end() ? -1 : static_cast<int>(at - tasks.begin());
  }

  void check_rank(const std::vector<Task>& tasks) {
    const std::map<int, Interval> layers = layers_of(tasks);
    const std::vector<Interval> buffers = wanted(layers);
    const bool is_two = run_.options.gradients == find_schedule("zero2") ||
                        run_.options.gradients == find_schedule("dear");
    for (int iteration = 0; iteration < run_.options.iterations; ++iteration) {
      std::vector<Sent> reduced, gathered;
      for (int t = 0; t < std::ssize(tasks); ++t) {
        if (tasks[t].category != TimeCategory::kDp || tasks[t].iteration != iteration) continue;
        const CollectiveSpec& what = spec(tasks[t]);
        EXPECT_EQ(std::ssize(what.group), run_.options.strategy.dp);
        (what.collective == Collective::kAllGather ? gathered : reduced)
            .push_back({t, what.collective, what.bytes});
      }
      if (run_.options.strategy.dp == 1) {
        EXPECT_TRUE(reduced.empty() && gathered.empty());
        continue;
      }
      if (run_.options.gradients == find_schedule("dear")) std::ranges::reverse(gathered);
      check_buffers(buffers, reduced, is_two ? Collective::kReduceScatter : Collective::kAllReduce);
      check_buffers(is_two ? buffers : std::vector<Interval>{}, gathered, Collective::kAllGather);
      if (testing::Test::HasFailure()) return;
      for (const Sent& one : reduced) check_has_its_gradients(tasks, layers, one, iteration);
      for (std::size_t b = 0; b < gathered.size(); ++b)
        EXPECT_TRUE(waits_for(tasks, gathered[b].task)[reduced[b].task]);
      check_next_forward(tasks, layers, is_two ? gathered : reduced, iteration);
    }
  }

  void check_buffers(const std::vector<Interval>& buffers, std::vector<Sent>& sent,
                     Collective collective) const {
    ASSERT_EQ(sent.size(), buffers.size());
    for (std::size_t b = 0; b < sent.size(); ++b) {
      EXPECT_EQ(sent[b].collective, collective);
      const double ratio = run_.options.compression.dp;
      EXPECT_EQ(sent[b].bytes, std::ceil(static_cast<double>(buffers[b].bytes()) / ratio));
      sent[b].what = buffers[b];
    }
  }

  void check_has_its_gradients(const std::vector<Task>& tasks,
                               const std::map<int, Interval>& layers, const Sent& sent,
                               int iteration) const {
    const std::vector<bool> waits = waits_for(tasks, sent.task);
    for (const auto& [l, gradients] : layers) {
      if (!gradients.overlaps(sent.what)) continue;
      const int pass = last_task(tasks, iteration, run_.model.layers[l].name + " backward");
      ASSERT_GE(pass, 0);
      EXPECT_TRUE(waits[pass]) << "layer " << l;
    }
  }

  // A layer waits for its own buffers, and, where layers are fed, otherwise only for buffers of
  // earlier layers.
  void check_next_forward(const std::vector<Task>& tasks, const std::map<int, Interval>& layers,
                          const std::vector<Sent>& sent, int iteration) {
    if (iteration + 1 == run_.options.iterations) return;
    for (const auto& [l, gradients] : layers) {
      const int pass = first_task(tasks, iteration + 1, run_.model.layers[l].name + " forward");
      ASSERT_GE(pass, 0);
      const std::vector<bool> waits = waits_for(tasks, pass);
      // Gradients of this layer and earlier ones come last.
      const Interval needed{gradients.begin, layers.begin()->second.end};
      for (const Sent& one : sent) {
        const bool has_to = one.what.overlaps(gradients);
        const bool may = !run_.options.gradients->feeds_layers() || one.what.overlaps(needed);
        if (has_to) {
          EXPECT_TRUE(waits[one.task]) << "layer " << l;
        }
        // All-gathers are sequential: it also waits for all before the one that it needs.
        if (!may) {
          EXPECT_FALSE(waits[one.task]) << "layer " << l;
          ++buffers_let_go;
        }
      }
    }
  }

  const RandomRun& run_;
  TaskGraph graph_;

 public:
  int buffers_let_go = 0;  // buffers that a layer does not wait for
};

TEST(GradientScheduleTest, GraphsOfRandomModels) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  int let_go = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const RandomRun run = random_run(seed);
    CheckedGraph graph(run, topology);
    graph.check();
    let_go += graph.buffers_let_go;
    if (HasFailure()) return;
  }
  EXPECT_GT(let_go, 200);
}

// ---- within nodes

constexpr const char* kBoxes = R"(
name: boxes
clock: 1 GHz
fabric:
  type: dimensions
  dimensions:
    - {name: box, block: switch, size: 4, bandwidth: 100 GB/s, latency: 10 ns}
    - {name: rack, block: switch, size: 2, bandwidth: 50 GB/s, latency: 10 ns}
    - {name: pod, block: switch, size: 3, bandwidth: 25 GB/s, latency: 10 ns}
)";

Topology boxes() {
  const TemporaryFolder folder;
  const std::string path = folder.file("boxes.yaml");
  write_file(path, kBoxes);
  return load_config(path).topology;
}

TEST(GradientScheduleTest, NodesAreJoinedByTheLowestDimensionThatReplicasAreIn) {
  const Topology topology = boxes();
  RandomRun run = random_run(1);
  run.options.minibatch = 24;
  run.options.microbatches = 1;
  run.options.iterations = 6;
  run.options.compression = {};
  run.options.every = 3;
  run.options.gradients = find_schedule("bucket");
  struct Case {
    Strategy strategy;
    int node;  // replicas of one
  };
  for (const auto& [strategy, node] :
       {Case{{.mp = 1, .dp = 24, .pp = 1}, 4}, Case{{.mp = 2, .dp = 12, .pp = 1}, 2},
        Case{{.mp = 4, .dp = 6, .pp = 1}, 2}, Case{{.mp = 1, .dp = 6, .pp = 1}, 4}}) {
    SCOPED_TRACE(to_string(strategy));
    run.options.strategy = strategy;
    const TaskGraph graph = training_graph(run.model, run.options, {{}, 1e12}, topology);
    graph.check();
    std::map<int, std::size_t> operations;  // by iteration
    for (const TaskRank& rank : graph.ranks) {
      for (const Task& task : rank.tasks) {
        if (task.category != TimeCategory::kDp) continue;
        const std::vector<int>& group =
            graph.shapes[graph.operations[task.operation].shape].work[task.part].group;
        ++operations[task.iteration];
        if (task.iteration % 3 == 2) {
          EXPECT_EQ(std::ssize(group), strategy.dp);
          continue;
        }
        EXPECT_LE(std::ssize(group), node);
        EXPECT_GT(std::ssize(group), 1);
        const int joined = strategy.mp == 4 ? 8 : 4;
        for (const int npu : group) EXPECT_EQ(npu / joined, group.front() / joined);
      }
    }
    EXPECT_EQ(operations.size(), 6U);
  }
  // One dimension alone has no level above a node.
  run.options.strategy = {.mp = 1, .dp = 4, .pp = 1};
  EXPECT_THROW(training_graph(run.model, run.options, {{}, 1e12}, topology), BadInput);
}

// ---- compression

TEST(GradientScheduleTest, CompressionDividesEachDimension) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  RandomRun run = random_run(2);
  run.options = {.strategy = {.mp = 2, .dp = 3, .pp = 2}, .minibatch = 7, .microbatches = 2};
  for (ModelLayer& layer : run.model.layers) layer.reduces = true;
  const auto bytes_of = [&](const Compression& compression) {
    run.options.compression = compression;
    std::map<TimeCategory, std::vector<std::uint64_t>> bytes;
    const TaskGraph graph = training_graph(run.model, run.options, {{}, 1e12}, topology);
    graph.check();
    for (const TaskRank& rank : graph.ranks)
      for (const Task& task : rank.tasks)
        if (!task.computes())
          bytes[task.category].push_back(
              graph.shapes[graph.operations[task.operation].shape].work[task.part].bytes);
    return bytes;
  };
  const auto plain = bytes_of({});
  const Compression ratios{.mp = 20, .dp = 100, .pp = 2.5};
  const auto compressed = bytes_of(ratios);
  for (const auto& [category, ratio] :
       {std::pair(TimeCategory::kMp, 20.0), std::pair(TimeCategory::kDp, 100.0),
        std::pair(TimeCategory::kPp, 2.5)}) {
    const std::vector<std::uint64_t>& before = plain.at(category);
    const std::vector<std::uint64_t>& after = compressed.at(category);
    ASSERT_EQ(before.size(), after.size());
    ASSERT_FALSE(before.empty());
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_EQ(after[i], std::ceil(static_cast<double>(before[i]) / ratio));
  }
}

}  // namespace
}  // namespace fredsim::test
