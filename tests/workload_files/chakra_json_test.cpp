// SPDX-License-Identifier: Apache-2.0
// Chakra traces as JSON: each form is read like protobuf, and faults are named.
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/temporary_folder.h"
#include "support/traces.h"
#include "workload_files/chakra_reader.h"
#include "workload_files/trace_check.h"

namespace fredsim {
namespace {

void write_zipped(const std::string& path, const std::string& text) {
  const gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
  gzclose(file);
}

std::string text_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ChakraJson : public testing::Test {
 protected:
  std::vector<TraceNode> nodes_in(const std::string& name, const std::string& text) {
    write_file(folder_.file(name), text);
    return read_trace(folder_.file(name));
  }
  TemporaryFolder folder_;
};

const std::string kMetadataJson =
    R"({"version": "0.0.4", "attr": [{"name": "k", "stringVal": "v"}]})";
const std::string kComputeJson =
    R"({"id": "1", "name": "mm", "type": "COMP_NODE", "startTimeMicros": "3", "durationMicros": "12",
        "attr": [{"name": "is_cpu_op", "boolVal": false}, {"name": "num_ops", "int64Val": "77"}]})";
const std::string kReduceJson =
    R"({"id": "2", "name": "sum", "type": "COMM_COLL_NODE", "dataDeps": ["1"], "ctrlDeps": ["1"],
        "attr": [{"name": "comm_type", "int64Val": "0"}, {"name": "comm_size", "uint64Val": "300"},
                 {"name": "involved_dim", "boolList": {"values": [true, false]}}]})";

std::vector<TraceNode> expected() {
  TraceNode mm = compute_node(1);
  mm.name = "mm";
  mm.start_ps = 3'000'000;
  mm.duration_ps = 12'000'000;
  mm.operations = 77;
  TraceNode sum{.id = 2, .name = "sum", .type = TraceNodeType::kCollective, .after = {1}};
  sum.callers = {1};
  sum.bytes = 300;
  sum.dimensions = {true, false};
  return {mm, sum};
}

// The jsonizer writes messages without anything between them.
TEST_F(ChakraJson, MessagesAreReadLikeProtobufsInEachForm) {
  const std::string line = kMetadataJson + "\n" + kComputeJson + "\n" + kReduceJson + "\n";
  EXPECT_EQ(nodes_in("t.0.jsonl", line), expected());
  EXPECT_EQ(nodes_in("t.0.json", kMetadataJson + kComputeJson + kReduceJson), expected());
  EXPECT_EQ(
      nodes_in("l.json", "[" + kMetadataJson + ", " + kComputeJson + ",\n" + kReduceJson + "]"),
      expected());
  EXPECT_EQ(nodes_in("n.json", kComputeJson + kReduceJson), expected()) << "no metadata";
  for (const char* const name : {"z.json.gz", "z.jsonl.gz", "z.gz"}) {
    write_zipped(folder_.file(name), line);
    EXPECT_EQ(read_trace(folder_.file(name)), expected()) << name;
  }
  EXPECT_EQ(nodes_in("noname", line), expected()) << "told by the first bytes";
  ChakraReader reader(folder_.file("t.0.json"));
  EXPECT_EQ(reader.texts().at("k"), "v");
}

TEST_F(ChakraJson, ProtobufMayBeGzips) {
  write_trace(folder_.file("a.et"), {compute_node(4)});
  write_zipped(folder_.file("z.0.et.gz"), text_in(folder_.file("a.et")));
  EXPECT_EQ(read_trace(folder_.file("z.0.et.gz")), read_trace(folder_.file("a.et")));
}

// Names of keys as the feeder has them, and as old files do.
TEST_F(ChakraJson, TheFeedersFormIsRead) {
  const std::vector<TraceNode> nodes = nodes_in("f.0.json", R"({"soc": "x", "ngpus": 8,
      "workload_graph": [
        {"Id": 216, "Name": "aten::mm", "NodeType": 4, "ctrlDeps": [3], "data_deps": [],
         "runtime": 318, "is_cpu_op": true},
        {"Id": 217, "Name": "nccl", "NodeType": 7, "data_deps": [216], "is_cpu_op": false,
         "comm_type": 5, "comm_size": 64, "pg_name": "1", "stream": 20}],
      "note": {"by": ["nobody"]}, "last": 1})");
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_TRUE(nodes[0].on_cpu);
  EXPECT_EQ(nodes[0].duration_ps, 318'000'000U);
  EXPECT_EQ(nodes[0].callers, std::vector<std::uint64_t>{3});
  EXPECT_EQ(nodes[1].collective, TraceCollective::kBroadcast);
  EXPECT_EQ(nodes[1].bytes, 64U);
  EXPECT_EQ(nodes[1].group, "1");
  EXPECT_EQ(nodes[1].stream, 20);
  EXPECT_EQ(nodes[1].after, std::vector<std::uint64_t>{216});
}

TEST_F(ChakraJson, OtherJsonIsRefusedWithTheCommandThatConvertsIt) {
  const auto refusal = [&](const std::string& text) {
    return refusal_of([&] { nodes_in("o.json", text); });
  };
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {R"({"schema": "1.0.2-chakra.0.0.4", "pid": 7, "nodes": [{"id": 2}]})",
            "which has no durations; allowed: a Chakra trace, as fredsim trace convert PROFILE "
            "--host"},
           {R"({"schemaVersion": 1, "traceEvents": []})", "fredsim trace convert"},
           {R"({"a": 1})", "workload_graph: found none"}}) {
    const std::string message = refusal(text);
    EXPECT_NE(message.find("o.json: "), std::string::npos) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
  }
}

// Bad input: what the file has, and what the message says of it.
TEST_F(ChakraJson, FaultsAreNamedByFileNodeAndField) {
  struct Case {
    std::string text, want;
  };
  const std::string head = kMetadataJson + "\n";
  const std::vector<Case> cases{
      {"", "t.json: an empty file"},
      {" \n", "t.json: an empty file"},
      {head + kComputeJson.substr(0, 60), "the text ends in the middle"},
      {"[" + kMetadataJson + ",", "the text ends in the middle"},
      {"[" + kMetadataJson, "the text ends in the middle"},
      {"[" + kMetadataJson + " " + kComputeJson + "]", "found '{'; allowed: ',' or ']'"},
      {"[" + kMetadataJson + "] x", "found 'x'; allowed: the end of the file"},
      {R"({"workload_graph": [{"Id": 1}], "a)", "the text ends in the middle"},
      {R"({"workload_graph": 5})", "found '5'; allowed: '[', a list of nodes"},
      {R"({"workload_graph": [5]})", "found '5'; allowed: an object"},
      {head + "{\"id\": 1,, }", "t.json: no JSON at byte"},
      {head + "5", "node number 1: found 5; allowed: an object"},
      {head + R"({"id": "x"})", "node x: id: found \"x\"; allowed: a whole number, 0 to 1844"},
      {head + R"({"id": -1})", "node number 1: id: found -1; allowed: a whole number"},
      {head + R"({"id": 1.5})", "node number 1: id: found 1.5; allowed: a whole number"},
      {head + R"({"id": [1]})", "node number 1: id: found array; allowed: a whole number"},
      {head + R"({"id": 18446744073709551616})", "id: found 1.8446744073709552e+19"},
      {head + R"({"id": 1e999})", "a number too large"},
      {head + R"({"id": 3, "name": 7})", "node 3: name: found 7; allowed: a text"},
      {head + R"({"id": 3, "name": "a", "type": "COMP"})",
       "node 3 (a): type: found \"COMP\"; allowed: a type of node"},
      {head + R"({"id": 3, "type": 9})", "node 3: type: found 9; allowed: 1 to 7"},
      {head + R"({"id": 3, "dataDeps": "1"})", "node 3: dataDeps: found \"1\"; allowed: a list"},
      {head + R"({"id": 3, "dataDeps": [true]})", "node 3: dataDeps[0]: found true"},
      {head + R"({"id": 3, "colour": 1})", "node 3: colour: found the key; allowed: "},
      {head + R"({"id": 3, "attr": [{"name": "a", "int32Val": 2147483648}]})",
       "node 3: attr[0]: int32Val: found 2147483648; allowed: a whole number, -2147483648 to "},
      {head + R"({"id": 3, "attr": [{"name": "a", "boolVal": 1}]})",
       "node 3: attr[0]: boolVal: found 1; allowed: true or false"},
      {head + R"({"id": 3, "attr": [{"bytesVal": "?"}]})",
       "bytesVal: found \"?\"; allowed: base64"},
      {head + R"({"id": 3, "attr": [{"floatVal": 1e39}]})",
       "floatVal: found 1e+39; allowed: a number"},
      {head + R"({"id": 3, "attr": [{"doubleVal": "one"}]})", "doubleVal: found \"one\""},
      {head + R"({"id": 3, "attr": [{"doubleVal": 1, "boolVal": true}]})",
       "found a second value; allowed: one"},
      {head + R"({"id": 3, "attr": [{"boolList": [true]}]})",
       "boolList: found array; allowed: an object"},
      {R"({"version": 4})", "metadata: version: found 4; allowed: a text"},
      {R"({"workload_graph": [{"Name": "a"}]})", "node number 1: Id: found nothing"},
      {R"({"workload_graph": [{"Id": 1, "runtime": "long"}]})", "node 1: runtime: found \"long\""},
      {R"({"workload_graph": [{"Id": 1, "is_cpu_op": {}}]})", "node 1: is_cpu_op: found object"},
  };
  for (const Case& one : cases) {
    write_file(folder_.file("t.json"), one.text);
    const std::string message = refusal_of([&] { read_trace(folder_.file("t.json")); });
    EXPECT_NE(message.find(one.want), std::string::npos) << one.text << "\n  " << message;
    EXPECT_EQ(message.find(folder_.file("t.json")), 0U) << message;
  }
}

TEST_F(ChakraJson, DamagedGzipIsRefused) {
  const std::string path = folder_.file("t.json.gz");
  write_zipped(path, kMetadataJson + kComputeJson + kReduceJson);
  const std::string whole = text_in(path);
  for (std::size_t size = 3; size < whole.size(); size += 7) {
    write_file(path, whole.substr(0, size));
    const std::string message = refusal_of([&] { read_trace(path); });
    EXPECT_NE(message.find(path + ": its gzip data ends in the middle"), std::string::npos)
        << size << ": " << message;
  }
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(~damaged[whole.size() / 2]);
  write_file(path, damaged);
  EXPECT_NE(refusal_of([&] { read_trace(path); }).find("its gzip data is damaged"),
            std::string::npos);
}

// A job's files have one ending, told by the word or by rank 0.
TEST_F(ChakraJson, FilesOfAJobAreFoundByTheirEnding) {
  const auto write = [&](const std::string& name) { nodes_in(name, "{\"workload_graph\": []}"); };
  const auto paths = [&](const std::string& word) {
    return check_traces(trace_name(folder_.file(word))).paths;
  };
  write("t.0.json");
  write("t.1.json");
  EXPECT_EQ(paths("t"), (std::vector{folder_.file("t.0.json"), folder_.file("t.1.json")}));
  write_trace(folder_.file("t.0.et"), {});
  EXPECT_EQ(paths("t.1.json").size(), 2U);
  EXPECT_EQ(paths("t.0.et").size(), 1U);
  EXPECT_NE(
      refusal_of([&] { paths("t"); }).find("found files that end on .et, .json; allowed: one"),
      std::string::npos);
  write("t.3.json");
  EXPECT_NE(refusal_of([&] { paths("t.0.json"); }).find("t.2.json: no such file, but there is"),
            std::string::npos);
}

}  // namespace
}  // namespace fredsim
