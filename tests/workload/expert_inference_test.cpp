// SPDX-License-Identifier: Apache-2.0
// Inference with experts: bytes between every pair of ranks and times against formulas of this
// file, the same cycles in every implementation and for every placement on a tree, refusals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "small_transformer.h"
#include "support/random_range.h"
#include "support/simulation.h"
#include "support/traces.h"
#include "workload/detail/expert_time.h"
#include "workload/detail/latent_attention.h"
#include "workload/expert_layers.h"
#include "workload/inference_graph.h"
#include "workload/model_file.h"
#include "workload/trace_export.h"
#include "workload/training_run.h"

namespace fredsim::test {
namespace {

// A layer without experts, then three with 8 of them, of which a token takes two, and one that all
// take.
constexpr TransformerShape kSparse = [] {
  TransformerShape shape = kSmallTransformer;
  shape.experts = 8;
  shape.top_k = 2;
  shape.shared_experts = 1;
  shape.dense_layers = 1;
  shape.expert_mlp = 48;
  return shape;
}();
constexpr ComputeSpeed kPerPs = kPicosecondSpeed;

ExpertOptions of_ep(int ep, const char* router = "uniform") {
  ExpertOptions options{.ep = ep, .router = parse_router(router, 1)};
  options.given = "--ep";
  return options;
}

double longer(double flops, double values) { return std::max(flops, 2 * values); }

TEST(ExpertTime, IsOfTheTokensOfEachExpert) {
  const auto mlp = [](double tokens, double width) {
    return longer(2 * tokens * 2 * 64 * width, 2 * 64 * width + tokens * (64 + width)) +
           longer(2 * tokens * 64 * width, 64 * width + tokens * (64 + width));
  };
  EXPECT_NEAR(experts_ps(kPerPs, kSparse, {5, 0, 1}), mlp(5, 48) + mlp(1, 48), 1e-6);
  EXPECT_NEAR(shared_experts_ps(kPerPs, kSparse, 7), mlp(7, 48), 1e-6);
  EXPECT_NEAR(gate_ps(kPerPs, kSparse, 7), longer(2 * 7 * 64 * 8, 64 * 8 + 7 * (64 + 8)), 1e-6);
  EXPECT_EQ(gate_ps(kPerPs, kSparse, 0), 0);
  EXPECT_EQ(expert_parameters(kSparse), 3U * 64 * 48);
  EXPECT_EQ(common_expert_parameters(kSparse), 64U * 8 + 3 * 64 * 48);
}

// Parameters and the KV cache of DeepSeek-V3 as its report has them: 671 B with 37 B active, 576
// values of a token per layer.
TEST(LatentAttention, HasTheSizesOfDeepSeekV3) {
  const TransformerShape shape = *read_model_file("configs/models/deepseek_v3.yaml").transformer;
  const double attention = 61.0 * static_cast<double>(attention_parameters(shape, 1));
  const double ends = 2.0 * 129280 * 7168;
  const double dense = 3.0 * 3 * 7168 * 18432;
  const double experts = 58.0 * 256 * static_cast<double>(expert_parameters(shape));
  const double common = 58.0 * static_cast<double>(common_expert_parameters(shape));
  EXPECT_NEAR(attention + ends + dense + experts + common, 671e9, 1e9);
  EXPECT_NEAR(attention + ends + dense + experts * 8 / 256 + common, 37.5e9, 1e9);
  EXPECT_EQ(kv_bytes(shape, 16), 2U * 576);
}

// Decode is attention over latent values, prefill over keys and values that are made from them.
TEST(LatentAttention, TakesTheTimesOfItsMatrices) {
  const TransformerShape shape{.hidden = 64,
                               .heads = 4,
                               .kv_heads = 4,
                               .head_size = 16,
                               .kv_rank = 32,
                               .rope_size = 8,
                               .q_rank = 24};
  const auto product = [](double t, double in, double out) {
    return longer(2 * t * in * out, in * out + t * (in + out));
  };
  // One of two workers: two heads, queries of 24 values each.
  const double common3 =
      product(3, 64, 24) + product(3, 24, 48) + product(3, 64, 40) + product(3, 32, 64);
  const double absorbed = longer(2 * 3 * 2 * 16 * 32, 2 * 16 * 32 + 3 * (32 + 64)) * 2;
  const double core = longer(2.0 * 3 * 11 * 2 * (40 + 32), 3 * 11 * 40 + 3 * 2 * (40 + 32));
  EXPECT_NEAR(attention_ps(kPerPs, shape, {3, 1, 10}, 2), common3 + absorbed + core, 1e-6);
  const double common10 =
      product(10, 64, 24) + product(10, 24, 48) + product(10, 64, 40) + product(10, 32, 64);
  const double prompt = longer(2.0 * 55 * 2 * (32 + 8), 10 * 2 * 40 + 10 * 2 * 40);
  EXPECT_NEAR(attention_ps(kPerPs, shape, {1, 10, 0}, 2), common10 + product(10, 32, 64) + prompt,
              1e-6);
}

class ExpertInference : public testing::Test {
 protected:
  static InferenceOptions options_of(const Strategy& strategy, std::uint64_t batch, int ep,
                                     const char* router = "uniform") {
    InferenceOptions options{.strategy = strategy, .batch = batch, .context = 10};
    options.microbatches = static_cast<std::uint64_t>(strategy.pp);
    options.steps = 2;
    options.experts = of_ep(ep, router);
    return options;
  }
  static TaskGraph graph(const Topology& topology, const InferenceOptions& options) {
    const TaskGraph graph = inference_graph("sparse", kSparse, options, kPerPs, topology);
    graph.check();
    return graph;
  }
  Topology small_ = load_config("configs/fred_small.yaml").topology;
};

TEST_F(ExpertInference, WithoutSkewSendsAllToAlls) {
  // 24 sequences of 4 replicas: 6 tokens × 2 experts of a worker, 3 to each rank.
  const TaskGraph found = graph(small_, options_of({1, 4, 1}, 24, 4));
  int exchanges = 0;
  for (const GraphOperation& operation : found.operations) {
    const CollectiveSpec& spec = found.shapes[operation.shape].work.front();
    EXPECT_EQ(spec.collective, Collective::kAllToAll);
    EXPECT_EQ(spec.bytes, 4U * 3 * 64 * 2);
    ++exchanges;
  }
  EXPECT_EQ(exchanges, 2 * 3 * 2);  // steps × layers with experts × there and back
}

// Tokens of random routers between all pairs, dispatched and combined, as the chances say.
TEST_F(ExpertInference, SendsTheBytesOfItsTokens) {
  Random random(464);
  for (int trial = 0; trial < 60; ++trial) {
    const int mp = 1 << random.below(3);
    const int ep = 1 << random.below(3);
    const Strategy strategy{mp, 4 / mp, 1};
    const std::uint64_t per_replica = 1 + random.below(40);
    InferenceOptions options =
        options_of(strategy, per_replica * static_cast<std::uint64_t>(4 / mp), ep, "zipf:1");
    options.experts.router.seed = random.next();
    SCOPED_TRACE(fmt::format("trial {}: mp {} ep {} {} sequences", trial, mp, ep, per_replica));
    const TaskGraph found = graph(small_, options);
    const Router router(options.experts.router, 3, ep, 8, 2);
    int layer = 0;
    bool back = false;
    for (const GraphOperation& operation : found.operations) {
      const OperationShape& shape = found.shapes[operation.shape];
      if (shape.work.front().collective != Collective::kAllToAllV &&
          shape.work.front().collective != Collective::kAllToAll)
        continue;
      for (const CollectiveSpec& spec : shape.work) {
        ASSERT_EQ(std::ssize(spec.group), ep);
        if (spec.matrix.empty()) continue;
        for (int i = 0; i < ep; ++i)
          for (int j = 0; j < ep; ++j) {
            if (i == j) {
              EXPECT_EQ(spec.matrix[i * ep + j], 0U);
              continue;
            }
            const int from = back ? j : i, to = back ? i : j;
            // Tokens of a worker along MP: its share of its replica's.
            double chance = 0;
            for (int e = to * (8 / ep); e < (to + 1) * (8 / ep); ++e)
              chance += router.chances(layer, from)[e];
            const double least =
                std::floor(static_cast<double>(per_replica / mp)) * chance - 8 / ep;
            const double most =
                std::ceil(static_cast<double>(per_replica + mp - 1) / mp) * chance + 8 / ep;
            const auto tokens = static_cast<double>(spec.matrix[i * ep + j]) / (64 * 2);
            EXPECT_EQ(tokens, std::floor(tokens));
            EXPECT_GE(tokens, least);
            EXPECT_LE(tokens, most);
          }
      }
      if (back) layer = (layer + 1) % 3;
      back = !back;
    }
  }
}

TEST_F(ExpertInference, GathersTheTokensOfWorkersAlongMp) {
  const TaskGraph found = graph(small_, options_of({2, 2, 1}, 6, 4));
  std::map<std::pair<Collective, std::uint64_t>, int> counts;
  for (const GraphOperation& operation : found.operations)
    ++counts[{found.shapes[operation.shape].work.front().collective,
              found.shapes[operation.shape].work.front().bytes}];
  // 3 tokens of a replica: two all-reduces of the first layer, one of each other, and the results
  // of experts.
  EXPECT_EQ((counts[{Collective::kAllReduce, 3 * 64 * 2}]), 2 * (2 + 3));
  EXPECT_EQ((counts[{Collective::kAllGather, 3 * 64 * 2}]), 2 * 3);
}

// Tokens that are split anyway are not gathered behind experts, whose all-to-alls equal the ones
// without the split.
TEST_F(ExpertInference, TakesTokensAsSequenceParallelismLeavesThem) {
  InferenceOptions options = options_of({2, 2, 1}, 8, 4, "zipf:1");
  const auto exchanged = [&](Collective collective) {
    std::uint64_t bytes = 0;
    const TaskGraph found = graph(small_, options);
    for (const GraphOperation& operation : found.operations)
      for (const CollectiveSpec& spec : found.shapes[operation.shape].work)
        if (spec.collective == collective) bytes += spec.bytes;
    return bytes;
  };
  const std::uint64_t whole = exchanged(Collective::kAllToAllV);
  // Behind experts of three layers, of 4 tokens each of two replicas, in two steps.
  EXPECT_EQ(exchanged(Collective::kAllGather), 2U * 2 * 3 * 4 * 64 * 2);
  options.split.sp = true;
  EXPECT_EQ(exchanged(Collective::kAllToAllV), whole);
  // Before attention of four layers and the one MLP, and the last tokens before the logits.
  EXPECT_EQ(exchanged(Collective::kAllGather), 2U * 2 * (4 + 1 + 1) * 4 * 64 * 2);
}

TEST_F(ExpertInference, OfSplitSequencesIsTheSameInEveryImplementation) {
  for (const SequenceSplit split :
       {SequenceSplit{.cp = 1, .sp = true}, SequenceSplit{.cp = 2, .sp = false},
        SequenceSplit{.cp = 2, .sp = true}}) {
    InferenceOptions options = options_of({2, 2, 1}, 2, 4, "zipf:1");
    options.phase = InferencePhase::kPrefill;
    options.context = 64;
    options.steps = 1;
    options.split = split;
    expect_same_in_every_implementation(small_, graph(small_, options));
  }
}

// Experts wait for their tokens, shared experts do not, and the next layer waits for the results.
TEST_F(ExpertInference, WaitsForWhatIsSent) {
  const TaskGraph found = graph(small_, options_of({1, 4, 1}, 24, 4, "zipf:1"));
  const auto waits = [](const Task& task, int before) {
    return std::ranges::count(task.after, before) > 0;
  };
  int checked = 0;
  for (const TaskRank& rank : found.ranks) {
    for (int t = 0; t + 2 < std::ssize(rank.tasks); ++t) {
      const std::string& label = found.labels[rank.tasks[t].label];
      const Task& next = rank.tasks[t + 1];
      if (label.starts_with("dispatch")) {
        EXPECT_TRUE(found.labels[next.label].starts_with("shared experts"));
        EXPECT_FALSE(waits(next, t));
        EXPECT_TRUE(found.labels[rank.tasks[t + 2].label].starts_with("experts"));
        EXPECT_TRUE(waits(rank.tasks[t + 2], t));
        ++checked;
      } else if (label.starts_with("combine")) {
        EXPECT_TRUE(next.computes());
        EXPECT_TRUE(waits(next, t)) << label;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 4 * 2 * 3);
}

TEST_F(ExpertInference, CountsTokensThatAreDropped) {
  InferenceOptions options = options_of({1, 4, 1}, 40, 4, "zipf:2");
  ExpertRouting routing;
  inference_graph("sparse", kSparse, options, kPerPs, small_, &routing);
  EXPECT_EQ(routing.routed, 2U * 3 * 40 * 2);  // steps × layers × tokens × experts
  EXPECT_EQ(routing.dropped, 0U);
  EXPECT_GT(routing.imbalance, 1.2);
  options.experts.capacity = 1;
  ExpertRouting limited;
  inference_graph("sparse", kSparse, options, kPerPs, small_, &limited);
  EXPECT_EQ(limited.routed + limited.dropped, routing.routed);
  EXPECT_GT(limited.dropped, 0U);
}

TEST_F(ExpertInference, RefusesWhatDoesNotDivide) {
  const auto refusal = [this](InferenceOptions options) {
    return refusal_of([&] { inference_graph("sparse", kSparse, options, kPerPs, small_); });
  };
  const auto expect = [](const std::string& message, const std::string& want) {
    EXPECT_NE(message.find(want), std::string::npos) << message;
  };
  expect(refusal(options_of({1, 4, 1}, 4, 3)), "--ep: found 3; allowed: 1, 2 or 4");
  const Strategy three{1, 3, 1};
  expect(refusal(options_of(three, 3, 3)),
         "over which 8 experts do not divide: 2 ranks would have 3, 1 ranks 2; allowed: 1 or 2");
  InferenceOptions slots = options_of(three, 3, 3);
  slots.experts.slots = 3;
  EXPECT_EQ(refusal(slots), "");
  slots.experts.slots = 2;
  expect(refusal(slots), "--expert-slots: found 2 on each of 3 ranks; allowed: 3 or more");
  slots.experts.slots = 9;
  expect(refusal(slots), "--expert-slots: found 9; allowed: at most 8");
  // Weights of all experts on a rank count.
  ComputeSpeed little = kPerPs;
  const std::uint64_t attention = 2 * (64 * 128 + 64 * 64), ends = 2 * 2 * 64'000;
  const std::uint64_t need = 4 * attention + 2 * 3 * 64 * 96 + ends +
                             3 * 2 * (64 * 8 + 3 * 64 * 48 + 2 * 3 * 64 * 48) + 12 * 4 * 128;
  little.npu.memory_bytes = need;
  const InferenceOptions fits = options_of({1, 4, 1}, 4, 4);
  EXPECT_EQ(refusal_of([&] { inference_graph("sparse", kSparse, fits, little, small_); }), "");
  --little.npu.memory_bytes;
  expect(refusal_of([&] { inference_graph("sparse", kSparse, fits, little, small_); }), "KV cache");
}

using ExpertCase = std::tuple<const char*, Strategy, int, const char*>;
class ExpertRuns : public testing::TestWithParam<ExpertCase> {
 protected:
  TaskGraph graph() const {
    const auto& [config, strategy, ep, router] = GetParam();
    InferenceOptions options{.strategy = strategy, .batch = 16, .context = 100};
    options.microbatches = static_cast<std::uint64_t>(strategy.pp);
    options.steps = 2;
    options.experts = of_ep(ep, router);
    return inference_graph("sparse", kSparse, options, kPerPs, topology_);
  }
  Topology topology_ = load_config(std::get<0>(GetParam())).topology;
};

TEST_P(ExpertRuns, AreTheSameInEveryImplementation) {
  const TrainingResult result = expect_same_in_every_implementation(topology_, graph());
  EXPECT_EQ(result.breakdown_ns.back().first, std::get<2>(GetParam()) > 1 ? "ep" : "streaming");
}

INSTANTIATE_TEST_SUITE_P(
    Runs, ExpertRuns,
    testing::Combine(testing::Values("configs/mesh_2x2.yaml", "configs/fred_small.yaml"),
                     testing::Values(Strategy{1, 4, 1}, Strategy{2, 2, 1}, Strategy{1, 2, 2}),
                     testing::Values(1, 2), testing::Values("uniform", "zipf:1")));

// On a tree whose NPUs are alike, all-to-alls without skew take as long wherever the ranks are.
TEST(ExpertPlacements, TakeTheSameTimeOnATreeWithoutSkew) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  InferenceOptions options{.strategy = {1, 20, 1}, .batch = 200, .context = 100};
  options.experts = of_ep(20);
  TransformerShape shape = kSparse;
  shape.experts = 20;
  Random random(465);
  std::set<std::uint64_t> cycles;
  std::vector<int> npus(20);
  std::iota(npus.begin(), npus.end(), 0);
  for (int trial = 0; trial < 4; ++trial) {
    options.npus = npus;
    const TaskGraph graph = inference_graph("sparse", shape, options, kPerPs, topology);
    Simulation simulation;
    Machine machine("machine", topology, {});
    simulation.run([&] {
      cycles.insert(run_graph(machine, graph, plan_shapes(topology, graph, OnConflict::kRefuse))
                        .result.cycles);
    });
    for (std::uint64_t left = npus.size(); left > 1; --left)
      std::swap(npus[left - 1], npus[random.below(left)]);
  }
  // Equal except for the turns of packets in switches, in the order of ports.
  EXPECT_LE(static_cast<double>(*cycles.rbegin() - *cycles.begin()),
            1e-3 * static_cast<double>(*cycles.begin()));
}

}  // namespace
}  // namespace fredsim::test
