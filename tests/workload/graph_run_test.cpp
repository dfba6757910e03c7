// SPDX-License-Identifier: Apache-2.0
// Graphs on real machines: order, records of tasks, skipped time, graphs that do not complete.
#include "workload/graph_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "support/simulation.h"
#include "workload/detail/critical_path.h"
#include "workload/graphs.h"

namespace fredsim::test {
namespace {

class GraphRunTest : public testing::TestWithParam<const char*> {
 protected:
  GraphOutcome run(const TaskGraph& graph, const FabricOptions& options = {}) {
    Simulation simulation;
    Machine machine("machine", topology_, options);
    const ShapePlans plans = plan_shapes(topology_, graph, OnConflict::kRefuse);
    GraphOutcome outcome;
    simulation.run([&] { outcome = run_graph(machine, graph, plans); });
    return outcome;
  }
  // Cycles of one all-reduce that all NPUs reach at cycle 0.
  std::uint64_t cycles_alone(std::uint64_t bytes) {
    GraphByHand hand;
    const int operation = hand.operation({0, 1, 2, 3}, bytes);
    for (int npu = 0; npu < 4; ++npu) hand.join(npu, operation);
    return run(hand.graph()).result.cycles;
  }
  Topology topology_ = load_config(GetParam()).topology;
};

TEST_P(GraphRunTest, ComputationsAndCommunicationsFollowEachOther) {
  constexpr std::uint64_t kBytes = 20'000;
  GraphByHand hand;
  const int operation = hand.operation({0, 1, 2, 3}, kBytes);
  for (int npu = 0; npu < 4; ++npu) {
    const int before = hand.compute(npu, npu == 2 ? 900 : 100);
    const int sum = hand.join(npu, operation, {before});
    hand.compute(npu, 50, {sum});
  }
  const GraphOutcome outcome = run(hand.graph());
  EXPECT_EQ(outcome.result.payload, "exact");
  EXPECT_EQ(outcome.result.cycles, 950 + cycles_alone(kBytes));
  for (int npu = 0; npu < 4; ++npu) {
    const TaskRecord& sum = outcome.records[npu][1];
    EXPECT_EQ(sum.begin, 900U);
    EXPECT_EQ(sum.cause_rank, 2);
    EXPECT_EQ(sum.cause_task, 0);
    EXPECT_EQ(outcome.records[npu][2].begin, sum.end);
    EXPECT_EQ(outcome.records[npu][2].end, sum.end + 50);
  }
  const TimeBreakdown parts = critical_path(hand.graph(), outcome);
  EXPECT_EQ(parts[static_cast<std::size_t>(TimeCategory::kCompute)], 950U);
  EXPECT_EQ(parts[static_cast<std::size_t>(TimeCategory::kDp)], outcome.result.cycles - 950);
}

// A CPU thread launches on a stream: both go on side by side, each one at a time.
TEST_P(GraphRunTest, LanesRunSideBySide) {
  GraphByHand hand;
  for (int npu = 0; npu < 4; ++npu) {
    const int first = hand.compute(npu, 100);              // CPU
    const int launched = hand.compute(npu, 300, {first});  // stream
    const int second = hand.compute(npu, 50, {first});     // CPU
    hand.compute(npu, 70, {second});                       // stream, behind the one before
    hand.compute(npu, 10, {launched});                     // another stream
  }
  TaskGraph graph = hand.graph();
  graph.in_order = false;
  EXPECT_EQ(run(graph).result.cycles, 530U) << "one lane";
  graph.has_lanes = true;
  for (TaskRank& rank : graph.ranks)
    for (std::size_t t = 0; t < rank.tasks.size(); ++t) {
      constexpr std::array kLanes{1, 2, 1, 2, 4};
      rank.tasks[t].lane = kLanes[t];
      rank.tasks[t].on_cpu = kLanes[t] == 1;
    }
  const GraphOutcome outcome = run(graph);
  EXPECT_EQ(outcome.result.cycles, 470U);
  EXPECT_EQ(outcome.records[0][3].begin, 400U);
  EXPECT_EQ(outcome.records[0][4].begin, 400U);
  EXPECT_EQ(outcome.times[0].computing(), 470U);
}

// A thread of the CPU whose computations are known for long does not delay what its stream sends.
TEST_P(GraphRunTest, LanesDoNotWaitForALaneFarAhead) {
  constexpr int kLaunches = 1500;
  constexpr std::uint64_t kBytes = 20'000;
  GraphByHand hand;
  const int first = hand.operation({0, 1, 2, 3}, kBytes);
  const int second = hand.operation({0, 1, 2, 3}, kBytes);
  for (int npu = 0; npu < 4; ++npu) {
    int before = hand.join(npu, first);
    int cpu = hand.compute(npu, 100);
    for (int n = 0; n < kLaunches; ++n) {
      before = hand.compute(npu, 10, {before, cpu});
      if (n == 20) hand.join(npu, second, {before});
      cpu = hand.compute(npu, 100, {cpu});
    }
  }
  TaskGraph graph = hand.graph();
  graph.in_order = false;
  graph.has_lanes = true;
  for (TaskRank& rank : graph.ranks)
    for (Task& task : rank.tasks) {
      task.lane = task.cycles == 100 ? 1 : 2;
      task.on_cpu = task.lane == 1;
    }
  const GraphOutcome outcome = run(graph);
  for (int npu = 0; npu < 4; ++npu) {
    const auto sum = std::ranges::find_if(graph.ranks[npu].tasks, [&](const Task& task) {
      return !task.computes() && task.operation == second;
    });
    const TaskRecord& record =
        outcome.records[npu][static_cast<std::size_t>(sum - graph.ranks[npu].tasks.begin())];
    EXPECT_LT(record.begin, 100U * 30);
    EXPECT_LE(record.end, record.begin + cycles_alone(kBytes));
  }
}

TEST_P(GraphRunTest, WhatIsOverlappedIsNotOnTheCriticalPath) {
  GraphByHand hand;
  const int operation = hand.operation({0, 1, 2, 3}, 4'000);
  for (int npu = 0; npu < 4; ++npu) {
    const int sum = hand.join(npu, operation, {hand.compute(npu, 100)});
    hand.compute(npu, 20'000);
    hand.compute(npu, 10, {sum});
  }
  const GraphOutcome outcome = run(hand.graph());
  EXPECT_EQ(outcome.result.cycles, 20'110U);
  EXPECT_EQ(critical_path(hand.graph(), outcome)[0], 20'110U);
}

// Exposed time of an NPU: its wait for an operation from the time at which it reaches it; in a
// collective also the wait for other ranks; never communication during its computation, even on the
// critical path.
TEST_P(GraphRunTest, ExposedIsWhatAnNpuStandsStillFor) {
  GraphByHand hand;
  const int first = hand.operation({0, 1, 2, 3}, 20'000);
  const int second = hand.operation({0, 1, 2, 3}, 20'000);
  for (int npu = 0; npu < 4; ++npu) {
    const int sum = hand.join(npu, first, {hand.compute(npu, npu == 3 ? 300 : 100)});
    hand.compute(npu, 50);
    hand.join(npu, second, {sum});
    hand.compute(npu, 10, {sum});
  }
  const GraphOutcome outcome = run(hand.graph());
  ASSERT_EQ(outcome.times.size(), 4U);
  for (std::size_t npu = 0; npu < 4; ++npu) {
    const RankTime& time = outcome.times[npu];
    const std::vector<TaskRecord>& records = outcome.records[npu];
    EXPECT_EQ(time.of(TimeCategory::kCompute), npu == 3 ? 360U : 160U);
    EXPECT_EQ(time.end, records[3].end);  // end of the second all-reduce, that nobody waits for
    EXPECT_EQ(time.of(TimeCategory::kDp), time.end - time.computing());
    EXPECT_EQ(time.bubble, 0U);
  }
  EXPECT_LT(critical_path(hand.graph(), outcome)[0], 360U);
}

// A wait for data that a peer has not sent yet is a bubble; the remaining wait is exposed.
TEST_P(GraphRunTest, WaitingForASenderIsABubble) {
  GraphByHand hand;
  const int message = hand.operation({0, 1}, 20'000, kPp, Collective::kUnicast);
  hand.join(0, message, {hand.compute(0, 5'000)});
  hand.compute(1, 1'000);
  hand.compute(1, 700, {hand.join(1, message)});
  const GraphOutcome outcome = run(hand.graph());
  const RankTime& time = outcome.times[1];
  EXPECT_EQ(time.computing(), 1'700U);
  EXPECT_EQ(time.bubble, 4'000U);
  EXPECT_EQ(time.exposed(), outcome.records[1][1].end - 5'000);
  EXPECT_EQ(time.end, outcome.result.cycles);
  EXPECT_EQ(outcome.times[0].bubble, 0U);
}

// One operation is in progress when the rest arrive, with the most urgent one last.
TEST_P(GraphRunTest, OfAQueueTheOneThatIsNeededFirstGoesFirst) {
  GraphByHand hand;
  std::vector<int> operations;
  for (const int need : {2, 1, 0}) operations.push_back(hand.queued({0, 1, 2, 3}, 20'000, need));
  const int other = hand.operation({0, 1, 2, 3}, 100, kMp);  // waits for none of them
  for (int npu = 0; npu < 4; ++npu) {
    for (const int operation : operations) hand.join(npu, operation, {hand.compute(npu, 50)});
    hand.join(npu, other);
  }
  const GraphOutcome outcome = run(hand.graph());
  for (const std::vector<TaskRecord>& records : outcome.records) {
    const TaskRecord &first = records[1], &last = records[3], &needed = records[5];
    EXPECT_EQ(first.begin, 50U);
    EXPECT_GT(first.end, 150U);
    EXPECT_GE(needed.begin, first.end);
    EXPECT_GE(last.begin, needed.end);
    EXPECT_LT(records[6].begin, 50U);
    // It waited for the one before it.
    EXPECT_EQ(outcome.records[needed.cause_rank][needed.cause_task].end, needed.begin);
    EXPECT_EQ(needed.cause_task, 1);
    EXPECT_EQ(last.cause_task, 5);
  }
  const TimeBreakdown parts = critical_path(hand.graph(), outcome);
  EXPECT_EQ(parts[static_cast<std::size_t>(TimeCategory::kCompute)], 50U);
}

TEST_P(GraphRunTest, TimeInWhichAllComputeIsNotSimulated) {
  GraphByHand hand;
  const int operation = hand.operation({0, 1, 2, 3}, 4'000);
  for (int npu = 0; npu < 4; ++npu)
    hand.join(npu, operation, {hand.compute(npu, 1'000'000'000'000)});
  const GraphOutcome outcome = run(hand.graph());
  EXPECT_EQ(outcome.result.cycles, 1'000'000'000'000 + cycles_alone(4'000));
  EXPECT_GE(outcome.result.idle_cycles, 999'999'999'000U);
}

// Random graphs: each NPU completes an operation before it reaches the next one of that priority.
TEST_P(GraphRunTest, SkippingChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    GraphByHand hand;
    std::vector<std::vector<int>> done(4);
    std::map<std::pair<int, int>, int> joined;  // NPU and VC -> its last operation there
    for (int i = 0; i < 8; ++i) {
      const int operation =
          hand.operation(random.below(2) == 0 ? std::vector{0, 1, 2, 3} : std::vector{1, 3},
                         1 + random.below(20'000), random.below(2) == 0 ? kDp : kMp);
      for (int npu = 0; npu < 4; ++npu) {
        const auto pick = [&] {
          return done[npu].empty() || random.below(3) == 0 ? std::vector<int>{}
                                                           : std::vector{done[npu].back()};
        };
        done[npu].push_back(hand.compute(npu, random.below(3'000), pick()));
        const CollectiveSpec& spec = hand.graph().shapes.back().work.front();
        if (std::ranges::count(spec.group, npu) == 0) continue;
        std::vector<int> after{done[npu].back()};
        const auto [last, is_first] = joined.try_emplace({npu, spec.vc}, 0);
        if (!is_first) after.push_back(last->second);
        last->second = hand.join(npu, operation, std::move(after));
        done[npu].push_back(last->second);
      }
    }
    const GraphOutcome skipped = run(hand.graph());
    const GraphOutcome whole = run(hand.graph(), {.skip = false});
    EXPECT_EQ(skipped.result.cycles, whole.result.cycles);
    EXPECT_EQ(skipped.result.flit_hops, whole.result.flit_hops);
    EXPECT_EQ(whole.result.idle_cycles, 0U);
    for (std::size_t npu = 0; npu < 4; ++npu)
      for (std::size_t t = 0; t < skipped.records[npu].size(); ++t)
        EXPECT_EQ(skipped.records[npu][t].end, whole.records[npu][t].end);
    critical_path(hand.graph(), whole);
  }
}

TEST_P(GraphRunTest, AGraphWithoutAnEndSaysWhatWaitsForWhat) {
  GraphByHand hand;
  const int a = hand.operation({0, 1}, 4'000);
  const int b = hand.operation({0, 1}, 4'000);
  hand.join(0, b, {hand.join(0, a)});
  hand.join(1, a, {hand.join(1, b)});
  const std::string message =
      message_of<RunFailed>([&] { run(hand.graph(), {.timeout_cycles = 1'000'000}); });
  EXPECT_NE(message.find("does not come to its end"), std::string::npos) << message;
  EXPECT_NE(message.find("NPU 0 at 'all-reduce' of iteration 1, to which have not come: NPU 1"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("NPU 1 at 'all-reduce'"), std::string::npos) << message;
}

TEST_P(GraphRunTest, GraphsOfABuilderThatIsWrongAreRefused) {
  GraphByHand late;
  late.compute(0, 1, {1});
  late.compute(0, 1);
  EXPECT_THROW(late.graph().check(), std::logic_error);
  GraphByHand absent;
  absent.join(0, absent.operation({0, 1}, 4'000));
  EXPECT_THROW(absent.graph().check(), std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(Machines, GraphRunTest,
                         testing::Values("configs/mesh_2x2.yaml", "configs/fred_small.yaml"),
                         [](const auto& machine) {
                           const std::string path = machine.param;
                           return path.find("mesh") != std::string::npos ? "mesh" : "fred";
                         });

}  // namespace
}  // namespace fredsim::test
