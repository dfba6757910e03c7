// SPDX-License-Identifier: Apache-2.0
// Inference: bytes and times of a tiny transformer against counts by hand, refused input, equal
// cycles in every implementation.
#include "workload/inference_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/config.h"
#include "small_transformer.h"
#include "support/comparable_results.h"
#include "support/simulation.h"
#include "support/traces.h"
#include "workload/model_file.h"
#include "workload/training_run.h"

namespace fredsim::test {
namespace {

constexpr TransformerShape kTiny = kSmallTransformer;
constexpr ComputeSpeed kUnits = kPicosecondSpeed;

double larger(double flops, double values) { return std::max(flops, 2 * values); }

TEST(InferenceTime, OfDecodeIsWhatMemoryGives) {
  // 3 sequences, a token each, after 10 earlier ones: weights, activations in and out, and 11
  // tokens' keys and values of 2 heads.
  const InferenceWork work{3, 1, 10};
  const double qkv = larger(2 * 3 * 64 * 128, 64 * 128 + 3 * (64 + 128));
  const double attention = larger(4 * 3 * 11 * 64, 3 * 11 * 2 * 32 + 3 * 2 * 64);
  const double out = larger(2 * 3 * 64 * 64, 64 * 64 + 3 * (64 + 64));
  EXPECT_NEAR(attention_ps(kUnits, kTiny, work, 1), qkv + attention + out, 1e-6);
  const double mlp = larger(2 * 3 * 2 * 64 * 96, 2 * 64 * 96 + 3 * (64 + 96)) +
                     larger(2 * 3 * 64 * 96, 64 * 96 + 3 * (96 + 64));
  EXPECT_NEAR(mlp_ps(kUnits, kTiny, work, 1), mlp, 1e-6);
  EXPECT_NEAR(head_ps(kUnits, kTiny, work, 1), larger(2 * 3 * 64e3, 64e3 + 3 * (64 + 1000)), 1e-6);
}

TEST(InferenceTime, OfPrefillHasEveryPairOfTokensOnce) {
  const InferenceWork work{2, 50, 0};
  const double tokens = 100;
  const double qkv = larger(2 * tokens * 64 * 128, 64 * 128 + tokens * (64 + 128));
  const double attention = larger(4 * 2 * (50 * 51 / 2) * 64, tokens * 2 * 32 + tokens * 2 * 64);
  const double out = larger(2 * tokens * 64 * 64, 64 * 64 + tokens * (64 + 64));
  EXPECT_NEAR(attention_ps(kUnits, kTiny, work, 1), qkv + attention + out, 1e-3);
}

TEST(InferenceTime, WorkersHaveWholeHeads) {
  // The largest share of 3 workers: 2 query heads, 1 of keys and values, 32 of the MLP.
  const InferenceWork work{1, 1, 10};
  const double qkv = larger(2 * 64 * 64, 64 * 64 + 64 + 64);
  const double attention = larger(4 * 11 * 32, 11 * 2 * 16 + 2 * 32);
  const double out = larger(2 * 64 * 32, 64 * 32 + 32 + 64);
  EXPECT_NEAR(attention_ps(kUnits, kTiny, work, 3), qkv + attention + out, 1e-6);
  EXPECT_EQ(layer_weight_bytes(kTiny, 3), 2U * (64 * 64 + 64 * 32 + 3 * 64 * 32));
  EXPECT_EQ(kv_bytes(kTiny, 3), 2U * 2 * 16);
  EXPECT_EQ(vocabulary_bytes(kTiny, 3), 2U * 334 * 64);
}

TEST(TransformerModels, GiveTheLayersOfTheBuiltInOnes) {
  const ModelShape file = read_model_file("configs/models/gpt3.yaml");
  const ModelShape built_in = built_in_model("gpt3");
  ASSERT_EQ(file.layers.size(), built_in.layers.size());
  for (std::size_t l = 0; l < file.layers.size(); ++l) {
    EXPECT_EQ(file.layers[l].flops, built_in.layers[l].flops);
    EXPECT_EQ(file.layers[l].output_bytes, built_in.layers[l].output_bytes);
    EXPECT_NEAR(static_cast<double>(file.layers[l].parameters),
                static_cast<double>(built_in.layers[l].parameters), 1e5);  // norms, biases
  }
  const ModelShape llama = read_model_file("configs/models/llama3_70b.yaml");
  const double words = 2.0 * 128256 * 8192;
  EXPECT_NEAR(static_cast<double>(llama.parameters()) + words, 70.6e9, 0.1e9);
  EXPECT_EQ(kv_bytes(*llama.transformer, 1) * 80, 327'680U);  // per token
}

class InferenceGraphTest : public testing::Test {
 protected:
  TaskGraph graph(const InferenceOptions& options) const {
    const TaskGraph graph = inference_graph("tiny", kTiny, options, kUnits, topology_);
    graph.check();
    return graph;
  }
  // Operations of each collective, and bytes of one part of each.
  static std::map<std::pair<Collective, std::uint64_t>, int> counted(const TaskGraph& graph) {
    std::map<std::pair<Collective, std::uint64_t>, int> counts;
    for (const GraphOperation& operation : graph.operations) {
      const CollectiveSpec& spec = graph.shapes[operation.shape].work.front();
      ++counts[{spec.collective, spec.bytes}];
    }
    return counts;
  }
  Topology topology_ = load_config("configs/fred_small.yaml").topology;
};

TEST_F(InferenceGraphTest, SendsTwoReductionsPerLayerAndWhatStagesPassOn) {
  using Counts = std::map<std::pair<Collective, std::uint64_t>, int>;
  // 6 sequences in 2 microbatches, 3 steps: 4 layers x 2 x 2 x 3 reductions of 3 x 64 x 2 bytes;
  // activations as large; tokens back after all steps but the last.
  InferenceOptions options{.strategy = {2, 1, 2}, .batch = 6, .context = 10, .microbatches = 2};
  options.steps = 3;
  EXPECT_EQ(counted(graph(options)), (Counts{{{Collective::kAllReduce, 384}, 48},
                                             {{Collective::kMulticast, 384}, 6},
                                             {{Collective::kMulticast, 12}, 4}}));
  options.phase = InferencePhase::kPrefill;
  options.steps = 1;
  EXPECT_EQ(counted(graph(options)),
            (Counts{{{Collective::kAllReduce, 3840}, 16}, {{Collective::kMulticast, 3840}, 2}}));
  EXPECT_TRUE(graph({.strategy = {1, 4, 1}, .batch = 4}).operations.empty());
}

TEST_F(InferenceGraphTest, RefusesWhatHasNoRoom) {
  const auto refusal = [this](const InferenceOptions& options, ComputeSpeed speed = kUnits) {
    return refusal_of([&] { inference_graph("tiny", kTiny, options, speed, topology_); });
  };
  const auto expect = [](const std::string& message, const std::string& want) {
    EXPECT_NE(message.find(want), std::string::npos) << message;
  };
  expect(refusal({.strategy = {1, 5, 1}, .batch = 5}), "5 workers; allowed: 4");
  expect(refusal({.strategy = {1, 2, 1}, .batch = 3}),
         "--batch: found 3 sequences; allowed: a multiple of 2");
  ComputeSpeed small = kUnits;
  // 4 layers of 2 x (128 + 64 + 3 x 96) x 64 bytes, embedding and head of 128000 each; 10 + 1
  // tokens of 128 bytes per layer.
  const std::uint64_t weights = 4 * 2 * 480 * 64 + 2 * 128'000;
  small.npu.memory_bytes = weights + 3 * 11 * 4 * 128;
  EXPECT_EQ(refusal({.strategy = {}, .batch = 3, .context = 10}, small), "");
  --small.npu.memory_bytes;
  expect(refusal({.strategy = {}, .batch = 3, .context = 10}, small),
         "--batch, --context: found 3 sequences");
  expect(refusal({.strategy = {}, .batch = 3, .context = 10}, small), "npu.memory of fred_small");
}

// Weights of a stage's layers on one worker, embedding and head at the ends; keys and values of all
// tokens of its sequences.
TEST_F(InferenceGraphTest, TakesWhatFitsTheMemoryOfAnNpuExactly) {
  struct Need {
    InferenceOptions options;
    std::uint64_t bytes;
  };
  constexpr auto kPrefill = InferencePhase::kPrefill;
  // Per layer 2 x (64 x 128 + 64 x 64 + 3 x 64 x 96) bytes, a token 2 x 32 x 2; over 2 workers half
  // of both.
  constexpr std::uint64_t kLayer = 61'440, kEnd = 128'000, kToken = 128;
  const std::vector<Need> needs{
      {{.phase = kPrefill, .strategy = {}, .batch = 3, .context = 10},
       4 * kLayer + 2 * kEnd + 3 * 10 * 4 * kToken},
      {{.strategy = {}, .batch = 3, .context = 10, .steps = 5},
       4 * kLayer + 2 * kEnd + 3 * 15 * 4 * kToken},
      {{.strategy = {2, 1, 1}, .batch = 3, .context = 10},
       (4 * kLayer + 2 * kEnd + 3 * 11 * 4 * kToken) / 2},
      {{.strategy = {1, 2, 1}, .batch = 6, .context = 10},
       4 * kLayer + 2 * kEnd + 3 * 11 * 4 * kToken},
      {{.strategy = {1, 1, 2}, .batch = 6, .context = 10, .microbatches = 2},
       2 * kLayer + kEnd + 6 * 11 * 2 * kToken},
      {{.strategy = {1, 1, 3}, .batch = 3, .context = 10, .microbatches = 3},
       2 * kLayer + kEnd + 3 * 11 * 2 * kToken}};
  for (const Need& need : needs) {
    ComputeSpeed speed = kUnits;
    speed.npu.memory_bytes = need.bytes;
    const auto refusal = [&] {
      return refusal_of([&] { inference_graph("tiny", kTiny, need.options, speed, topology_); });
    };
    EXPECT_EQ(refusal(), "") << need.bytes;
    --speed.npu.memory_bytes;
    EXPECT_NE(refusal().find("KV cache"), std::string::npos) << need.bytes;
  }
}

using InferenceCase = std::tuple<const char*, Strategy, InferencePhase>;
class InferenceRunTest : public testing::TestWithParam<InferenceCase> {};

TEST_P(InferenceRunTest, IsTheSameInEveryImplementation) {
  const auto& [config, strategy, phase] = GetParam();
  const Topology topology = load_config(config).topology;
  InferenceOptions options{.phase = phase, .strategy = strategy, .context = 100};
  options.microbatches = static_cast<std::uint64_t>(strategy.pp);
  options.batch = 8;
  options.steps = 3;
  const TaskGraph graph = inference_graph("tiny", kTiny, options, kUnits, topology);
  const TrainingResult result = expect_same_in_every_implementation(topology, graph);
  double sum = 0;
  for (const auto& [category, ns] : result.breakdown_ns) sum += ns;
  EXPECT_NEAR(sum, result.iteration_ns, 1e-6 * sum);
}

INSTANTIATE_TEST_SUITE_P(
    Runs, InferenceRunTest,
    testing::Combine(testing::Values("configs/mesh_2x2.yaml", "configs/fred_small.yaml"),
                     testing::Values(Strategy{4, 1, 1}, Strategy{2, 1, 2}, Strategy{1, 2, 2},
                                     Strategy{2, 2, 1}),
                     testing::Values(InferencePhase::kPrefill, InferencePhase::kDecode)));

TEST(TokenTimes, LeaveOutWhatFillsThePipeline) {
  InferenceOptions options{.strategy = {}, .batch = 8, .context = 100};
  const TokenTimes decode = token_times({500, 200, 300}, options);
  EXPECT_EQ(decode.pass_ns, 250);
  EXPECT_NEAR(decode.tokens_per_s, 8 / 250e-9, 1);
  EXPECT_EQ(token_times({500}, options).pass_ns, 500);
  options.phase = InferencePhase::kPrefill;
  const TokenTimes prefill = token_times({500, 200, 300}, options);
  EXPECT_EQ(prefill.pass_ns, 500);
  EXPECT_NEAR(prefill.tokens_per_s, 800 / 500e-9, 1);
}

}  // namespace
}  // namespace fredsim::test
