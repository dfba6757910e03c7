// SPDX-License-Identifier: Apache-2.0
// Training with experts: bytes of gradients by who has them, the same cycles in every
// implementation, memory, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "config/config.h"
#include "small_transformer.h"
#include "support/traces.h"
#include "workload/detail/expert_time.h"
#include "workload/training_graph.h"
#include "workload/training_memory.h"
#include "workload/training_run.h"
#include "workload/transformer_shape.h"

namespace fredsim::test {
namespace {

// A dense layer and one of 8 experts, of which a token takes two.
ModelShape sparse_model() {
  return model_of("sparse", {.layers = 2,
                             .hidden = 64,
                             .heads = 4,
                             .kv_heads = 4,
                             .head_size = 16,
                             .mlp = 96,
                             .mlp_matrices = 3,
                             .experts = 8,
                             .top_k = 2,
                             .shared_experts = 1,
                             .dense_layers = 1,
                             .expert_mlp = 48,
                             .vocabulary = 1000,
                             .sequence = 32});
}
constexpr ComputeSpeed kTrainSpeed{{.memory_bandwidth = 3'000'000'000'000}, 1e15};

TrainingOptions training_of(const Strategy& strategy, int ep) {
  TrainingOptions options{.strategy = strategy, .iterations = 1};
  options.minibatch = 2 * static_cast<std::uint64_t>(strategy.dp);
  options.experts = {.ep = ep, .router = parse_router("zipf:1", 5)};
  return options;
}

TEST(ExpertTraining, HasAllParametersAndTheFlopsOfATokensExperts) {
  const ModelShape model = sparse_model();
  const std::uint64_t attention = 4 * 64 * 64, dense = 3 * 64 * 96, expert = 3 * 64 * 48;
  EXPECT_EQ(model.parameters(), 2 * attention + dense + 8 * expert + 64 * 8 + expert);
  EXPECT_EQ(model.layers[3].expert_layer, 0);
  EXPECT_EQ(model.layers[1].expert_layer, -1);
  EXPECT_EQ(model.layers[3].flops, 2.0 * 32 * static_cast<double>(3 * expert + 64 * 8));
}

// Bytes of all-reduces by the group that has them.
TEST(ExpertTraining, ReducesGradientsWhereTheyAre) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  const TaskGraph graph =
      training_graph(sparse_model(), training_of({2, 4, 1}, 4), kTrainSpeed, topology);
  graph.check();
  std::map<std::size_t, std::uint64_t> bytes;  // bytes by number of ranks in a group
  for (const GraphOperation& operation : graph.operations) {
    const CollectiveSpec& spec = graph.shapes[operation.shape].work.front();
    if (spec.collective == Collective::kAllReduce && spec.vc == kDp)
      bytes[spec.group.size()] += spec.bytes;
  }
  const std::uint64_t expert = 3 * 64 * 48;
  EXPECT_EQ(bytes[4],
            2U * (2 * 4 * 64 * 64 + 3 * 64 * 96) / 2);  // dense, of half a layer, along DP
  EXPECT_EQ(bytes[8], 2U * (64 * 8 + expert));          // gate and shared, by all
  EXPECT_EQ(bytes[2], 2U * (2 * expert));               // two experts, by both that have them
  EXPECT_EQ(bytes.size(), 3U);
}

TEST(ExpertTraining, DispatchesForwardAndBackward) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  const TaskGraph graph =
      training_graph(sparse_model(), training_of({1, 4, 1}, 4), kTrainSpeed, topology);
  std::map<std::string, int> labels;
  std::uint64_t there = 0, back = 0;
  for (const GraphOperation& operation : graph.operations) {
    const std::string& label = graph.labels[operation.label];
    const CollectiveSpec& spec = graph.shapes[operation.shape].work.front();
    if (spec.collective != Collective::kAllToAllV) continue;
    ++labels[label];
    (label.starts_with("dispatch") ? there : back) +=
        std::accumulate(spec.matrix.begin(), spec.matrix.end(), std::uint64_t{0});
  }
  EXPECT_EQ(labels, (std::map<std::string, int>{{"dispatch 0 forward", 1},
                                                {"combine 0 forward", 1},
                                                {"dispatch 0 backward", 1},
                                                {"combine 0 backward", 1}}));
  EXPECT_EQ(there, back);
  EXPECT_GT(there, 0U);
}

TEST(ExpertTraining, KeepsTheExpertsOfARankInMemory) {
  TrainingOptions options = training_of({2, 4, 1}, 4);
  const std::uint64_t expert = 3 * 64 * 48;
  const std::uint64_t own = (2 * 4 * 64 * 64 + 3 * 64 * 96) / 2 + (64 * 8 + expert) + 2 * expert;
  EXPECT_EQ(training_memory(sparse_model(), options, 0).weights, 2 * own);
  options.experts.slots = 3;
  EXPECT_EQ(training_memory(sparse_model(), options, 0).weights, 2 * (own + expert));
}

TEST(ExpertTraining, RefusesWhatExpertsDoNotHave) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  const auto refusal = [&](const auto& change) {
    TrainingOptions options = training_of({1, 4, 1}, 4);
    change(options);
    return refusal_of([&] { training_graph(sparse_model(), options, kTrainSpeed, topology); });
  };
  EXPECT_EQ(refusal([](TrainingOptions&) {}), "");
  EXPECT_EQ(
      refusal([](TrainingOptions& o) { o.gradients = find_schedule("zero2"); }),
      "--gradients: found another schedule with sparse, which has experts; allowed: bucket or "
      "layer");
  EXPECT_NE(refusal([](TrainingOptions& o) { o.recompute = Recompute::kFull; }).find("--recompute"),
            std::string::npos);
  EXPECT_NE(refusal([](TrainingOptions& o) { o.limits_memory = true; }).find("--memory"),
            std::string::npos);
  EXPECT_NE(
      refusal([](TrainingOptions& o) { o.execution = Execution::kStreaming; }).find("--execution"),
      std::string::npos);
}

using TrainedCase = std::tuple<const char*, Strategy, int>;
class ExpertTrainingRuns : public testing::TestWithParam<TrainedCase> {};

TEST_P(ExpertTrainingRuns, AreTheSameInEveryImplementation) {
  const auto& [config, strategy, ep] = GetParam();
  const Topology topology = load_config(config).topology;
  TrainingOptions options = training_of(strategy, ep);
  options.iterations = 2;
  options.optimizer = Optimizer::kAdam;
  options.microbatches = static_cast<std::uint64_t>(strategy.pp);
  const TaskGraph graph = training_graph(sparse_model(), options, kTrainSpeed, topology);
  expect_same_in_every_implementation(topology, graph);
}

INSTANTIATE_TEST_SUITE_P(
    Runs, ExpertTrainingRuns,
    testing::Combine(testing::Values("configs/mesh_2x2.yaml", "configs/fred_small.yaml"),
                     testing::Values(Strategy{1, 4, 1}, Strategy{2, 2, 1}, Strategy{1, 2, 2}),
                     testing::Values(1, 2)));

}  // namespace
}  // namespace fredsim::test
