// SPDX-License-Identifier: Apache-2.0
// Training end to end on small machines: the same cycles in every implementation, breakdowns that
// add up.
#include "workload/training_run.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "config/config.h"
#include "support/comparable_results.h"
#include "support/simulation.h"
#include "workload/model_file.h"
#include "workload/training_graph.h"

namespace fredsim::test {
namespace {

TrainingOptions training_options(Strategy strategy) {
  TrainingOptions options;
  options.strategy = strategy;
  options.microbatches = strategy.pp > 1 ? 2 : 1;
  options.minibatch = 4 * static_cast<std::uint64_t>(strategy.dp) * options.microbatches;
  options.bucket_bytes = 30'000;
  return options;
}

double sum_of(const TrainingResult& result) {
  double sum = 0;
  for (const auto& [category, ns] : result.breakdown_ns) sum += ns;
  return sum;
}

// Runs on twins, without skipping, on the RTL and in lockstep; returns the results of the twins.
TrainingResult trained_alike(const Topology& topology, const TaskGraph& graph) {
  const ShapePlans plans = plan_shapes(topology, graph, OnConflict::kRefuse);
  Simulation simulation;
  Machine tlm("tlm", topology, {});
  Machine whole("whole", topology, {.skip = false});
  Machine rtl("rtl", topology, {.model = SwitchModel::kRtl});
  Machine lockstep("lockstep", topology, {.model = SwitchModel::kLockstep});
  TrainingResult result;
  simulation.run([&] {
    result = run_training(tlm, graph, plans);
    EXPECT_EQ(result.run.payload, "exact");
    EXPECT_NEAR(sum_of(result), result.iteration_ns, 1e-6 * result.iteration_ns);
    for (Machine* const other : {&whole, &rtl, &lockstep}) {
      const TrainingResult same = run_training(*other, graph, plans);
      EXPECT_EQ(comparable_results(result.run), comparable_results(same.run));
      EXPECT_EQ(result.breakdown_ns, same.breakdown_ns);
    }
  });
  return result;
}

using TrainingCase = std::tuple<const char*, Strategy, Accounting, const Schedule*>;
class TrainingRunTest : public testing::TestWithParam<TrainingCase> {};

TEST_P(TrainingRunTest, IsTheSameInEveryImplementation) {
  const auto& [config, strategy, accounting, gradients] = GetParam();
  const Topology topology = load_config(config).topology;
  const ModelShape model = read_model_file("configs/models/small.yaml");
  TrainingOptions options = training_options(strategy);
  options.accounting = accounting;
  options.gradients = gradients;
  options.optimizer = gradients == find_schedule("zero2")  ? Optimizer::kAdam
                      : accounting == Accounting::kOverlap ? Optimizer::kSgd
                                                           : Optimizer::kNone;
  const TaskGraph graph =
      training_graph(model, options, {{.memory_bandwidth = 3'000'000'000'000}, 1e15}, topology);
  const TrainingResult result = trained_alike(topology, graph);
  EXPECT_NEAR(std::accumulate(result.iterations_ns.begin(), result.iterations_ns.end(), 0.0),
              2 * result.iteration_ns, 1e-6 * result.iteration_ns);
  EXPECT_GT(result.breakdown_ns[0].second, 0);
  EXPECT_EQ(result.breakdown_ns.back().first,
            options.optimizer == Optimizer::kNone ? "streaming" : "memory");
  if (options.optimizer != Optimizer::kNone) {
    EXPECT_GT(result.breakdown_ns.back().second, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Runs, TrainingRunTest,
    testing::Combine(testing::Values("configs/mesh_2x2.yaml", "configs/fred_small.yaml"),
                     testing::Values(Strategy{1, 4, 1}, Strategy{2, 1, 2}, Strategy{2, 2, 1}),
                     testing::Values(Accounting::kSerial, Accounting::kOverlap),
                     testing::Values(find_schedule("bucket"), find_schedule("zero2"))));
INSTANTIATE_TEST_SUITE_P(
    RunsThatFeedLayers, TrainingRunTest,
    testing::Combine(testing::Values("configs/mesh_2x2.yaml", "configs/fred_small.yaml"),
                     testing::Values(Strategy{1, 4, 1}, Strategy{1, 2, 2}, Strategy{2, 2, 1}),
                     testing::Values(Accounting::kOverlap),
                     testing::Values(find_schedule("dear"), find_schedule("priority"))));

// Five samples on two replicas, in two microbatches; one sample, of which a replica has none.
TEST(TrainingRun, SamplesNeedNotComeOutEven) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  const ModelShape model = read_model_file("configs/models/small.yaml");
  Simulation simulation;
  Machine tlm("tlm", topology, {});
  Machine whole("whole", topology, {.skip = false});
  simulation.run([&] {
    double before = 0;
    for (const std::uint64_t minibatch : {1, 5, 8}) {
      TrainingOptions options = training_options({1, 2, 2});
      options.minibatch = minibatch;
      const TaskGraph graph = training_graph(model, options, {{}, 1e15}, topology);
      const ShapePlans plans = plan_shapes(topology, graph, OnConflict::kRefuse);
      const TrainingResult result = run_training(tlm, graph, plans);
      EXPECT_EQ(comparable_results(result.run),
                comparable_results(run_training(whole, graph, plans).run));
      EXPECT_GT(result.iteration_ns, before);
      before = result.iteration_ns;
    }
  });
}

using StreamCase = std::tuple<int, Accounting, Stream, Strategy>;
class StreamingRunTest : public testing::TestWithParam<StreamCase> {};

// Weights from the I/O controllers of a mesh, and of a tree whose switches add.
TEST_P(StreamingRunTest, IsTheSameInEveryImplementation) {
  const auto& [machine, accounting, stream, strategy] = GetParam();
  const Topology topology =
      machine == 0 ? load_config("configs/mesh_2x2.yaml").topology
                   : load_config("configs/fred_small.yaml", {"npu.count=2", "fabric.npus_per_l1=1",
                                                             "io.count=2", "io.bandwidth=128 GB/s"})
                         .topology;
  const ModelShape model = read_model_file("configs/models/small.yaml");
  TrainingOptions options = training_options(strategy);
  options.accounting = accounting;
  options.execution = Execution::kStreaming;
  options.stream = stream;
  options.stream_layers = 1;
  options.chunk_bytes = 5000;
  const TaskGraph graph = training_graph(model, options, {{}, 1e15}, topology);
  const TrainingResult result = trained_alike(topology, graph);
  EXPECT_EQ(result.breakdown_ns.back().first, "streaming");
  EXPECT_GT(result.breakdown_ns.back().second, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Runs, StreamingRunTest,
    testing::Values(StreamCase{0, Accounting::kSerial, Stream::kBroadcast, {1, 4, 1}},
                    StreamCase{0, Accounting::kOverlap, Stream::kBroadcast, {2, 1, 2}},
                    StreamCase{0, Accounting::kOverlap, Stream::kMulticast, {1, 2, 2}},
                    StreamCase{1, Accounting::kSerial, Stream::kBroadcast, {1, 2, 1}},
                    StreamCase{1, Accounting::kOverlap, Stream::kBroadcast, {1, 1, 2}},
                    StreamCase{1, Accounting::kSerial, Stream::kMulticast, {1, 1, 2}}));

// Four shards, each with a worker on every L1 switch of Fred-D: the sums of all four use its four
// uplinks, so that weights have their own rows. 18 controllers are dealt out twice.
TEST(StreamingRun, ToUsersOnFredDIsAsFastAsToAll) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  ModelShape model = read_model_file("configs/models/small.yaml");
  for (ModelLayer& layer : model.layers) layer.parameters = 9'000'000;
  TrainingOptions options = training_options({2, 5, 2});
  options.execution = Execution::kStreaming;
  options.stream_layers = 1;
  options.iterations = 1;
  Simulation simulation;
  Machine tlm("tlm", topology, {});
  Machine whole("whole", topology, {.skip = false});
  std::vector<TrainingResult> results;
  simulation.run([&] {
    for (const Stream stream : {Stream::kBroadcast, Stream::kMulticast}) {
      options.stream = stream;
      const TaskGraph graph = training_graph(model, options, {{}, 1e18}, topology);
      const ShapePlans plans = plan_shapes(topology, graph, OnConflict::kRefuse);
      results.push_back(run_training(tlm, graph, plans));
      EXPECT_EQ(comparable_results(results.back().run),
                comparable_results(run_training(whole, graph, plans).run));
    }
  });
  EXPECT_LE(results[1].iteration_ns, results[0].iteration_ns);
  EXPECT_LT(results[1].run.link_bytes, results[0].run.link_bytes / 2);
  // All controllers send as much.
  std::map<std::string, std::uint64_t> sent;
  for (const LinkResult& link : results[1].run.links)
    if (link.from.starts_with("io")) sent[link.from] += link.bytes;
  ASSERT_EQ(sent.size(), 18U);
  for (const auto& [controller, bytes] : sent)
    EXPECT_NEAR(static_cast<double>(bytes), static_cast<double>(sent.begin()->second),
                0.02 * static_cast<double>(bytes))
        << controller;
}

TEST(RateForSpeedup, IsTheOneThatGivesIt) {
  TrainingResult base, other;  // computing takes 100 at 1e15, sending 300 and 100
  base.iteration_ns = 400;
  base.critical_path_ns = {{"compute", 100}, {"dp", 300}};
  other.iteration_ns = 200;
  other.critical_path_ns = {{"compute", 100}, {"dp", 100}};
  const double rate = rate_for_speedup(1.5, 1e15, base, other);
  const double computing = 100 * 1e15 / rate;
  EXPECT_NEAR((computing + 300) / (computing + 100), 1.5, 1e-9);
  EXPECT_LT(rate_for_speedup(3.5, 1e15, base, other), 0);  // more than of the sending alone
  EXPECT_LT(rate_for_speedup(0.5, 1e15, base, other), 0);
}

TEST(RateForSpeedup, IsExactWhereSomeTimesAreGiven) {
  const auto at = [](double rate) {
    const double computing = 50 + 100 * 1e15 / rate;
    return FitPoint{rate, computing + 300, computing + 100};
  };
  const FitPoint found = at(rate_for_speedup(1.5, at(1e15), at(3e15)));
  EXPECT_NEAR(found.base_ns / found.other_ns, 1.5, 1e-9);
  EXPECT_LT(rate_for_speedup(2.5, at(1e15), at(3e15)), 0);
}

}  // namespace
}  // namespace fredsim::test
