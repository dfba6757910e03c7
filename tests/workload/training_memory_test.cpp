// SPDX-License-Identifier: Apache-2.0
// Memory of training: formulas of the literature, additional memory of each option, and the part in
// expanded memory.
#include "workload/training_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "base/error.h"
#include "config/config.h"
#include "workload/sequence_split.h"
#include "workload/training_graph.h"
#include "workload/transformer_shape.h"

namespace fredsim::test {
namespace {

// Per parameter of mixed precision with Adam (Rajbhandari et al., SC 2020, section 3.1): 2 + 2 + 12
// bytes.
TEST(TrainingMemory, AdamTakes16BytesPerParameter) {
  const ModelShape model = built_in_model("transformer_17b");
  const TrainingOptions options{
      .strategy = {.mp = 1, .dp = 4, .pp = 1}, .minibatch = 4, .optimizer = Optimizer::kAdam};
  const TrainingMemory memory = training_memory(model, options, 0);
  EXPECT_EQ(memory.weights + memory.gradients + memory.optimizer, 16 * model.parameters());
}

// Korthikanti et al. (MLSys 2023), equation 2: s b h (10 + 24 / t + 5 a s / (h t)) per layer;
// without scores, the last term; recomputed in full, 2 s b h. To these add the activations that one
// layer recomputes.
TEST(TrainingMemory, ActivationsOfATransformerAreThoseOfTheLiterature) {
  struct Shape {
    const char* name;
    double layers, s, h, a;
  };
  for (const Shape& shape :
       {Shape{"transformer_17b", 78, 1024, 4256, 28}, Shape{"gpt3", 96, 2048, 12288, 96}}) {
    const ModelShape model = built_in_model(shape.name);
    for (const int t : {1, 4}) {
      constexpr double kSamples = 3;
      TrainingOptions options{.strategy = {.mp = t, .dp = 2, .pp = 1}, .minibatch = 6};
      const double whole = shape.s * kSamples * shape.h * 10;
      const double split = shape.s * kSamples * shape.h * 24 / t;
      const double scores = shape.s * kSamples * shape.h * 5 * shape.a * shape.s / (shape.h * t);
      const double input = kSamples * static_cast<double>(model.sample_bytes);
      EXPECT_DOUBLE_EQ(static_cast<double>(training_memory(model, options, 0).activations),
                       shape.layers * (whole + split + scores) + input)
          << shape.name << " mp" << t;
      options.recompute = Recompute::kSelective;
      EXPECT_DOUBLE_EQ(static_cast<double>(training_memory(model, options, 0).activations),
                       shape.layers * (whole + split) + input + scores);
      options.recompute = Recompute::kFull;
      const double kept = 2 * shape.s * kSamples * shape.h;
      EXPECT_DOUBLE_EQ(static_cast<double>(training_memory(model, options, 0).activations),
                       shape.layers * kept + input + (whole + split + scores - kept));
    }
  }
}

TEST(TrainingMemory, AStageHasItsLayersAndAMicrobatchOneLayerInside) {
  const ModelShape model = built_in_model("transformer_17b");
  TrainingOptions options{
      .strategy = {.mp = 1, .dp = 1, .pp = 2}, .minibatch = 8, .microbatches = 4};
  const TrainingMemory first = training_memory(model, options, 0);
  const TrainingMemory second = training_memory(model, options, 1);
  EXPECT_EQ(first.weights + second.weights, 2 * model.parameters());
  options.recompute = Recompute::kFull;
  const std::uint64_t four = training_memory(model, options, 1).activations;
  options.microbatches = 8;
  const std::uint64_t eight = training_memory(model, options, 1).activations;
  // 2 samples inside, then 1: (32 + 5 a s / h) s h bytes.
  EXPECT_EQ(four - eight, 32 * 1024 * 4256 + 5 * 28 * 1024 * 1024);
}

// Random transformers, workers and microbatches: the formulas of Korthikanti et al. for a layer,
// with sequence parallelism all of it shared by the MP workers.
TEST(TrainingMemory, ActivationsOfRandomTransformersAreThoseOfTheFormulas) {
  constexpr unsigned kSeed = 20'264;
  std::mt19937_64 random(kSeed);
  const auto pick = [&](int min, int max) {
    return std::uniform_int_distribution(min, max)(random);
  };
  for (int i = 0; i < 300; ++i) {
    const int t = 1 << pick(0, 3), layers = pick(1, 12), heads = t * pick(1, 4);
    const bool sp = t > 1 && pick(0, 1) == 1;
    const auto head = static_cast<std::uint64_t>(8 * pick(1, 8));
    const auto hidden = head * static_cast<std::uint64_t>(heads);
    const auto tokens = static_cast<std::uint64_t>(8 * pick(1, 64));
    const auto microbatches = static_cast<std::uint64_t>(pick(1, 4));
    const auto of_microbatch = static_cast<std::uint64_t>(pick(1, 3));
    const TransformerShape shape{.layers = layers,
                                 .hidden = hidden,
                                 .heads = static_cast<std::uint64_t>(heads),
                                 .kv_heads = static_cast<std::uint64_t>(heads),
                                 .head_size = head,
                                 .mlp = 4 * hidden,
                                 .vocabulary = 100,
                                 .sequence = tokens};
    TrainingOptions options{.strategy = {.mp = t, .dp = 1, .pp = 1},
                            .minibatch = microbatches * of_microbatch,
                            .microbatches = microbatches};
    const ModelShape model =
        part_of_model(model_of("random", shape), options.strategy, {.cp = 1, .sp = sp});
    const double sbh = static_cast<double>(tokens * hidden);
    const double scores = 5.0 * heads * static_cast<double>(tokens * tokens) / t;
    const double rest = sp ? 34.0 / t * sbh : (10 + 24.0 / t) * sbh;
    const double input = sp ? 2.0 / t * sbh : 2 * sbh;
    const auto samples = static_cast<double>(options.minibatch);
    const auto at_once = static_cast<double>(of_microbatch);
    const double ids = 4 * static_cast<double>(tokens) * samples;
    const auto expect = [&](Recompute recompute, double layer, double inside) {
      options.recompute = recompute;
      EXPECT_NEAR(static_cast<double>(training_memory(model, options, 0).activations),
                  layers * layer * samples + inside * at_once + ids, 2)
          << "seed " << kSeed << ", case " << i << ", recompute " << static_cast<int>(recompute);
    };
    expect(Recompute::kNone, rest + scores, 0);
    expect(Recompute::kSelective, rest, scores);
    expect(Recompute::kFull, input, rest + scores - input);
  }
}

// A layer whose halves are on two stages, or come in two groups, is computed again in two parts,
// each from its input.
TEST(TrainingMemory, ACutLayerKeepsTheInputOfEitherHalf) {
  const ModelShape model = built_in_model("gpt3");
  constexpr std::uint64_t kInput = 2 * 2048 * 12288, kLayers = 96;
  TrainingOptions options{
      .strategy = {.mp = 1, .dp = 1, .pp = 1}, .minibatch = 1, .recompute = Recompute::kFull};
  const auto kept = [&](std::uint64_t inside) {
    std::uint64_t sum = 0;
    for (int stage = 0; stage < options.strategy.pp; ++stage)
      sum += training_memory(model, options, stage).activations - inside;
    return sum - model.sample_bytes;
  };
  constexpr std::uint64_t kScores = 80;  // 5 a s / h
  constexpr std::uint64_t kLayer = (34 + kScores - 2) * kInput / 2;
  EXPECT_EQ(kept(kLayer), kLayers * kInput);
  options.execution = Execution::kStreaming;
  EXPECT_EQ(kept(kLayer), kLayers * kInput);
  options.stream_layers = 1;  // halves: the larger one is attention
  EXPECT_EQ(kept((13 + kScores - 2) * kInput / 2), 2 * kLayers * kInput);
  options.execution = Execution::kStationary;
  options.strategy.pp = 5;
  std::uint64_t cut = 0;
  for (const LayerRange& stage : stages_of(model, 5)) cut += stage.end % 2;
  EXPECT_GT(cut, 0U);
  EXPECT_EQ(kept(kLayer), (kLayers + cut) * kInput);
}

// Layers of a model without internal structure keep their outputs, with any recomputation.
TEST(TrainingMemory, LayersThatKeepTheirOutputsHaveThemOnce) {
  const ModelShape model = built_in_model("resnet152");
  TrainingOptions options{.strategy = {.mp = 1, .dp = 1, .pp = 1}, .minibatch = 3};
  const std::uint64_t none = training_memory(model, options, 0).activations;
  for (const Recompute recompute : {Recompute::kSelective, Recompute::kFull}) {
    options.recompute = recompute;
    EXPECT_EQ(training_memory(model, options, 0).activations, none);
  }
}

TEST(TrainingMemory, Zero2HasAShareAndWhereGradientsAreSentAtOnceABucket) {
  const ModelShape model = built_in_model("resnet152");
  const std::uint64_t own = (model.parameters() + 3) / 4;
  TrainingOptions options{.strategy = {.mp = 1, .dp = 4, .pp = 1},
                          .minibatch = 4,
                          .gradients = find_schedule("zero2"),
                          .bucket_bytes = 1'000'000,
                          .optimizer = Optimizer::kSgd};
  EXPECT_EQ(training_memory(model, options, 0).optimizer, 4 * own);
  EXPECT_EQ(training_memory(model, options, 0).gradients, 2 * model.parameters());
  options.accounting = Accounting::kOverlap;
  EXPECT_EQ(training_memory(model, options, 0).gradients, 2 * own + 1'000'000);
  EXPECT_EQ(training_memory(model, options, 0).weights, 2 * model.parameters());
}

TEST(TrainingMemory, StreamedWeightsAreThereByGroupsAndActivationsOfAllLayers) {
  const ModelShape model = built_in_model("gpt3");
  TrainingOptions options{.strategy = {.mp = 1, .dp = 2, .pp = 1}, .minibatch = 2};
  const TrainingMemory stays = training_memory(model, options, 0);
  options.execution = Execution::kStreaming;
  options.stream_layers = 4;
  const TrainingMemory streamed = training_memory(model, options, 0);
  EXPECT_EQ(streamed.weights, stays.weights / 48);  // 4 of 192 halves
  EXPECT_EQ(streamed.gradients, streamed.weights);
  EXPECT_EQ(streamed.activations, stays.activations);
  options.accounting = Accounting::kOverlap;
  options.stream_groups = 3;
  EXPECT_EQ(training_memory(model, options, 0).weights, 3 * streamed.weights);
}

TEST(TrainingMemory, TheStageThatNeedsTheMostCounts) {
  const ModelShape model = built_in_model("resnet152");
  const TrainingOptions options{
      .strategy = {.mp = 1, .dp = 1, .pp = 3}, .minibatch = 3, .optimizer = Optimizer::kAdam};
  std::uint64_t most = 0;
  for (int stage = 0; stage < 3; ++stage)
    most = std::max(most, training_memory(model, options, stage).total());
  EXPECT_EQ(max_training_memory(model, options).total(), most);
}

// Optimizer state moves first, then activations, gradients, weights: each only when all before it
// have moved.
TEST(TrainingMemory, ExpandedMemoryTakesWhatIsLeastUsedFirst) {
  constexpr unsigned kSeed = 20'261;
  std::mt19937_64 random(kSeed);
  std::uniform_int_distribution<std::uint64_t> bytes(0, 1000);
  for (int i = 0; i < 1000; ++i) {
    const TrainingMemory memory{bytes(random), bytes(random), bytes(random), bytes(random)};
    NpuCompute npu{.memory_bytes = bytes(random), .expanded_bytes = 4000};
    const ExpandedShares shares = expanded_shares(memory, npu, "m");
    const double moved = shares.weights * static_cast<double>(memory.weights) +
                         shares.gradients * static_cast<double>(memory.gradients) +
                         shares.optimizer * static_cast<double>(memory.optimizer) +
                         shares.activations * static_cast<double>(memory.activations);
    const std::uint64_t beyond =
        memory.total() > npu.memory_bytes ? memory.total() - npu.memory_bytes : 0;
    ASSERT_NEAR(moved, static_cast<double>(beyond), 1e-6) << "seed " << kSeed << ", case " << i;
    ASSERT_EQ(expanded_bytes(memory, npu), beyond);
    const auto complete = [](double share, std::uint64_t all) { return share == 1 || all == 0; };
    ASSERT_TRUE(shares.activations == 0 || complete(shares.optimizer, memory.optimizer));
    ASSERT_TRUE(shares.gradients == 0 || complete(shares.activations, memory.activations));
    ASSERT_TRUE(shares.weights == 0 || complete(shares.gradients, memory.gradients));
    npu.expanded_bytes = beyond;
    EXPECT_NO_THROW(expanded_shares(memory, npu, "m"));
    if (beyond == 0) continue;
    npu.expanded_bytes = beyond - 1;
    EXPECT_THROW(expanded_shares(memory, npu, "m"), BadInput);
  }
}

TEST(TrainingMemory, ARefusalNamesWhatTakesItAndWhatThereIs) {
  try {
    expanded_shares(
        {.weights = 2'000'000'000, .gradients = 0, .optimizer = 1'500'000'000, .activations = 0},
        {.memory_bytes = 1'000'000'000, .expanded_bytes = 500'000'000}, "small");
    FAIL() << "was not refused";
  } catch (const BadInput& error) {
    EXPECT_EQ(std::string(error.what()),
              "--memory: found 3.5 GB that an NPU needs: weights 2 GB, gradients 0 B, optimizer "
              "1.5 GB, activations 0 B; allowed: npu.memory of small, 1 GB, and its "
              "npu.expanded_memory, 500 MB");
  }
}

// Cycles of all computations and accesses to memory of a rank.
std::uint64_t own_cycles(const TaskGraph& graph) {
  std::uint64_t sum = 0;
  for (const Task& task : graph.ranks.front().tasks)
    if (task.computes()) sum += task.cycles;
  return sum;
}

class LimitedMemoryTest : public testing::Test {
 protected:
  std::uint64_t cycles(std::uint64_t own, std::uint64_t expanded_bandwidth) const {
    return own_cycles(training_graph(model_, options_,
                                     {{.peak_gflops = 990'000,
                                       .memory_bandwidth = 3'000'000'000'000,
                                       .memory_bytes = own,
                                       .expanded_bandwidth = expanded_bandwidth,
                                       .expanded_bytes = kMaxQuantity}},
                                     topology_));
  }
  static constexpr std::uint64_t kMaxQuantity = std::uint64_t{1} << 53;
  const Topology topology_ = load_config("configs/fred_d.yaml").topology;
  const ModelShape model_ = built_in_model("transformer_17b");
  TrainingOptions options_{.strategy = {.mp = 2, .dp = 10, .pp = 1},
                           .minibatch = 40,
                           .iterations = 1,
                           .optimizer = Optimizer::kAdam,
                           .limits_memory = true};
};

TEST_F(LimitedMemoryTest, CostsNothingWhereAllFits) {
  const std::uint64_t all = training_memory(model_, options_, 0).total();
  const std::uint64_t fits = cycles(all, 1);
  options_.limits_memory = false;
  EXPECT_EQ(cycles(0, 1), fits);
  options_.limits_memory = true;
  EXPECT_GT(cycles(all - 1'000'000'000, 1'000'000'000), fits);
}

// The state of the optimizer alone: 12 bytes of a parameter are read, and 12 written.
TEST_F(LimitedMemoryTest, StateInExpandedMemoryTakesTheTimeOfItsBytes) {
  const TrainingMemory memory = training_memory(model_, options_, 0);
  const std::uint64_t fits = cycles(memory.total(), 1);
  const std::uint64_t half = cycles(memory.total() - memory.optimizer / 2, 500'000'000'000);
  const double slower = static_cast<double>(memory.optimizer) * (1 / 500e9 - 1 / 3000e9) *
                        static_cast<double>(topology_.clock_hz);
  EXPECT_NEAR(static_cast<double>(half - fits), slower, 4);
}

TEST_F(LimitedMemoryTest, IsSlowerTheSlowerAndSmallerMemoriesAre) {
  const TrainingMemory memory = training_memory(model_, options_, 0);
  std::uint64_t before = 0;
  for (const std::uint64_t own :
       {memory.total(), memory.total() / 2, memory.total() / 4, std::uint64_t{0}}) {
    const std::uint64_t now = cycles(own, 20'000'000'000);
    EXPECT_GT(now, before);
    before = now;
  }
  EXPECT_GT(cycles(0, 10'000'000'000), before);
}

TEST_F(LimitedMemoryTest, ComputingAgainTakesAThirdMore) {
  const std::uint64_t kept = cycles(kMaxQuantity, 1);
  options_.optimizer = Optimizer::kNone;
  const std::uint64_t none = cycles(kMaxQuantity, 1);
  options_.recompute = Recompute::kFull;
  EXPECT_NEAR(static_cast<double>(cycles(kMaxQuantity, 1)) / static_cast<double>(none), 4.0 / 3,
              1e-3);
  options_.recompute = Recompute::kSelective;
  const double selective = static_cast<double>(cycles(kMaxQuantity, 1)) / static_cast<double>(none);
  EXPECT_GT(selective, 1);
  EXPECT_LT(selective, 1.05);  // 2 s^2 h of 3 (24 s h^2 + 4 s^2 h)
  EXPECT_GT(kept, none);
}

}  // namespace
}  // namespace fredsim::test
