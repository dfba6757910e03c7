// SPDX-License-Identifier: Apache-2.0
// Traces of ranks as a task graph: dependencies of tasks, and matching of collectives.
#include "workload/trace_graph.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/config.h"
#include "support/temporary_folder.h"
#include "support/traces.h"

namespace fredsim {
namespace {

TraceNode collective(std::uint64_t id, TraceCollective type, std::uint64_t bytes,
                     std::vector<std::uint64_t> after = {}) {
  return {.id = id,
          .name = "k",
          .type = TraceNodeType::kCollective,
          .after = std::move(after),
          .collective = type,
          .bytes = bytes};
}

class TraceGraphTest : public testing::Test {
 protected:
  void write(const std::vector<std::vector<TraceNode>>& ranks) {
    for (std::size_t r = 0; r < ranks.size(); ++r)
      write_trace(prefix_ + "." + std::to_string(r) + ".et", ranks[r]);
  }
  TaskGraph graph(const CommGroups& groups = {}) {
    TaskGraph graph = trace_graph(check_traces(prefix_), groups, speed_, topology_);
    graph.check();
    return graph;
  }
  void expect_refusal(const std::string& want, const CommGroups& groups = {}) {
    const std::string message = refusal_of([&] { graph(groups); });
    EXPECT_NE(message.find(want), std::string::npos) << "'" << message << "'";
  }
  TemporaryFolder folder_;
  std::string prefix_ = folder_.file("t");
  Topology topology_ = load_config("configs/mesh_2x2.yaml").topology;
  ComputeSpeed speed_{.npu = {.peak_gflops = 1000, .memory_bandwidth = 1'000'000'000'000}};
};

TEST_F(TraceGraphTest, ComputesForItsDurationOrByTheRoofline) {
  TraceNode timed = compute_node(0);
  timed.duration_ps = 2'000'000;
  TraceNode flops = compute_node(1, {0});
  flops.operations = 3'000'000;  // 3 us
  flops.tensor_bytes = 1'000'000;
  TraceNode memory = compute_node(2, {1});
  memory.type = TraceNodeType::kLoad;
  memory.tensor_bytes = 4'000'000;  // 4 us
  write({{timed, flops, memory}});
  const TaskGraph made = graph();
  ASSERT_EQ(made.ranks.size(), 1U);
  const std::vector<Task>& tasks = made.ranks[0].tasks;
  ASSERT_EQ(tasks.size(), 3U);
  const std::uint64_t per_us = topology_.clock_hz / 1'000'000;
  EXPECT_EQ(tasks[0].cycles, 2 * per_us);
  EXPECT_EQ(tasks[1].cycles, 3 * per_us);
  EXPECT_EQ(tasks[2].cycles, 4 * per_us);
  EXPECT_EQ(tasks[1].category, TimeCategory::kCompute);
  EXPECT_EQ(tasks[2].category, TimeCategory::kMemory);
  EXPECT_FALSE(tasks[2].stores);
  EXPECT_EQ(tasks[2].bytes, memory.tensor_bytes);
  speed_.rate = 1e15;  // rate of FLOPs alone
  EXPECT_EQ(graph().ranks[0].tasks[2].cycles, 4 * per_us);
  EXPECT_EQ(tasks[2].after, std::vector<int>{1});
}

TEST_F(TraceGraphTest, MetadataPassesOnWhatItWaitsFor) {
  TraceNode metadata = compute_node(5, {3, 4});
  metadata.type = TraceNodeType::kMetadata;
  write({{compute_node(6, {5}), compute_node(3), metadata, compute_node(4)}});
  const std::vector<Task> tasks = graph().ranks[0].tasks;
  ASSERT_EQ(tasks.size(), 3U);
  EXPECT_EQ(tasks[2].after, (std::vector<int>{0, 1}));
}

TEST_F(TraceGraphTest, TheKthCollectivesOfAGroupMeet) {
  TraceNode pair = collective(1, TraceCollective::kAllGather, 100);
  pair.group = "odd";
  const auto all = [](std::uint64_t id) { return collective(id, TraceCollective::kAllReduce, 64); };
  write({{all(0), all(3)}, {pair, all(2), all(3)}, {all(0), all(1)}, {all(7), pair, all(8)}});
  const TaskGraph made = graph({{"odd", {3, 1}}});
  ASSERT_EQ(made.operations.size(), 3U);
  EXPECT_EQ(made.shapes.size(), 2U);  // the two of all ranks are equal
  EXPECT_EQ(made.operations[0].shape, made.operations[1].shape);
  const CollectiveSpec& gather = made.shapes[made.operations[2].shape].work.at(0);
  EXPECT_EQ(gather.collective, Collective::kAllGather);
  EXPECT_EQ(gather.group, (std::vector<int>{3, 1}));
  EXPECT_EQ(gather.bytes, 200U);  // bytes of both shards
}

TEST_F(TraceGraphTest, GroupsOfEqualRanksAreApart) {
  const auto of = [](std::uint64_t id, const char* group, std::uint64_t bytes) {
    TraceNode node = collective(id, TraceCollective::kAllReduce, bytes);
    node.group = group;
    return node;
  };
  write({{of(0, "1", 64), of(1, "2", 128), of(2, "1", 256)},
         {of(0, "2", 128), of(1, "1", 64), of(2, "1", 256)}});
  const TaskGraph made = graph({{"1", {0, 1}}, {"2", {0, 1}}});
  ASSERT_EQ(made.operations.size(), 3U);
  const auto operation = [&](int rank, int task) { return made.ranks[rank].tasks[task].operation; };
  EXPECT_EQ(operation(0, 0), operation(1, 1));
  EXPECT_EQ(operation(0, 1), operation(1, 0));
  EXPECT_EQ(operation(0, 2), operation(1, 2));
  EXPECT_EQ(made.groups.size(), 2U);
  EXPECT_EQ(made.operations[operation(0, 2)].number, 1U);
}

TEST_F(TraceGraphTest, ZeroIsTheDefaultGroupWhereNoFileSaysOtherwise) {
  TraceNode node = collective(0, TraceCollective::kAllReduce, 64);
  node.group = "0";
  const TraceNode bare = collective(0, TraceCollective::kAllReduce, 64);
  write({{node}, {bare}, {node}});
  EXPECT_EQ(graph().shapes.at(0).work.at(0).group, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(graph({{"1", {0, 1}}}).operations.size(), 1U);
  write({{node}, {node}, {}});
  EXPECT_EQ(graph({{"0", {1, 0}}}).shapes.at(0).work.at(0).group, (std::vector<int>{1, 0}));
}

TEST_F(TraceGraphTest, AllTypesAreThere) {
  for (int type = 0; type <= 9; ++type) {
    SCOPED_TRACE(type);
    TraceNode node = collective(0, static_cast<TraceCollective>(type), 64);
    const bool has_root = type == 1 || type == 3 || type == 4 || type == 5;
    if (has_root) node.peer = 2;
    write({{node}, {node}, {node}, {node}});
    const TaskGraph made = graph();
    ASSERT_EQ(made.shapes.size(), 1U);
    const CollectiveSpec& spec = made.shapes[0].work.at(0);
    EXPECT_EQ(spec.bytes, type == 9 ? 2U : type == 2 || type == 3 ? 256U : 64U);
    EXPECT_EQ(spec.root, has_root ? 2 : 0);
  }
}

TEST_F(TraceGraphTest, SendsMeetReceivesOfTheirTagInOrder) {
  const auto message = [](TraceNodeType type, std::uint64_t id, int peer, std::uint32_t tag,
                          std::uint64_t bytes) {
    return TraceNode{.id = id, .type = type, .bytes = bytes, .peer = peer, .tag = tag};
  };
  write({{message(TraceNodeType::kSend, 0, 1, 7, 10), message(TraceNodeType::kSend, 1, 1, 8, 20),
          message(TraceNodeType::kSend, 2, 1, 7, 30)},
         {message(TraceNodeType::kReceive, 0, 0, 8, 20),
          message(TraceNodeType::kReceive, 1, 0, 7, 10),
          message(TraceNodeType::kReceive, 2, 0, 7, 30)}});
  const TaskGraph made = graph();
  const auto bytes = [&](int rank, int task) {
    return made.shapes[made.operations[made.ranks[rank].tasks[task].operation].shape].work[0].bytes;
  };
  EXPECT_EQ(bytes(1, 0), 20U);
  EXPECT_EQ(bytes(1, 1), 10U);
  EXPECT_EQ(bytes(1, 2), 30U);
}

TEST_F(TraceGraphTest, InvolvedDimensionsAreThoseOfTheMachine) {
  TraceNode rows = collective(0, TraceCollective::kAllReduce, 64);
  rows.dimensions = {true, false};
  write({{rows}, {rows}, {rows}, {rows}});
  const TaskGraph made = graph();
  ASSERT_EQ(made.shapes.size(), 2U);
  EXPECT_EQ(made.shapes[0].work[0].group, (std::vector<int>{0, 1}));
  EXPECT_EQ(made.shapes[1].work[0].group, (std::vector<int>{2, 3}));
  rows.dimensions = {false, true};
  write({{rows}, {rows}, {rows}, {rows}});
  EXPECT_EQ(graph().shapes[0].work[0].group, (std::vector<int>{0, 2}));
  rows.dimensions = {true, false, true};
  write({{rows}, {rows}, {rows}, {rows}});
  expect_refusal("involved_dim: found 3 dimensions; mesh_2x2 has 2");
}

TEST_F(TraceGraphTest, RanksBeyondTheNpusAreIoControllers) {
  TraceNode load = collective(0, TraceCollective::kBroadcast, 64);
  load.group = "load";
  write({{load}, {load}, {}, {}, {load}});
  const TaskGraph made = graph({{"load", {4, 0, 1}}});
  EXPECT_EQ(made.shapes[0].work[0].group, (std::vector<int>{-1, 0, 1}));
}

TEST_F(TraceGraphTest, RefusalsNameFileNodeAndField) {
  const TraceNode all = collective(0, TraceCollective::kAllReduce, 64);
  TraceNode other = collective(0, TraceCollective::kAllReduce, 65);
  write({{all}, {other}});
  expect_refusal("t.1.et: node 0 (k): comm_size: found 65, but " + prefix_ +
                 ".0.et: node 0 (k): comm_size has 64");
  other = collective(0, TraceCollective::kAllToAll, 64);
  write({{all}, {other}});
  expect_refusal("comm_type: found ALL_TO_ALL, but");
  write({{all}, {}});
  expect_refusal(
      "t.0.et: node 0 (k): comm_type: a ALL_REDUCE that rank 1 of its group does not have");
  other.group = "tp";
  write({{other}, {}});
  expect_refusal("pg_name: found tp; groups of that name are given by --comm-groups");
  expect_refusal("pg_name: found tp; no group has that name", {{"x", {0, 1}}});
  expect_refusal("pg_name: found tp, a group without rank 0", {{"tp", {1}}});
}

// Rank 1 sends nothing and is sent to; rank 2 has equal shares.
TEST_F(TraceGraphTest, UnequalAllToAllsAreMatrices) {
  TraceNode uneven = collective(1, TraceCollective::kAllToAll, 90);
  uneven.group = "three";
  TraceNode silent = uneven, equal = uneven;
  uneven.splits = {20, 30, 40};
  silent.bytes = 0;
  silent.splits = {0, 0, 0};
  TraceNode later = uneven;
  later.id = 2;
  later.after = {1};
  later.splits.clear();
  const auto after = [](TraceNode node, const TraceNode& first) {
    node.after = {first.id};
    return node;
  };
  write({{uneven, later}, {silent, after(later, silent)}, {equal, after(later, equal)}});
  const TaskGraph made = graph({{"three", {2, 0, 1}}});
  ASSERT_EQ(made.operations.size(), 2U);
  const CollectiveSpec& spec = made.shapes[made.operations[0].shape].work.at(0);
  EXPECT_EQ(spec.collective, Collective::kAllToAllV);
  EXPECT_EQ(spec.group, (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(spec.matrix, (std::vector<std::uint64_t>{30, 30, 30, 20, 30, 40, 0, 0, 0}));
  EXPECT_EQ(spec.bytes, 60U);
  EXPECT_EQ(made.shapes[made.operations[1].shape].work.at(0).collective, Collective::kAllToAll)
      << "the next one has equal shares";
  uneven.splits = {20, 70};
  write({{uneven}, {silent}, {equal}});
  expect_refusal("fredsim_splits: found 2 sizes; allowed: 3", {{"three", {2, 0, 1}}});
  for (TraceNode* const one : {&uneven, &silent, &equal}) {
    one->bytes = 0;
    one->splits = {0, 0, 0};
  }
  write({{uneven}, {silent}, {equal}});
  EXPECT_TRUE(graph({{"three", {2, 0, 1}}}).operations.empty()) << "nobody sends";
}

TEST_F(TraceGraphTest, RanksThatShareATraceHaveGroupsOfTheirOwn) {
  TraceNode pair = collective(1, TraceCollective::kAllReduce, 64);
  pair.group = "tp";
  write({{pair}});
  write_file(prefix_ + ".ranks.json", R"({"traces": ["t.0.et"], "ranks": [0, 0, 0, 0]})");
  const TaskGraph made = graph({{"tp@0", {0, 2}}, {"tp@1", {3, 1}}});
  ASSERT_EQ(made.ranks.size(), 4U);
  ASSERT_EQ(made.operations.size(), 2U);
  EXPECT_EQ(made.shapes[made.operations[0].shape].work.at(0).group, (std::vector<int>{0, 2}));
  EXPECT_EQ(made.shapes[made.operations[1].shape].work.at(0).group, (std::vector<int>{3, 1}));
  expect_refusal("pg_name: found tp", {{"tp@0", {0, 2}}});
  TraceNode send{.id = 2, .name = "s", .type = TraceNodeType::kSend, .bytes = 1, .peer = 1};
  write({{send}});
  expect_refusal("found COMM_SEND_NODE in a file of 4 ranks");
}

TEST_F(TraceGraphTest, CollectivesOfNoBytesTakeNoTime) {
  write({{collective(0, TraceCollective::kAllReduce, 0), compute_node(1, {0})},
         {collective(0, TraceCollective::kAllReduce, 0)}});
  const TaskGraph made = graph();
  EXPECT_TRUE(made.operations.empty());
  EXPECT_EQ(made.ranks[0].tasks.size(), 1U);
  EXPECT_TRUE(made.ranks[1].tasks.empty());
}

}  // namespace
}  // namespace fredsim
