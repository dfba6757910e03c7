// SPDX-License-Identifier: Apache-2.0
// Microbatches that share NPUs: each has the tasks that it has alone, takes its turns, and is
// hidden as far as computing reaches; on random machines and models, whose seeds are named. And the
// rate that computing is done at.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "small_transformer.h"
#include "support/random_machine.h"
#include "support/simulation.h"
#include "support/traces.h"
#include "workload/detail/expert_time.h"
#include "workload/inference_graph.h"
#include "workload/training_run.h"

namespace fredsim::test {
namespace {

constexpr std::uint64_t kSeeds = 40;

struct Serving {
  TransformerShape shape = kSmallTransformer;
  ComputeSpeed speed = kPicosecondSpeed;
  Topology topology;
  InferenceOptions options;  // two sequential microbatches

  TaskGraph graph(int overlap) const {
    InferenceOptions own = options;
    own.overlap = overlap;
    return built(own);
  }
  TaskGraph graph_of_one() const {
    InferenceOptions one = options;
    one.microbatches /= 2;
    one.batch /= 2;
    return built(one);
  }
  TaskGraph built(const InferenceOptions& own) const {
    TaskGraph graph = inference_graph("random", shape, own, speed, topology);
    graph.check();
    return graph;
  }
};

// Dense or with experts, split along MP, DP and EP, on NPUs that compute for less or longer than
// they communicate.
Serving random_serving(Random& random, int stages = 1) {
  Serving serving{.topology = random_machine(random), .options = {}};
  const auto npus = static_cast<int>(serving.topology.npus.size());
  Strategy& strategy = serving.options.strategy;
  strategy.pp = std::min(stages, npus);
  strategy.mp = std::min(1 << random.below(3), npus / strategy.pp);
  strategy.dp = random_between(random, 1, npus / strategy.pp / strategy.mp);
  if (random.below(4) > 0) {
    serving.shape.experts = 8;
    serving.shape.top_k = 2;
    serving.shape.shared_experts = static_cast<int>(random.below(2));
    serving.shape.dense_layers = static_cast<int>(random.below(3));
    serving.shape.expert_mlp = 48;
    ExpertOptions& experts = serving.options.experts;
    const int workers = strategy.mp * strategy.dp;
    do experts.ep = random_between(random, 1, std::min(workers, 8));
    while (workers % experts.ep != 0);
    experts.slots = (8 + experts.ep - 1) / experts.ep;
    experts.router = parse_router(random.below(2) == 0 ? "uniform" : "zipf:1", random.next());
    experts.given = "--ep";
  }
  serving.options.phase = random.below(2) == 0 ? InferencePhase::kDecode : InferencePhase::kPrefill;
  serving.options.steps = random_between(random, 1, 2);
  serving.options.context = random_between<std::uint64_t>(random, 8, 48);
  serving.options.microbatches = 2 * static_cast<std::uint64_t>(strategy.pp);
  serving.options.batch = serving.options.microbatches * static_cast<std::uint64_t>(strategy.dp) *
                          random_between<std::uint64_t>(random, 1, 6);
  serving.speed.npu.peak_gflops = std::uint64_t{50} << random.below(10);
  serving.speed.npu.memory_bandwidth = serving.speed.npu.peak_gflops * 1'000'000'000;
  return serving;
}

// ---- tasks

using TaskText = std::vector<std::string>;

std::string text_of(const TaskGraph& graph, const Task& task) {
  std::string text = fmt::format("{} step {} category {} {} cycles", graph.labels[task.label],
                                 task.iteration, static_cast<int>(task.category), task.cycles);
  if (task.computes()) return text;
  for (const CollectiveSpec& spec : graph.shapes[graph.operations[task.operation].shape].work)
    text += fmt::format("; {} of {} B over {}", static_cast<int>(spec.collective), spec.bytes,
                        fmt::join(spec.group, " "));
  return text + fmt::format(" as {} of {}", task.rank, task.part);
}

// Tasks of a rank by microbatch, each with the names of its dependencies: the first task of a label
// in a step belongs to the first microbatch.
std::vector<TaskText> by_microbatch(const TaskGraph& graph, int rank, int microbatches) {
  const std::vector<Task>& tasks = graph.ranks[rank].tasks;
  std::map<std::pair<int, int>, int> seen;
  std::vector<int> lanes;
  for (const Task& task : tasks)
    lanes.push_back(seen[{task.iteration, task.label}]++ % microbatches);
  std::vector<TaskText> found(static_cast<std::size_t>(microbatches));
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    std::string text = text_of(graph, tasks[t]) + " after";
    for (const int before : tasks[t].after)
      text += fmt::format(" [{}{}]", text_of(graph, tasks[before]),
                          lanes[before] == lanes[t] ? "" : " OF THE OTHER ONE");
    found[lanes[t]].push_back(text);
  }
  return found;
}

TEST(MicrobatchOverlap, EachHasTheTasksThatItHasAlone) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Serving serving = random_serving(random);
    const TaskGraph both = serving.graph(2), one = serving.graph_of_one();
    ASSERT_EQ(both.ranks.size(), one.ranks.size());
    for (int rank = 0; rank < std::ssize(both.ranks); ++rank) {
      const TaskText alone = by_microbatch(one, rank, 1).front();
      for (const TaskText& own : by_microbatch(both, rank, 2)) EXPECT_EQ(own, alone);
    }
  }
}

// The other microbatch's computations come between a communication and the first task behind it.
TEST(MicrobatchOverlap, TheOtherOneComputesWhileOneCommunicates) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Serving serving = random_serving(random);
    const TaskGraph both = serving.graph(2);
    for (const TaskRank& rank : both.ranks) {
      for (int t = 0; t < std::ssize(rank.tasks); ++t) {
        const Task& task = rank.tasks[t];
        const auto behind = std::ranges::find_if(rank.tasks, [&](const Task& other) {
          return other.computes() && std::ranges::count(other.after, t) > 0;
        });
        if (task.computes() || behind == rank.tasks.end()) continue;
        const auto computes = std::count_if(rank.tasks.begin() + t, behind,
                                            [](const Task& other) { return other.computes(); });
        EXPECT_GE(computes, 1) << both.labels[task.label];
      }
    }
  }
}

// ---- times

struct Times {
  std::uint64_t cycles = 0;
  std::uint64_t most_computing = 0;  // maximum over the ranks
  std::vector<std::uint64_t> computing;
};

Times times_of(const Serving& serving, const TaskGraph& graph) {
  Simulation simulation;
  Machine machine("machine", serving.topology, {});
  const ShapePlans plans = plan_shapes(serving.topology, graph, OnConflict::kUnicast);
  GraphOutcome outcome;
  simulation.run([&] { outcome = run_graph(machine, graph, plans); });
  EXPECT_TRUE(outcome.result.payload == "exact" || graph.operations.empty());
  Times times{.cycles = outcome.result.cycles, .most_computing = 0, .computing = {}};
  for (const RankTime& rank : outcome.times) times.computing.push_back(rank.computing());
  times.most_computing = std::ranges::max(times.computing);
  return times;
}

// Between the longer of an NPU's computation and one microbatch alone, and both in sequence.
// Concurrent all-to-alls may delay each other by some cycles. Pipeline stages receive their input
// later, when both microbatches are through the previous stage, so the sum is no bound there.
TEST(MicrobatchOverlap, TakesNoLongerThanTheSumAndNoLessThanTheLongerPart) {
  constexpr double kInTheWay = 0.01;
  std::uint64_t hidden = 0, exposed = 0;
  for (std::uint64_t seed = 1; seed <= 3 * kSeeds; ++seed) {
    Random random(seed);
    const Serving serving = random_serving(random, seed % 4 == 0 ? 2 : 1);
    const bool is_pipeline = serving.options.strategy.pp > 1;
    SCOPED_TRACE(fmt::format("seed {}: {}, {}", seed, serving.topology.name,
                             to_string(serving.options.strategy)));
    const Times both = times_of(serving, serving.graph(2)),
                apart = times_of(serving, serving.graph(1)),
                one = times_of(serving, serving.graph_of_one());
    EXPECT_EQ(both.computing, apart.computing);
    EXPECT_GE(both.cycles, both.most_computing);
    EXPECT_GE(both.cycles, one.cycles);
    if (is_pipeline) continue;
    EXPECT_LE(static_cast<double>(both.cycles),
              (1 + kInTheWay) * static_cast<double>(apart.cycles));
    exposed += apart.cycles - apart.most_computing;
    hidden += apart.cycles - std::min(apart.cycles, both.cycles);
  }
  EXPECT_GT(3 * hidden, exposed);  // a third of all that was exposed, and more
}

// Nothing is hidden where nothing is sent: not a cycle less, or more.
TEST(MicrobatchOverlap, IsTheSumWithoutCommunication) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Serving serving = random_serving(random);
    serving.options.experts.ep = 1;
    serving.options.experts.slots = 0;
    serving.options.batch /= static_cast<std::uint64_t>(serving.options.strategy.dp);
    serving.options.strategy = {};
    const TaskGraph both = serving.graph(2), apart = serving.graph(1);
    EXPECT_TRUE(both.operations.empty());
    EXPECT_EQ(times_of(serving, both).cycles, times_of(serving, apart).cycles);
  }
}

TEST(MicrobatchOverlap, IsTheSameInEveryImplementation) {
  for (const char* config : {"configs/mesh_2x2.yaml", "configs/fred_small.yaml"})
    for (const Strategy& strategy : {Strategy{1, 4, 1}, Strategy{2, 2, 1}, Strategy{1, 2, 2}}) {
      SCOPED_TRACE(config + to_string(strategy));
      Serving serving{.topology = load_config(config).topology,
                      .options = {.strategy = strategy, .batch = 16, .context = 40}};
      serving.shape.experts = 8;
      serving.shape.top_k = 2;
      serving.shape.shared_experts = 1;
      serving.shape.expert_mlp = 48;
      serving.options.microbatches = 2 * static_cast<std::uint64_t>(strategy.pp);
      serving.options.steps = 2;
      serving.options.experts = {.ep = 2, .router = parse_router("zipf:1", 1)};
      expect_same_in_every_implementation(serving.topology, serving.graph(2));
    }
}

TEST(MicrobatchOverlap, RefusesMicrobatchesThatHaveNoOther) {
  Serving serving{.topology = load_config("configs/fred_small.yaml").topology,
                  .options = {.strategy = {2, 1, 1}, .batch = 3, .microbatches = 3}};
  EXPECT_NE(refusal_of([&] { serving.graph(2); })
                .find("--microbatches: found 3 together with --overlap microbatches=2; allowed: a "
                      "multiple of 2"),
            std::string::npos);
}

// ---- efficiency

// Times limited by FLOPs. The inverse of a power of two is exact in floating point; other ratios
// match within rounding.
TEST(Efficiency, MakesComputingLongerByItsInverse) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Serving serving = random_serving(random);
    serving.speed.npu.memory_bandwidth = std::uint64_t{1} << 62;
    const auto all_of = [&](double efficiency) {
      ComputeSpeed speed = serving.speed;
      speed.npu.efficiency = efficiency;
      const InferenceWork work{3, 17, 5};
      std::vector<double> times{attention_ps(speed, serving.shape, work, 1),
                                mlp_ps(speed, serving.shape, work, 1),
                                head_ps(speed, serving.shape, work, 1)};
      if (serving.shape.experts > 0) {
        times.push_back(gate_ps(speed, serving.shape, 9));
        times.push_back(experts_ps(speed, serving.shape, {4, 0, 7}));
      }
      return times;
    };
    const double efficiency = static_cast<double>(1 + random.below(100)) / 100;
    const std::vector<double> peak = all_of(1), half = all_of(0.5), some = all_of(efficiency);
    for (std::size_t i = 0; i < peak.size(); ++i) {
      EXPECT_EQ(half[i], 2 * peak[i]);
      EXPECT_NEAR(some[i], peak[i] / efficiency, 1e-12 * some[i]);
    }
  }
}

}  // namespace
}  // namespace fredsim::test
