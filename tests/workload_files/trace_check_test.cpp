// SPDX-License-Identifier: Apache-2.0
// Refusals of the traces of all ranks before anything runs.
#include "workload_files/trace_check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/temporary_folder.h"
#include "support/traces.h"
#include "workload_files/trace_feeder.h"

namespace fredsim {
namespace {

class TraceCheck : public testing::Test {
 protected:
  void write(int rank, const std::vector<TraceNode>& nodes) {
    write_trace(prefix_ + "." + std::to_string(rank) + ".et", nodes);
  }
  void expect_refusal(const std::string& want) {
    const std::string message = refusal_of([&] { check_traces(prefix_); });
    EXPECT_NE(message.find(want), std::string::npos) << "'" << message << "'";
  }
  TemporaryFolder folder_;
  std::string prefix_ = folder_.file("t");
};

TraceNode message(TraceNodeType type, std::uint64_t id, int peer, std::uint64_t bytes = 8,
                  std::uint32_t tag = 0) {
  return {.id = id, .type = type, .bytes = bytes, .peer = peer, .tag = tag};
}

TEST_F(TraceCheck, SoundTracesOfAllRanksAreCounted) {
  write(0, {compute_node(5, {9}), compute_node(9), message(TraceNodeType::kSend, 1, 1)});
  write(1, {message(TraceNodeType::kReceive, 0, 0), compute_node(3, {0})});
  const TraceFiles files = check_traces(prefix_);
  EXPECT_EQ(files.paths.size(), 2U);
  EXPECT_EQ(files.nodes, 5U);
}

// Nodes with neither duration nor operations nor bytes take no time; a trace of only such nodes is
// refused, with a remedy.
TEST_F(TraceCheck, TracesInWhichNothingTakesTimeAreRefused) {
  const auto node = [](TraceNodeType type, std::uint64_t ps, std::uint64_t ops,
                       std::uint64_t bytes) {
    return TraceNode{
        .id = 1, .type = type, .duration_ps = ps, .operations = ops, .tensor_bytes = bytes};
  };
  using Type = TraceNodeType;
  const auto message_with = [&](const TraceNode& one) {
    write(0, {{.id = 0, .type = Type::kMetadata}, compute_node(5, {0}), one});
    return refusal_of([&] { check_takes_time(check_traces(prefix_)); });
  };
  for (const TraceNode& timed :
       {node(Type::kCompute, 1, 0, 0), node(Type::kCompute, 0, 1, 0), node(Type::kCompute, 0, 0, 1),
        node(Type::kLoad, 1, 0, 0), node(Type::kStore, 0, 0, 1), node(Type::kCollective, 0, 0, 0)})
    EXPECT_EQ(message_with(timed), "");
  for (const TraceNode& untimed : {node(Type::kCompute, 0, 0, 0), node(Type::kLoad, 0, 7, 0),
                                   node(Type::kMetadata, 5, 5, 5)}) {
    const std::string message = message_with(untimed);
    for (const char* words : {"t.0.et: found 3 nodes of 1 rank, ",
                              "nothing that takes time; allowed: ", "duration_micros", "num_ops",
                              "tensor_size", "chakra_trace_link", "--chakra-device-trace"})
      EXPECT_NE(message.find(words), std::string::npos) << words << " in " << message;
  }
  write(0, {});
  EXPECT_NE(refusal_of([&] { check_takes_time(check_traces(prefix_)); }), "");
  write(0, {compute_node(5), compute_node(6), node(Type::kStore, 2, 0, 0)});
  const TraceFiles files = check_traces(prefix_);
  EXPECT_EQ(files.computations, 3U);
  EXPECT_EQ(files.untimed, 2U);
}

TEST_F(TraceCheck, MissingFiles) {
  expect_refusal("t.0.et: no such file");
  write(0, {});
  write(2, {});
  expect_refusal("t.1.et: no such file, but there is");
}

TEST_F(TraceCheck, AnIdThatComesTwice) {
  write(0, {compute_node(1), compute_node(1)});
  expect_refusal("node 1 (c): id: comes twice");
}

TEST_F(TraceCheck, ADependencyOnANodeThatIsNotThere) {
  write(0, {compute_node(1), compute_node(2, {1, 7})});
  expect_refusal("node 2: dependencies: found 7, which is no node of this file");
}

// Control dependencies of a recorded trace are its call stack, with callers that were left out.
TEST_F(TraceCheck, CallersThatAreNotThereMakeATraceARecordedOne) {
  const auto node = [](std::uint64_t id, std::uint64_t caller, bool on_cpu) {
    return delimited(varint_field(1, id) + varint_field(3, 4) + varint_field(4, caller) +
                     bytes_field(10, bytes_field(1, "is_cpu_op") + varint_field(27, on_cpu)));
  };
  const std::string begin = delimited(bytes_field(1, "0.0.4"));
  write_file(prefix_ + ".0.et", begin + node(1, 3, true) + node(2, 1, true));
  const TraceFiles recorded = check_traces(prefix_);
  EXPECT_EQ(recorded.dependencies, TraceDependencies::kData);
  EXPECT_EQ(recorded.missing_callers, 1U);
  EXPECT_FALSE(recorded.has_lanes);
  TraceFeeder feeder(recorded.paths[0], 9, recorded.dependencies);
  EXPECT_TRUE(feeder.next() && feeder.next()) << "neither waits for its caller";
  const auto asked = [&](TraceDependencies which) {
    return check_traces(trace_name(prefix_), which).dependencies;
  };
  EXPECT_EQ(asked(TraceDependencies::kData), TraceDependencies::kData);
  EXPECT_NE(refusal_of([&] { asked(TraceDependencies::kAll); })
                .find("node 1: dependencies: found 3, which is no node of this file; allowed in "
                      "recorded traces: --dependencies data"),
            std::string::npos);
  write_file(prefix_ + ".0.et",
             begin + node(1, 3, true) +
                 delimited(varint_field(1, 2) + varint_field(3, 4) + varint_field(5, 3)));
  expect_refusal("node 2: dependencies: found 3, which is no node of this file");
  write_file(prefix_ + ".0.et", begin + node(1, 2, true) + node(2, 2, false));
  expect_refusal("a circle");
  write_file(prefix_ + ".0.et",
             begin + node(1, 2, true) + delimited(varint_field(1, 2) + varint_field(3, 4)));
  const TraceFiles whole = check_traces(prefix_);
  EXPECT_EQ(whole.dependencies, TraceDependencies::kAll);
  EXPECT_TRUE(whole.has_lanes) << "of a CPU and an accelerator";
  const TraceFiles data = check_traces(trace_name(prefix_), TraceDependencies::kData);
  EXPECT_EQ(data.dependencies, TraceDependencies::kData);
  EXPECT_EQ(data.missing_callers, 0U);
}

// Groups as Chakra's converter and others write them into METADATA nodes.
TEST_F(TraceCheck, GroupsComeFromTheMetadata) {
  const auto init = [](const std::string& values, const std::string& more = "") {
    return delimited(bytes_field(1, "0.0.4")) +
           delimited(varint_field(1, 3) + bytes_field(2, "## process_group:init ##") +
                     varint_field(3, 1) + bytes_field(8, bytes_field(1, values)) + more);
  };
  const auto attribute = [](const std::string& name, const std::string& value) {
    return bytes_field(10, bytes_field(1, name) + value);
  };
  write_file(prefix_ + ".0.et",
             init(R"(['[{"pg_name": "0", "backend_config": "cuda:nccl", "ranks": [], )"
                  R"("group_size": 3}, {"pg_name": "dp", "ranks": [0, 2]}]'])"));
  write_file(prefix_ + ".1.et", init(R"(["[{\"pg_name\": \"tp\", \"ranks\": [1]}]"])"));
  write_file(prefix_ + ".2.et",
             init("no list",
                  attribute("pg_name", bytes_field(29, "pp")) +
                      attribute("ranks", bytes_field(10, bytes_field(1, varint(1) + varint(2))))));
  const CommGroups all{{"0", {0, 1, 2}}, {"dp", {0, 2}}, {"tp", {1}}, {"pp", {1, 2}}};
  EXPECT_EQ(check_traces(prefix_).groups, all);
  write_file(prefix_ + ".1.et", init(R"(['[{"pg_name": "dp", "ranks": [1, 7]}]'])"));
  EXPECT_FALSE(check_traces(prefix_).groups.contains("tp"));
  EXPECT_EQ(check_traces(prefix_).groups.at("dp"), all.at("dp")) << "rank 7 has no trace";
  write_file(prefix_ + ".1.et", init(R"(['[{"pg_name": "dp", "ranks": [1, 2]}]'])"));
  expect_refusal("t.1.et: process group 'dp': found ranks 1, 2, and 0, 2 in another rank's trace");
}

TEST_F(TraceCheck, ACircleIsNamed) {
  write(0, {compute_node(0), compute_node(1, {0, 3}), compute_node(2, {1}), compute_node(3, {2})});
  expect_refusal("a circle, each after the next: 1, 3, 2, 1");
  write(0, {compute_node(4, {4})});
  expect_refusal("a circle, each after the next: 4, 4");
}

TEST_F(TraceCheck, SendsAndReceivesThatDoNotMeet) {
  write(0, {message(TraceNodeType::kSend, 1, 1)});
  write(1, {});
  expect_refusal("t.0.et: node 1: comm_dst: found rank 1, which has no receive with tag 0");
  write(1, {message(TraceNodeType::kReceive, 3, 0, 8, 1)});
  expect_refusal("which has no");
  write(1, {message(TraceNodeType::kReceive, 3, 0, 9)});
  expect_refusal("comm_size: found 9, but its counterpart, node 1 of rank 0, has 8");
  write(0, {});
  expect_refusal("t.1.et: node 3: comm_src: found rank 0, which has no send with tag 0");
  write(0, {message(TraceNodeType::kSend, 1, 2)});
  expect_refusal("found 2; there are 2 ranks");
}

}  // namespace
}  // namespace fredsim
