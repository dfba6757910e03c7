// SPDX-License-Identifier: Apache-2.0
// Graphs whose NPUs come late to operations (operations/arrivals.h): times by hand, where the time
// of ranks went, the same however much is skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/config.h"
#include "engine/communicator_run.h"
#include "small_transformer.h"
#include "support/comparable_results.h"
#include "support/simulation.h"
#include "workload/detail/critical_path.h"
#include "workload/graph_run.h"
#include "workload/graphs.h"
#include "workload/inference_graph.h"
#include "workload/model_file.h"
#include "workload/training_graph.h"

namespace fredsim::test {
namespace {

constexpr std::uint64_t kTenthOfMicrosecond = 100'000;  // ps

GraphOutcome run_late_graph(const Topology& topology, const TaskGraph& graph,
                            const Arrivals& arrivals, const FabricOptions& options = {}) {
  Simulation simulation;
  Machine machine("machine", topology, options);
  const ShapePlans plans = plan_shapes(topology, graph, OnConflict::kRefuse);
  GraphOutcome outcome;
  simulation.run([&] {
    ExactRun engine(machine, plans);
    engine.set_arrivals(arrivals);
    outcome = run_graph(engine, graph);
  });
  EXPECT_EQ(outcome.result.payload, "exact");
  EXPECT_EQ(critical_path(graph, outcome), outcome.critical_path);
  return outcome;
}

class LateGraphs : public testing::Test {
 protected:
  Topology topology_ = load_config("configs/fred_small.yaml").topology;
  Arrivals late_{kTenthOfMicrosecond, {}, 1, topology_.clock_hz};
  std::uint64_t overhead_ = late_.lag(0, 0);
};

TEST_F(LateGraphs, ACollectiveBeginsByTheOverheadLaterAndThatIsExposed) {
  GraphByHand hand;
  const int operation = hand.operation({0, 1, 2, 3}, 20'000);
  for (int npu = 0; npu < 4; ++npu)
    hand.join(npu, operation, {hand.compute(npu, npu == 2 ? 900 : 100)});
  const GraphOutcome on_time = run_late_graph(topology_, hand.graph(), {});
  const GraphOutcome late = run_late_graph(topology_, hand.graph(), late_);
  EXPECT_EQ(late.result.cycles, on_time.result.cycles + overhead_);
  for (int npu = 0; npu < 4; ++npu) {
    EXPECT_EQ(late.records[npu][1].begin, 900U);
    EXPECT_EQ(late.records[npu][1].end, on_time.records[npu][1].end + overhead_);
    EXPECT_EQ(late.times[npu].exposed(), on_time.times[npu].exposed() + overhead_);
    EXPECT_EQ(late.times[npu].bubble, 0U);
    EXPECT_EQ(late.times[npu].computing(), on_time.times[npu].computing());
  }
}

// Either end spends the overhead: the receiver is done when the message is there and its own is
// over.
TEST_F(LateGraphs, MessagesWaitForBothEnds) {
  const auto run = [&](std::uint64_t sender, std::uint64_t receiver, const Arrivals& arrivals) {
    GraphByHand hand;
    const int operation = hand.operation({0, 1}, 20'000, kPp, Collective::kUnicast);
    hand.join(0, operation, {hand.compute(0, sender)});
    hand.compute(1, 10, {hand.join(1, operation, {hand.compute(1, receiver)})});
    return run_late_graph(topology_, hand.graph(), arrivals);
  };
  const std::uint64_t alone = run(100, 100, {}).records[1][1].end - 100;
  ASSERT_LT(alone, 1000U);
  // Receivers that are there long before, while it is on its way, within the overhead after it, and
  // long after.
  for (const auto& [sender, receiver] :
       {std::pair(1000, 100), std::pair(100, 150), std::pair(100, static_cast<int>(100 + alone)),
        std::pair(100, 2000)}) {
    SCOPED_TRACE(testing::PrintToString(std::pair(sender, receiver)));
    const GraphOutcome late = run(sender, receiver, late_);
    const std::uint64_t sent = sender + overhead_, ready = receiver + overhead_;
    const std::uint64_t end = std::max(sent + alone, ready);
    EXPECT_EQ(late.records[1][1].end, end);
    const RankTime& time = late.times[1];
    const std::uint64_t bubble = std::max(sender, receiver) - receiver;
    EXPECT_EQ(time.bubble, bubble);
    EXPECT_EQ(time.exposed(), end - receiver - bubble);
    EXPECT_EQ(time.end, end + 10);
  }
}

// Pipeline stages pass their results on to each other.
TEST(LateInference, IsTheSameHoweverMuchIsSkipped) {
  for (const char* config : {"configs/mesh_2x2.yaml", "configs/fred_small.yaml"}) {
    const Topology topology = load_config(config).topology;
    for (const Strategy& strategy : {Strategy{4, 1, 1}, Strategy{2, 1, 2}, Strategy{1, 2, 2}}) {
      SCOPED_TRACE(config + to_string(strategy));
      InferenceOptions options{.strategy = strategy, .context = 100};
      options.microbatches = static_cast<std::uint64_t>(strategy.pp);
      options.batch = 8;
      options.steps = 3;
      const TaskGraph graph =
          inference_graph("small", kSmallTransformer, options, kPicosecondSpeed, topology);
      const Arrivals arrivals(kTenthOfMicrosecond, {SkewKind::kNormal, 3 * kTenthOfMicrosecond}, 4,
                              topology.clock_hz);
      const GraphOutcome late = run_late_graph(topology, graph, arrivals);
      const GraphOutcome whole = run_late_graph(topology, graph, arrivals, {.skip = false});
      EXPECT_EQ(comparable_results(late.result), comparable_results(whole.result));
      EXPECT_GT(late.result.cycles, run_late_graph(topology, graph, {}).result.cycles);
      // Tasks that come as they are needed.
      Simulation simulation;
      Machine machine("machine", topology, {});
      const ShapePlans plans = plan_shapes(topology, graph, OnConflict::kRefuse);
      GraphOutcome streamed;
      simulation.run([&] {
        ExactRun engine(machine, plans);
        engine.set_arrivals(arrivals);
        GraphTasks source(graph);
        streamed = run_tasks(engine, source);
      });
      EXPECT_EQ(comparable_results(late.result), comparable_results(streamed.result));
    }
  }
}

TEST(LateTraining, EveryScheduleOfGradientsAddsUp) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  const ModelShape model = read_model_file("configs/models/small.yaml");
  const Arrivals arrivals(kTenthOfMicrosecond, {SkewKind::kUniform, 5 * kTenthOfMicrosecond}, 2,
                          topology.clock_hz);
  for (const Strategy& strategy : {Strategy{1, 4, 1}, Strategy{2, 2, 1}, Strategy{1, 2, 2}})
    for (const Schedule* const gradients : schedules()) {
      SCOPED_TRACE(to_string(strategy) + " " + std::string(gradients->name()));
      const TrainingOptions options{.strategy = strategy,
                                    .minibatch = 8,
                                    .microbatches = 2,
                                    .accounting = Accounting::kOverlap,
                                    .gradients = gradients,
                                    .bucket_bytes = 40'000};
      const TaskGraph graph = training_graph(model, options, {{}, 1e15}, topology);
      const GraphOutcome late = run_late_graph(topology, graph, arrivals);
      const GraphOutcome whole = run_late_graph(topology, graph, arrivals, {.skip = false});
      EXPECT_EQ(comparable_results(late.result), comparable_results(whole.result));
      EXPECT_EQ(late.critical_path, whole.critical_path);
      EXPECT_GT(late.result.cycles, run_late_graph(topology, graph, {}).result.cycles);
    }
}

}  // namespace
}  // namespace fredsim::test
