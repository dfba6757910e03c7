// SPDX-License-Identifier: Apache-2.0
// Rules of traces: times of nodes, algorithms by collective, and traces that do a collective.
#include "workload/trace_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/config.h"
#include "support/temporary_folder.h"
#include "support/traces.h"
#include "workload/trace_graph.h"
#include "workload/trace_tasks.h"

namespace fredsim {
namespace {

using Computing = TraceRules::Computing;

TraceNode node(std::uint64_t id, TraceNodeType type, std::vector<std::uint64_t> after = {}) {
  return {.id = id, .name = "n", .type = type, .after = std::move(after)};
}

class TraceRulesTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::vector<std::vector<TraceNode>>& ranks) {
    for (std::size_t r = 0; r < ranks.size(); ++r)
      write_trace(folder_.file(name) + "." + std::to_string(r) + ".et", ranks[r]);
    return folder_.file(name);
  }
  TaskGraph graph(const std::string& prefix, const TraceRules& rules) {
    TaskGraph graph = trace_graph(check_traces(prefix), {}, speed_, topology_, rules);
    graph.check();
    return graph;
  }
  // Time of the only task of rank 0.
  double ns_of(const TraceNode& only, const TraceRules& rules) {
    const TaskGraph made = graph(write("one", {{only}}), rules);
    return static_cast<double>(made.ranks[0].tasks.at(0).cycles) * 1e9 /
           static_cast<double>(topology_.clock_hz);
  }
  TemporaryFolder folder_;
  Topology topology_ = load_config("configs/mesh_2x2.yaml").topology;
  ComputeSpeed speed_{.npu = {.peak_gflops = 1000, .memory_bandwidth = 1'000'000'000'000}};
};

TEST_F(TraceRulesTest, ComputationsTakeTheirDurationOrTheRoofline) {
  TraceNode both = node(0, TraceNodeType::kCompute);
  both.duration_ps = 7'000'000;
  both.operations = 3'000'000;    // 3 us
  both.tensor_bytes = 2'000'000;  // 2 us
  TraceRules rules{.untimed_ps = 1000};
  constexpr double kCycle = 0.7;  // ns
  EXPECT_NEAR(ns_of(both, rules), 7000, kCycle);
  rules.computing = Computing::kReplay;
  EXPECT_NEAR(ns_of(both, rules), 7000, kCycle);
  rules.computing = Computing::kRoofline;
  EXPECT_NEAR(ns_of(both, rules), 3000, kCycle);
  both.on_cpu = true;
  EXPECT_NEAR(ns_of(both, rules), 7000, kCycle);
  both.duration_ps = 0;
  EXPECT_NEAR(ns_of(both, rules), 1, kCycle);
  rules.computing = Computing::kWritten;
  EXPECT_NEAR(ns_of(both, rules), 3000, kCycle);
}

TEST_F(TraceRulesTest, RecordedCommunicationsTakeTheirTimeBesideComputations) {
  TraceNode reduce = node(0, TraceNodeType::kCollective);
  reduce.bytes = 4096;
  reduce.duration_ps = 5'000'000;
  reduce.priority = 2;
  TraceNode compute = node(1, TraceNodeType::kCompute);
  compute.duration_ps = 7'000'000;
  const std::string prefix = write("recorded", {{reduce, compute}});  // no second rank meets it
  const TraceFiles files = check_traces(prefix);
  EXPECT_EQ(files.timed_communications, 1U);
  const TaskGraph made = graph(prefix, {.replays_communication = true});
  ASSERT_EQ(made.ranks[0].tasks.size(), 2U);
  EXPECT_TRUE(made.operations.empty());
  EXPECT_TRUE(made.has_lanes);
  const Task& communication = made.ranks[0].tasks[0];
  EXPECT_EQ(communication.category, TimeCategory::kMp);
  EXPECT_NE(communication.lane, made.ranks[0].tasks[1].lane);
  EXPECT_NEAR(
      static_cast<double>(communication.cycles) * 1e9 / static_cast<double>(topology_.clock_hz),
      5000, 0.7);
}

TEST_F(TraceRulesTest, LoadsTakeLatencyAndBandwidthOfTheMemory) {
  TraceNode load = node(0, TraceNodeType::kLoad);
  load.tensor_bytes = 1'000'000;
  constexpr double kCycle = 0.7;
  TraceRules rules;
  EXPECT_NEAR(ns_of(load, rules), 1000, kCycle);
  rules.memory = {.latency_ps = 250'000, .bandwidth = 100'000'000'000};
  EXPECT_NEAR(ns_of(load, rules), 10'250, kCycle);
  rules.memory = {.is_missing = true};
  const std::string message = refusal_of([&] { ns_of(load, rules); });
  EXPECT_NE(message.find("one.0.et"), std::string::npos) << message;
  EXPECT_NE(message.find("found MEM_LOAD_NODE; allowed: with a memory-type"), std::string::npos)
      << message;
}

TEST_F(TraceRulesTest, ReplayHasNoCommunication) {
  TraceNode sum = node(0, TraceNodeType::kCollective);
  sum.bytes = 4096;
  sum.duration_ps = 5'000'000;
  const std::string prefix = write("sum", {{sum}, {sum}});
  EXPECT_EQ(graph(prefix, {}).operations.size(), 1U);
  const TaskGraph made = graph(prefix, {.replays_all = true});
  EXPECT_TRUE(made.operations.empty());
  EXPECT_EQ(made.ranks[1].tasks.at(0).cycles, topology_.clock_hz / 200'000);
}

TEST_F(TraceRulesTest, EachCollectiveHasItsAlgorithm) {
  TraceNode sum = node(0, TraceNodeType::kCollective);
  sum.bytes = 4096;
  TraceNode all = sum;
  all.id = 1;
  all.collective = TraceCollective::kAllToAll;
  const std::string prefix = write("two", {{sum, all}, {sum, all}});
  const TaskGraph made =
      graph(prefix, {.algorithm = "direct", .algorithms = {{Collective::kAllReduce, "ring"}}});
  ASSERT_EQ(made.shapes.size(), 2U);
  EXPECT_EQ(made.shapes[0].work[0].algorithm, "ring");
  EXPECT_EQ(made.shapes[1].work[0].algorithm, "direct");
}

// Rank 1 of the group sends to rank 0, which computes and sends back.
class TraceScheduleTest : public TraceRulesTest {
 protected:
  static TraceNode message(std::uint64_t id, bool sends, int peer,
                           std::vector<std::uint64_t> after = {}) {
    TraceNode made =
        node(id, sends ? TraceNodeType::kSend : TraceNodeType::kReceive, std::move(after));
    made.bytes = 1000;
    made.peer = peer;
    return made;
  }
  std::string schedule() {
    TraceNode add = node(1, TraceNodeType::kCompute, {0});
    add.duration_ps = 1'000'000;
    return write("schedule", {{message(0, false, 1), add, message(2, true, 1, {1})},
                              {message(0, true, 0), message(1, false, 0, {0})}});
  }
  std::string work() {
    TraceNode sum = node(5, TraceNodeType::kCollective);
    sum.bytes = 4096;
    const TraceNode after = node(6, TraceNodeType::kCompute, {5});
    return write("work", {{sum, after}, {sum, after}});
  }
};

TEST_F(TraceScheduleTest, TakesThePlaceOfACollective) {
  const TraceRules rules{.schedules = {{Collective::kAllReduce, schedule()}}};
  const TaskGraph made = graph(work(), rules);
  ASSERT_EQ(made.operations.size(), 2U);
  for (const OperationShape& shape : made.shapes)
    EXPECT_EQ(shape.work[0].collective, Collective::kUnicast);
  const std::vector<Task>& first = made.ranks[0].tasks;
  ASSERT_EQ(first.size(), 4U);
  EXPECT_TRUE(first[1].computes());
  EXPECT_EQ(first[2].after, std::vector<int>{1});
  EXPECT_EQ(first[3].after, (std::vector<int>{0, 1, 2}));  // of the whole schedule
  EXPECT_EQ(made.ranks[1].tasks.size(), 3U);
}

TEST_F(TraceScheduleTest, IsReadTheSameAsAStream) {
  const TraceRules rules{.schedules = {{Collective::kAllReduce, schedule()}}};
  const TraceFiles files = check_traces(work());
  const CommGroups none;
  TraceTasks tasks(files, none, speed_, topology_, rules);
  const TaskGraph made = graph(work(), rules);
  for (int rank = 0; rank < 2; ++rank) {
    Task task;
    for (const Task& want : made.ranks[static_cast<std::size_t>(rank)].tasks) {
      ASSERT_TRUE(tasks.next(rank, task));
      EXPECT_EQ(task.after, want.after);
      EXPECT_EQ(task.computes(), want.computes());
      EXPECT_EQ(task.cycles, want.cycles);
    }
    EXPECT_FALSE(tasks.next(rank, task));
  }
}

TEST_F(TraceScheduleTest, RefusesOtherNumbersOfRanksAndOtherNodes) {
  const TraceRules rules{.schedules = {{Collective::kAllReduce, schedule()}}};
  TraceNode sum = node(5, TraceNodeType::kCollective);
  sum.bytes = 4096;
  const std::string three = write("three", {{sum}, {sum}, {sum}});
  EXPECT_NE(refusal_of([&] {
              graph(three, rules);
            }).find("found a group of 3 ranks with a schedule of 2"),
            std::string::npos);
  const TraceRules nested{.schedules = {{Collective::kAllReduce, work()}}};
  EXPECT_NE(refusal_of([&] { graph(work(), nested); }).find("found COMM_COLL_NODE"),
            std::string::npos);
}

}  // namespace
}  // namespace fredsim
