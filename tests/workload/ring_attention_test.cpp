// SPDX-License-Identifier: Apache-2.0
// Attention with tokens on several workers: pairs of a causal mask counted one by one, shares of a
// half's time, memory of a part.
#include "workload/ring_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/traces.h"
#include "workload/sequence_split.h"
#include "workload/training_memory.h"
#include "workload/transformer_shape.h"

namespace fredsim::test {
namespace {

constexpr TransformerShape kGrouped{.layers = 2,
                                    .hidden = 64,
                                    .heads = 4,
                                    .kv_heads = 2,
                                    .head_size = 16,
                                    .mlp = 96,
                                    .mlp_matrices = 3,
                                    .vocabulary = 1000,
                                    .sequence = 48};
constexpr ComputeSpeed kFlopsAlone{{}, 1e12};  // a FLOP is a ps

// Tokens of a worker of a context: chunks i and 2 cp - 1 - i.
std::vector<int> tokens_of(int worker, int cp, int chunk) {
  std::vector<int> tokens;
  for (const int c : {worker, 2 * cp - 1 - worker})
    for (int t = 0; t < chunk; ++t) tokens.push_back(c * chunk + t);
  return tokens;
}

TEST(RingAttention, CausalHalvesAddUpAndAreTheSameOnAllWorkers) {
  const unsigned seed = 46;
  std::mt19937 random(seed);
  for (int round = 0; round < 60; ++round) {
    const int cp = 1 + static_cast<int>(random() % 8);
    const int chunk = 1 + static_cast<int>(random() % 9);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", cp " << cp << ", chunk " << chunk);
    double all = 0;
    for (int worker = 0; worker < cp; ++worker)
      for (int step = 0; step < cp; ++step) {
        int pairs = 0;
        for (const int key : tokens_of((worker - step + cp) % cp, cp, chunk))
          for (const int query : tokens_of(worker, cp, chunk)) pairs += key <= query ? 1 : 0;
        EXPECT_EQ(ring_pairs(static_cast<std::uint64_t>(2 * chunk), step), pairs);
        all += pairs;
      }
    const double tokens = 2.0 * cp * chunk;
    EXPECT_EQ(all, tokens * (tokens + 1) / 2);
  }
}

// With a rate in place of a roofline, times are FLOPs.
TEST(RingAttention, PrefillComputesWhatOneWorkerWould) {
  for (const std::uint64_t cp : {2, 3, 4}) {
    const InferenceWork whole{5, 48, 0}, part{5, 48 / cp, 0};
    for (const int mp : {1, 2}) {
      using Kind = HalfPart::Kind;
      const auto ps = [&](Kind kind, int step = 0) {
        return ring_attention_ps(kFlopsAlone, kGrouped, part, mp, {.kind = kind, .step = step});
      };
      double of_worker = ps(Kind::kInputs) + ps(Kind::kOutputs);
      for (int step = 0; step < static_cast<int>(cp); ++step) of_worker += ps(Kind::kStep, step);
      const double one = attention_ps(kFlopsAlone, kGrouped, whole, mp);
      EXPECT_NEAR(static_cast<double>(cp) * of_worker, one, 1e-9 * one) << cp << " " << mp;
    }
  }
}

TEST(RingAttention, PartsOfAHalfTakeItsTime) {
  using Kind = HalfPart::Kind;
  for (const int cp : {1, 2, 3})
    for (const Recompute recompute : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
      const ModelShape model =
          part_of_model(model_of("grouped", kGrouped), {.mp = 2, .dp = cp}, {.cp = cp, .sp = true});
      for (const int l : {0, 1})
        for (const Pass pass : {Pass::kForward, Pass::kBackward}) {
          double sum = 0;
          const auto add = [&](Kind kind, Pass of, int step = 0) {
            const double share =
                half_share(model, l, {.kind = kind, .step = step, .pass = of}, pass, recompute);
            EXPECT_GT(share, 0);
            sum += share;
          };
          const auto add_pass = [&](Pass of) {
            if (l == 0 && cp > 1) {
              add(Kind::kInputs, of);
              for (int step = 0; step < cp; ++step) add(Kind::kStep, of, step);
              add(Kind::kOutputs, of);
            } else if (of == Pass::kForward) {
              add(Kind::kAll, of);
            } else {
              add(Kind::kInputGradients, of);
              add(Kind::kWeightGradients, of);
            }
          };
          add_pass(pass);
          if (pass == Pass::kBackward && recompute == Recompute::kFull) add_pass(Pass::kForward);
          EXPECT_NEAR(sum, 1, 1e-12) << cp << " " << l;
        }
    }
}

// Steps by FLOPs: the attention by its share of the pairs; within the half, projections take the
// remainder, by their weights.
TEST(RingAttention, StepsHaveTheShareOfTheirPairs) {
  const ModelShape model = part_of_model(model_of("grouped", kGrouped), {.dp = 2}, {.cp = 2});
  const auto share = [&](HalfPart::Kind kind, int step) {
    return half_share(model, 0, {.kind = kind, .step = step}, Pass::kForward, Recompute::kNone);
  };
  const double attention = 4.0 * 48 * 48 * 64, projections = 2.0 * 48 * 64 * 64 * (2 + 1);
  const double all = attention + projections;
  EXPECT_NEAR(share(HalfPart::Kind::kStep, 0), attention * 300 / 588 / all,
              1e-12);  // 588 = 49 x 12
  EXPECT_NEAR(share(HalfPart::Kind::kStep, 1), attention * 288 / 588 / all, 1e-12);
  EXPECT_NEAR(share(HalfPart::Kind::kInputs, 0), projections * 2 / 3 / all, 1e-12);
  EXPECT_EQ(block_bytes(model, 1, 2), 24U * 2 * 2 * 16 * 2);
  EXPECT_EQ(block_bytes(model, 2, 2), 24U * 2 * 1 * 16 * 2);
}

// Korthikanti et al. (MLSys 2023), equation 4: s b h (34 + 5 a s / h) / t per layer.
TEST(SequenceSplit, ActivationsAreThoseOfTheLiterature) {
  constexpr double kLayers = 96, kTokens = 2048, kHidden = 12288, kHeads = 96, kSamples = 3;
  for (const int t : {2, 4})
    for (const int cp : {1, 4}) {
      const Strategy strategy{.mp = t, .dp = 2 * cp, .pp = 1};
      const ModelShape model =
          part_of_model(built_in_model("gpt3"), strategy, {.cp = cp, .sp = true});
      TrainingOptions options{.strategy = strategy, .minibatch = 6};
      const double part = kTokens * kSamples / cp;
      const double input = 4 * part;
      const auto activations = [&] {
        return static_cast<double>(training_memory(model, options, 0).activations);
      };
      EXPECT_DOUBLE_EQ(
          activations(),
          kLayers * part * kHidden * (34 + 5 * kHeads * kTokens / kHidden) / t + input);
      options.recompute = Recompute::kFull;  // inputs of the layers, and the rest of one inside
      EXPECT_DOUBLE_EQ(activations(),
                       (kLayers - 1) * 2 * part * kHidden / t + input +
                           part * kHidden * (34 + 5 * kHeads * kTokens / kHidden) / t);
    }
}

TEST(SequenceSplit, RefusesTokensThatDoNotDivide) {
  const auto refusal = [](const std::string& model, const Strategy& strategy,
                          const SequenceSplit& split) {
    return refusal_of([&] { part_of_model(built_in_model(model), strategy, split); });
  };
  EXPECT_EQ(refusal("gpt3", {.mp = 4, .dp = 16}, {.cp = 16, .sp = true}), "");
  EXPECT_EQ(refusal("resnet152", {.mp = 4}, {}), "");
  const std::vector<std::pair<std::string, std::string>> refused{
      {refusal("resnet152", {.mp = 2}, {.sp = true}), "--sp: found resnet152"},
      {refusal("resnet152", {.dp = 2}, {.cp = 2}), "--cp: found resnet152"},
      {refusal("gpt3", {.dp = 3}, {.cp = 3}), "--cp: found 3; allowed"},
      {refusal("gpt3", {.dp = 2048}, {.cp = 2048}), "twice of which divides the 2048"},
      {refusal("gpt3", {}, {.sp = true}), "--sp: found together with --mp 1"},
      {refusal("gpt3", {.mp = 3}, {.sp = true}), "--sp: found --mp 3"},
      {refusal("gpt3", {.mp = 4, .dp = 1024}, {.cp = 1024, .sp = true}), "divides the 2 tokens"}};
  for (const auto& [message, want] : refused)
    EXPECT_NE(message.find(want), std::string::npos) << want << " in " << message;
  EXPECT_EQ(to_string({.mp = 2, .dp = 6, .pp = 5}, {.cp = 3, .sp = true}), "mp2-cp3-dp2-pp5");
  EXPECT_EQ(to_string({.mp = 2, .dp = 6, .pp = 5}, SequenceSplit{.sp = true}), "mp2-dp6-pp5");
}

}  // namespace
}  // namespace fredsim::test
