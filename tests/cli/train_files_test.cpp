// SPDX-License-Identifier: Apache-2.0
// `fredsim train` with Chakra traces and text workloads of ASTRA-sim, from files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/program.h"
#include "support/temporary_folder.h"
#include "workload_files/chakra_writer.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

const std::string kMesh = "configs/mesh_2x2.yaml";

class TrainFiles : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.file(name), std::ios::binary) << text;
    return folder_.file(name);
  }
  // Four ranks that each compute 2 us, all-reduce 64 KiB, and compute 1 us.
  std::string write_traces() {
    for (int rank = 0; rank < 4; ++rank) {
      ChakraWriter writer;
      writer.add({.id = 0, .name = "a", .type = TraceNodeType::kCompute, .duration_ps = 2'000'000});
      writer.add({.id = 1,
                  .name = "sum",
                  .type = TraceNodeType::kCollective,
                  .after = {0},
                  .bytes = 65536,
                  .group = "all"});
      writer.add({.id = 2,
                  .name = "b",
                  .type = TraceNodeType::kCompute,
                  .after = {1},
                  .duration_ps = 1'000'000});
      write("t." + std::to_string(rank) + ".et", writer.text());
    }
    return folder_.file("t");
  }
  TemporaryFolder folder_;
};

TEST_F(TrainFiles, TracesTakeWhatTheirCollectiveTakesAlone) {
  const std::string prefix = write_traces();
  const std::string groups = write("groups.json", R"({"all": [0, 1, 2, 3]})");
  const Words words{"train", kMesh, "--trace", prefix, "--comm-groups", groups};
  Words with_json = words;
  with_json.insert(with_json.end(), {"--json", "-"});
  const Outcome traced = run_fredsim(with_json);
  ASSERT_EQ(traced.exit_code, 0) << traced.err;
  const json run = traced.json()["runs"][0];
  const Outcome alone = run_fredsim({"run", kMesh, "--size", "64KiB", "--json", "-"});
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const json collective = alone.json()["runs"][0];
  EXPECT_NEAR(run["time_ns"], 3000 + collective["time_ns"].get<double>(), 2);
  EXPECT_EQ(run["links"].size(), collective["links"].size());
  for (std::size_t l = 0; l < run["links"].size(); ++l)
    EXPECT_EQ(run["links"][l]["bytes"], collective["links"][l]["bytes"]);
  EXPECT_TRUE(run["strategy"].is_null());
  const Outcome text = run_fredsim(words);
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_TRUE(text.out.starts_with(prefix + ": traces, 4 ranks, 12 nodes")) << text.out;
  EXPECT_EQ(text.out.find("sys["), std::string::npos) << text.out;
  Words as_astra = words;
  as_astra.insert(as_astra.end(), {"--format", "astra"});
  const Outcome astra = run_fredsim(as_astra);
  ASSERT_EQ(astra.exit_code, 0) << astra.err;
  EXPECT_TRUE(astra.out.starts_with("sys[0] finished, ")) << astra.out;
  for (const char* part :
       {"\nsys[3] finished, ", " cycles, exposed communication ", " cycles.\n", "\nlinks: "})
    EXPECT_NE(astra.out.find(part), std::string::npos) << part << " in\n" << astra.out;
  EXPECT_EQ(std::ranges::count(astra.out, '\n'), 5) << astra.out;
}

// Every rank sends before it receives, and receives after it has sent; and a computation that waits
// for a message comes in the file before the one that lets the other rank send it.
TEST_F(TrainFiles, RanksBeyondTheNpusAreNamed) {
  const std::string groups = write("groups.json", R"({"all": [0, 1, 2, 3]})");
  const auto idealised = [&](const std::string& machine) {
    const Outcome outcome = run_fredsim(
        {"train", machine, "--trace", write_traces(), "--comm-groups", groups, "--json", "-"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json()["runs"][0]["idealised"].dump();
  };
  const std::string text = "runs ranks 2 to 3 on its I/O controllers";
  EXPECT_NE(idealised("mesh@npu.count=2,fabric.width=2,fabric.height=1,io.count=4").find(text),
            std::string::npos);
  EXPECT_EQ(idealised(kMesh).find("I/O controllers"), std::string::npos);
}

TEST_F(TrainFiles, SendersDoNotWaitForReceivers) {
  const auto message = [](TraceNodeType type, std::uint64_t id, std::vector<std::uint64_t> after,
                          int peer) {
    return TraceNode{
        .id = id, .type = type, .after = std::move(after), .bytes = 10'000, .peer = peer};
  };
  const auto compute = [](std::uint64_t id, std::vector<std::uint64_t> after) {
    return TraceNode{.id = id,
                     .type = TraceNodeType::kCompute,
                     .after = std::move(after),
                     .duration_ps = 5'000'000};
  };
  for (int rank = 0; rank < 4; ++rank) {
    ChakraWriter ring;
    ring.add(message(TraceNodeType::kSend, 0, {}, (rank + 1) % 4));
    ring.add(message(TraceNodeType::kReceive, 1, {0}, (rank + 3) % 4));
    ring.add(compute(2, {1}));
    write("ring." + std::to_string(rank) + ".et", ring.text());
  }
  ChakraWriter first, second;
  first.add(compute(0, {3}));
  first.add(compute(1, {}));
  first.add(message(TraceNodeType::kSend, 2, {1}, 1));
  first.add(message(TraceNodeType::kReceive, 3, {}, 1));
  second.add(message(TraceNodeType::kReceive, 0, {}, 0));
  second.add(message(TraceNodeType::kSend, 1, {0}, 0));
  write("pair.0.et", first.text());
  write("pair.1.et", second.text());
  for (const auto& [name, computing_ns] : {std::pair("ring", 5000.0), std::pair("pair", 10000.0)}) {
    SCOPED_TRACE(name);
    const Outcome outcome =
        run_fredsim({"train", kMesh, "--trace", folder_.file(name), "--json", "-"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json run = outcome.json()["runs"][0];
    EXPECT_GT(run["time_ns"], computing_ns);
    EXPECT_LT(run["time_ns"], computing_ns + 500);
    EXPECT_NEAR(run["critical_path_ns"]["compute"], computing_ns, 2);
  }
}

// Two process groups of the same ranks, to which the ranks come in different orders.
TEST_F(TrainFiles, CollectivesMeetByTheirProcessGroup) {
  const auto write_ranks = [&](bool one_after_the_other) {
    for (std::uint64_t rank = 0; rank < 2; ++rank) {
      ChakraWriter writer;
      for (std::uint64_t i = 0; i < 2; ++i) {
        const bool is_first = i == rank;  // rank 0: group 1, then 2
        writer.add({.id = 10 * rank + i,
                    .name = is_first ? "small" : "large",
                    .type = TraceNodeType::kCollective,
                    .after = one_after_the_other && i == 1 ? std::vector{10 * rank}
                                                           : std::vector<std::uint64_t>{},
                    .bytes = is_first ? 4096U : 65536U,
                    .group = is_first ? "1" : "2"});
      }
      write("g." + std::to_string(rank) + ".et", writer.text());
    }
    return Words{"train",         kMesh,
                 "--trace",       folder_.file("g"),
                 "--comm-groups", write("groups.json", R"({"1": [0, 1], "2": [0, 1]})")};
  };
  Words words = write_ranks(false);
  words.insert(words.end(), {"--json", "-"});
  const Outcome free = run_fredsim(words);
  ASSERT_EQ(free.exit_code, 0) << free.err;
  EXPECT_EQ(free.json()["runs"][0]["operations"]["complete"], 2);

  const std::string json_file = folder_.file("none.json");
  words = write_ranks(true);
  words.insert(words.end(), {"--json", json_file});
  const Outcome stuck = run_fredsim(words);
  EXPECT_EQ(stuck.exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(json_file));
  for (const char* part : {"does not come to its end",
                           "rank 0 at node 0 (small), number 1 of group '1' of ranks 0,1, to which "
                           "have not come: rank 1",
                           "rank 1 at node 10 (large), number 1 of group '2' of ranks 0,1, to "
                           "which have not come: rank 0",
                           "A circle:",
                           "rank 0 waits in node 0 (small), number 1 of group '1' of ranks 0,1 for "
                           "rank 1, which waits in "
                           "node 10 (large), number 1 of group '2' of ranks 0,1"})
    EXPECT_NE(stuck.err.find(part), std::string::npos) << part << " in\n" << stuck.err;
}

// Each of two ranks receives before it sends.
TEST_F(TrainFiles, MessagesThatWaitForEachOtherAreNamed) {
  for (int rank = 0; rank < 2; ++rank) {
    ChakraWriter writer;
    writer.add({.id = 1, .type = TraceNodeType::kReceive, .bytes = 100, .peer = 1 - rank});
    writer.add(
        {.id = 2, .type = TraceNodeType::kSend, .after = {1}, .bytes = 100, .peer = 1 - rank});
    write("m." + std::to_string(rank) + ".et", writer.text());
  }
  const Outcome stuck = run_fredsim({"train", kMesh, "--trace", folder_.file("m")});
  EXPECT_EQ(stuck.exit_code, 1);
  EXPECT_NE(
      stuck.err.find("rank 0 waits in node 1, number 1 of messages of tag 0 from rank 1 to "
                     "rank 0 for rank 1, which waits in node 1, number 1 of messages of tag 0 "
                     "from rank 0 to rank 1"),
      std::string::npos)
      << stuck.err;
}

TEST_F(TrainFiles, ZeroIsAllRanksWithoutAFileOfGroups) {
  for (const char* group : {"", "0"}) {
    for (int rank = 0; rank < 4; ++rank) {
      ChakraWriter writer;
      writer.add({.id = 0, .type = TraceNodeType::kCollective, .bytes = 4096, .group = group});
      write("z." + std::to_string(rank) + ".et", writer.text());
    }
    const Outcome outcome =
        run_fredsim({"train", kMesh, "--trace", folder_.file("z"), "--json", "-"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["runs"][0]["operations"]["complete"], 1);
  }
}

TEST_F(TrainFiles, ATextWorkloadRunsForwardAndBackward) {
  const std::string file =
      write("w.txt",
            "HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n2\n"
            "a -1 1000 ALLREDUCE 4096 1000 ALLREDUCE 4096 1000 ALLREDUCE 8192 10\n"
            "b -1 1000 NONE 0 1000 NONE 0 1000 ALLREDUCE 8192 10\n");
  const Outcome outcome =
      run_fredsim({"train", kMesh, "--workload", file, "--iterations", "3", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json run = outcome.json()["runs"][0];
  EXPECT_EQ(run["iterations"], 3);
  EXPECT_EQ(run["iterations_ns"].size(), 3U);
  EXPECT_EQ(run["operations"]["complete"], 3 * 4);
  EXPECT_GT(run["time_ns"], 3 * 6000);
  EXPECT_GT(run["breakdown_ns"]["mp"], 0);
  EXPECT_GT(run["breakdown_ns"]["dp"], 0);
}

TEST_F(TrainFiles, ExportedTracesTakeTheSameCycles) {
  int number = 0;
  for (const char* machine : {"configs/mesh_2x2.yaml", "configs/fred_small.yaml"}) {
    for (const Words& work : {Words{"--mp", "2", "--pp", "2"}, Words{"--mp", "2", "--dp", "2"},
                              Words{"--dp", "2", "--pp", "2", "--accounting", "overlap"},
                              Words{"--dp", "4", "--gradients", "zero2", "--optimizer", "adam"}}) {
      const std::string prefix = folder_.file("e" + std::to_string(number++));
      Words words{"train",          machine,   "--workload", "configs/models/small.yaml",
                  "--export-et",    prefix,    "--json",     "-",
                  "--compute-rate", "1PFLOP/s"};
      words.insert(words.end(), work.begin(), work.end());
      const Outcome own = run_fredsim(words);
      ASSERT_EQ(own.exit_code, 0) << own.err;
      const Outcome traced = run_fredsim({"train", machine, "--trace", prefix, "--comm-groups",
                                          prefix + ".groups.json", "--json", "-"});
      ASSERT_EQ(traced.exit_code, 0) << traced.err;
      const json a = own.json()["runs"][0], b = traced.json()["runs"][0];
      for (const char* key : {"cycles", "links", "switches", "traffic", "operations"})
        EXPECT_EQ(a[key], b[key]) << key;
      EXPECT_EQ(a["breakdown_ns"].contains("memory"), b["breakdown_ns"].contains("memory"));
      if (a["breakdown_ns"].contains("memory")) {
        EXPECT_EQ(a["breakdown_ns"]["memory"].get<double>() * 2, b["breakdown_ns"]["memory"]);
      }
    }
  }
}

TEST_F(TrainFiles, ExportsAreWholeOrRefused) {
  const auto exported = [&](const std::string& prefix, const Words& more) {
    Words words{"train",       "configs/fred_small.yaml",
                "--workload",  "configs/models/small.yaml",
                "--export-et", prefix};
    words.insert(words.end(), more.begin(), more.end());
    return run_fredsim(words);
  };
  expect_refused(exported(folder_.file("no/such"), {}), {"--export-et", "no/such.0.et"});
  write("x.1.et", "");
  expect_refused(exported(folder_.file("x"), {}), {"--export-et", "x.1.et", "1 ranks"});
  EXPECT_FALSE(std::filesystem::exists(folder_.file("x.0.et")));
  std::filesystem::create_directory(folder_.file("d.groups.json"));
  expect_refused(exported(folder_.file("d"), {}), {"d.groups.json", "directory"});
  EXPECT_FALSE(std::filesystem::exists(folder_.file("d.0.et")));
  const std::string json_file = folder_.file("j.groups.json");
  expect_refused(exported(folder_.file("j"), {"--json", json_file}), {"--export-et", "--json"});
  expect_refused(run_fredsim({"train", kMesh, "--trace", write_traces(), "--export-et", "y"}),
                 {"--export-et", "--trace"});
}

TEST_F(TrainFiles, BadFilesAndOptionsAreRefused) {
  const std::string prefix = write_traces();
  const std::string text = write("w.txt", "DATA\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n");
  const std::vector<std::pair<Words, std::string>> cases{
      {{"--trace", prefix}, "pg_name: found all; groups of that name are given by --comm-groups"},
      {{"--trace", folder_.file("none")}, "none.0.et: no such file"},
      {{"--trace", prefix, "--workload", "gpt3"}, "--trace: found"},
      {{"--trace", prefix, "--optimizer", "sgd"}, "--optimizer: found 'sgd'; traces say"},
      {{"--trace", prefix, "--dp", "4"}, "--dp: found '4'; traces say what is done"},
      {{"--workload", text, "--pp", "2"}, "--pp: found '2'; text workloads say what is done"},
      {{"--workload", text, "--mp", "2"}, "DATA: --mp: the type says"},
      {{"--comm-groups", text}, "--comm-groups: found"},
  };
  for (const auto& [words, want] : cases) {
    Words all{"train", kMesh};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run_fredsim(all);
    EXPECT_EQ(outcome.exit_code, 2) << want;
    EXPECT_NE(outcome.err.find(want), std::string::npos) << want << " in\n" << outcome.err;
  }
  write("t.2.et", "damaged");
  const Outcome outcome = run_fredsim({"train", kMesh, "--trace", prefix});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("t.2.et: the "), std::string::npos) << outcome.err;
}

// A result without time is refused: exit code 2 and a remedy. If some traces take time, the ones
// without are named.
TEST_F(TrainFiles, TracesWithoutTimeAreRefusedOrNamed) {
  const auto traced = [&](const std::vector<TraceNode>& nodes) {
    ChakraWriter writer;
    for (const TraceNode& node : nodes) writer.add(node);
    for (int rank = 0; rank < 4; ++rank) write("u." + std::to_string(rank) + ".et", writer.text());
    return run_fredsim({"train", kMesh, "--trace", folder_.file("u"), "--json", "-"});
  };
  const TraceNode metadata{.id = 0, .name = "m"};
  const TraceNode host{.id = 1, .name = "aten::mm", .type = TraceNodeType::kCompute};
  const TraceNode kernel{
      .id = 2, .name = "gemm", .type = TraceNodeType::kCompute, .duration_ps = 2'000'000};
  const TraceNode sum{.id = 3, .name = "sum", .type = TraceNodeType::kCollective, .bytes = 4096};
  for (const std::vector<TraceNode>& nodes :
       {std::vector<TraceNode>{}, {metadata}, {host}, {metadata, host}})
    expect_refused(traced(nodes), {"u.0.et: found ", "nothing that takes time", "duration_micros",
                                   "chakra_trace_link"});
  for (const std::vector<TraceNode>& nodes : {std::vector{metadata, host, kernel}, {host, sum}}) {
    const Outcome outcome = traced(nodes);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json run = outcome.json()["runs"][0];
    EXPECT_GT(run["iteration_ns"], 0);
    EXPECT_NE(run["idealised"].dump().find(nodes.back().id == 2 ? "4 of 8 computations"
                                                                : "4 of 4 computations"),
              std::string::npos);
  }
  EXPECT_EQ(traced({kernel}).json()["runs"][0]["idealised"].dump().find("have no time"),
            std::string::npos);
}

// A collective of one rank, and work that is too little for a cycle, take no time either.
TEST_F(TrainFiles, WorkThatTakesNoCycleIsRefused) {
  ChakraWriter writer;
  writer.add({.id = 0, .name = "sum", .type = TraceNodeType::kCollective, .bytes = 4096});
  write("o.0.et", writer.text());
  expect_refused(run_fredsim({"train", kMesh, "--trace", folder_.file("o"), "--quiet"}),
                 {"found nothing that takes time"});
}

// The ranks of components that have failed have empty traces, as exports write them.
TEST_F(TrainFiles, ExportsOfMachinesWithFailedControllersRunThere) {
  const Words words{"train",        "configs/mesh_2x2.yaml",
                    "--workload",   "configs/models/small.yaml",
                    "--dp",         "4",
                    "--fault",      "io:1",
                    "--iterations", "2",
                    "--json",       "-"};
  Words exporting = words;
  exporting.insert(exporting.end(), {"--export-et", folder_.file("e")});
  const Outcome trained = run_fredsim(exporting);
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const Outcome traced =
      run_fredsim({"train", kMesh, "--trace", folder_.file("e"), "--comm-groups",
                   folder_.file("e.groups.json"), "--fault", "io:1", "--json", "-"});
  ASSERT_EQ(traced.exit_code, 0) << traced.err;
  EXPECT_EQ(traced.json()["runs"][0]["cycles"], trained.json()["runs"][0]["cycles"]);
  expect_refused(run_fredsim({"train", kMesh, "--trace", folder_.file("e"), "--comm-groups",
                              folder_.file("e.groups.json"), "--fault", "io:0"}),
                 {"io0 found, which has failed"});
}

}  // namespace
}  // namespace fredsim
