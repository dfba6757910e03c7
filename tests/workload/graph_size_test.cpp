// SPDX-License-Identifier: Apache-2.0
// Predicted size of a task graph against its size once built, and its bytes against the heap's.
#include "workload/graph_size.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <vector>

#include "config/config.h"
#include "support/sanitized.h"
#include "workload/model_file.h"
#include "workload/training_graph.h"

namespace fredsim::test {
namespace {

std::uint64_t heap_in_use() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

GraphSize size_of(const TaskGraph& graph) {
  GraphSize size{.operations = graph.operations.size()};
  for (const GraphOperation& operation : graph.operations)
    size.parts += graph.shapes[operation.shape].work.size();
  for (const TaskRank& rank : graph.ranks) {
    size.tasks += rank.tasks.size();
    for (const Task& task : rank.tasks) size.dependencies += task.after.size();
  }
  return size;
}

void expect_near(std::uint64_t predicted, std::uint64_t found, double part, const char* what) {
  EXPECT_NEAR(static_cast<double>(predicted), static_cast<double>(found),
              part * static_cast<double>(found) + 2)
      << what;
}

// `build` makes the graph whose size is predicted.
template <typename Build>
void expect_size(const GraphSize& predicted, const Build& build) {
  const std::uint64_t before = heap_in_use();
  const TaskGraph graph = build();
  const std::uint64_t bytes = heap_in_use() - before;
  const GraphSize found = size_of(graph);
  expect_near(predicted.tasks, found.tasks, 0.02, "tasks");
  expect_near(predicted.operations, found.operations, 0.02, "operations");
  expect_near(predicted.parts, found.parts, 0.02, "parts");
  EXPECT_LE(found.dependencies, 2 * predicted.dependencies + 100);
  EXPECT_LE(predicted.dependencies, 2 * found.dependencies + 100);
  if (kIsSanitized) return;
  constexpr std::uint64_t kNoise = 100'000;
  EXPECT_GE(2 * graph_bytes(predicted), bytes) << found.tasks << " tasks";
  EXPECT_LE(graph_bytes(predicted), 2 * bytes + kNoise) << found.tasks << " tasks";
}

constexpr ComputeSpeed kGraphSpeed{{.memory_bandwidth = 3'000'000'000'000}, 1e16};

TEST(GraphSizeTest, OfTraining) {
  const std::vector<TrainingOptions> cases{
      {.strategy = {.mp = 1, .dp = 20, .pp = 1}, .minibatch = 320, .bucket_bytes = 65'536},
      {.strategy = {.mp = 3, .dp = 3, .pp = 2}, .minibatch = 48, .microbatches = 8},
      {.strategy = {.mp = 2, .dp = 4, .pp = 2}, .minibatch = 6, .microbatches = 3},
      {.strategy = {.mp = 2, .dp = 5, .pp = 2},
       .minibatch = 80,
       .microbatches = 4,
       .iterations = 3,
       .gradients = find_schedule("layer"),
       .optimizer = Optimizer::kAdam},
      {.strategy = {.mp = 1, .dp = 4, .pp = 1},
       .minibatch = 64,
       .gradients = find_schedule("zero2"),
       .bucket_bytes = 65'536},
      {.strategy = {.mp = 1, .dp = 4, .pp = 1},
       .minibatch = 3,
       .iterations = 4,
       .accounting = Accounting::kOverlap,
       .gradients = find_schedule("zero2"),
       .bucket_bytes = 65'536,
       .optimizer = Optimizer::kSgd},
      {.strategy = {.mp = 1, .dp = 4, .pp = 1},
       .minibatch = 64,
       .accounting = Accounting::kOverlap,
       .gradients = find_schedule("dear"),
       .bucket_bytes = 65'536,
       .optimizer = Optimizer::kSgd},
      {.strategy = {.mp = 2, .dp = 4, .pp = 2},
       .minibatch = 64,
       .accounting = Accounting::kOverlap,
       .gradients = find_schedule("priority"),
       .optimizer = Optimizer::kAdam},
      {.strategy = {.mp = 2, .dp = 5, .pp = 2},
       .minibatch = 80,
       .microbatches = 2,
       .execution = Execution::kStreaming},
      {.strategy = {.mp = 2, .dp = 5, .pp = 2},
       .minibatch = 3,
       .accounting = Accounting::kOverlap,
       .execution = Execution::kStreaming},
      {.strategy = {.mp = 2, .dp = 5, .pp = 2},
       .minibatch = 80,
       .execution = Execution::kStreaming,
       .stream = Stream::kMulticast}};
  for (const char* machine : {"configs/fred_d.yaml", "configs/mesh.yaml"}) {
    const Topology topology = load_config(machine).topology;
    for (const char* name : {"resnet152", "transformer_17b"}) {
      const ModelShape model = built_in_model(name);
      for (std::size_t c = 0; c < cases.size(); ++c) {
        const bool is_pure_dp = cases[c].strategy.mp == 1 && cases[c].strategy.pp == 1;
        if (is_pure_dp != (model.name == "resnet152")) continue;  // resnet152 alone is not split
        SCOPED_TRACE(testing::Message() << machine << ", " << name << ", case " << c);
        expect_size(training_graph_size(model, cases[c], topology),
                    [&] { return training_graph(model, cases[c], kGraphSpeed, topology); });
      }
    }
  }
}

TEST(GraphSizeTest, OfInference) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  const ModelShape model = built_in_model("gpt3");
  const ComputeSpeed speed{
      {.memory_bandwidth = 3'000'000'000'000, .memory_bytes = 1'000'000'000'000'000}, 1e16};
  for (const InferencePhase phase : {InferencePhase::kPrefill, InferencePhase::kDecode}) {
    for (const Strategy& strategy :
         {Strategy{.mp = 4, .dp = 1, .pp = 5}, Strategy{.mp = 1, .dp = 2, .pp = 3},
          Strategy{.mp = 2, .dp = 4, .pp = 1}}) {
      InferenceOptions options{.phase = phase, .strategy = strategy, .steps = 4};
      options.microbatches = 2;
      options.batch = 2 * static_cast<std::uint64_t>(strategy.dp);
      SCOPED_TRACE(to_string(strategy));
      expect_size(inference_graph_size(*model.transformer, options), [&] {
        return inference_graph(model.name, *model.transformer, options, speed, topology);
      });
    }
  }
}

TEST(GraphSizeTest, OfTrainedExperts) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  const ModelShape model = read_model_file("configs/models/mixtral_8x7b.yaml");
  for (const Schedule* const gradients : {find_schedule("bucket"), find_schedule("layer")}) {
    for (const Strategy strategy : {Strategy{4, 4, 1}, Strategy{2, 4, 2}, Strategy{1, 8, 1}}) {
      TrainingOptions options{.strategy = strategy, .iterations = 1, .gradients = gradients};
      options.microbatches = strategy.pp > 1 ? 2 : 1;
      options.minibatch = 2 * static_cast<std::uint64_t>(strategy.dp);
      options.bucket_bytes = 1'000'000'000;
      options.optimizer = Optimizer::kAdam;
      options.experts = {.ep = 8, .router = parse_router("zipf:1", 1)};
      SCOPED_TRACE(to_string(strategy));
      expect_size(training_graph_size(model, options, topology),
                  [&] { return training_graph(model, options, kGraphSpeed, topology); });
    }
  }
}

TEST(GraphSizeTest, OfExperts) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  const ModelShape model = read_model_file("configs/models/mixtral_8x7b.yaml");
  ComputeSpeed speed = kGraphSpeed;
  speed.npu.memory_bytes = 1'000'000'000'000;
  for (const bool sp : {false, true}) {
    for (const Strategy strategy : {Strategy{4, 4, 1}, Strategy{2, 4, 2}}) {
      InferenceOptions options{.strategy = strategy, .context = 64};
      options.batch = 8 * static_cast<std::uint64_t>(strategy.dp);
      options.split.sp = sp;
      options.experts = {.ep = 8, .router = parse_router("zipf:1", 1)};
      SCOPED_TRACE(to_string(strategy));
      expect_size(inference_graph_size(*model.transformer, options), [&] {
        return inference_graph(model.name, *model.transformer, options, speed, topology);
      });
    }
  }
}

}  // namespace
}  // namespace fredsim::test
