// SPDX-License-Identifier: Apache-2.0
// `fredsim astra`: ASTRA-sim's files and options, its lines, and what becomes of its keys.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/program.h"
#include "support/temporary_folder.h"
#include "workload_files/chakra_writer.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr std::uint64_t kBytes = 1 << 20;

class Astra : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.file(name), std::ios::binary) << text;
    return folder_.file(name);
  }
  // Traces of ranks that do the same.
  void write_traces(int ranks, const std::vector<TraceNode>& nodes) {
    for (int rank = 0; rank < ranks; ++rank) {
      ChakraWriter writer;
      for (const TraceNode& node : nodes) writer.add(node);
      write(fmt::format("work.{}.et", rank), writer.text());
    }
  }
  static TraceNode collective(TraceCollective type, std::uint64_t bytes = kBytes) {
    return {.id = 0,
            .name = "c",
            .type = TraceNodeType::kCollective,
            .collective = type,
            .bytes = bytes};
  }
  static std::string ring(int npus) {
    return fmt::format(
        "topology: [ Ring ]\nnpus_count: [ {} ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n", npus);
  }
  Words words(const std::string& system, const std::string& network, Words more = {}) {
    Words all{"astra", "--workload-configuration=" + folder_.file("work"),
              "--system-configuration=" + write("system.json", system),
              "--network-configuration=" + write("network.yml", network)};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  json run_of(const Words& given) {
    Words all = given;
    all.insert(all.end(), {"--json", "-", "--quiet"});
    const Outcome outcome = run_fredsim(all);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json();
  }
  TemporaryFolder folder_;
};

constexpr const char* kRing = R"({
  "scheduling-policy": "LIFO",
  "endpoint-delay": 10,
  "active-chunks-per-dimension": 1,
  "preferred-dataset-splits": 4,
  "all-reduce-implementation": ["ring"],
  "all-gather-implementation": ["ring"],
  "all-to-all-implementation": ["ring"],
  "collective-optimization": "localBWAware",
  "local-mem-bw": 1600,
  "roofline-enabled": 0,
  "peak-perf": 900,
  "boost-mode": 0
})";

TEST_F(Astra, PrintsItsLinesAndTellsEachKey) {
  write_traces(4, {collective(TraceCollective::kAllReduce)});
  const Outcome outcome = run_fredsim(words(kRing, ring(4)));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::string line;
  for (int rank = 0; rank < 4; ++rank) {
    ASSERT_TRUE(std::getline(lines, line)) << outcome.out;
    EXPECT_TRUE(line.starts_with(fmt::format("sys[{}] finished, ", rank))) << line;
    EXPECT_TRUE(line.ends_with(" cycles.")) << line;
  }
  EXPECT_FALSE(std::getline(lines, line)) << line;
  for (const char* text : {"mapped", "ignored", "unsupported", "all-reduce-implementation [ring]:",
                           "endpoint-delay 10:", "boost-mode 0:"})
    EXPECT_NE(outcome.err.find(text), std::string::npos) << text << " in\n" << outcome.err;
  const json run = run_of(words(kRing, ring(4)));
  std::map<std::string, std::string> uses;
  for (const json& key : run["astra_keys"]) uses[key["key"]] = key["use"];
  EXPECT_EQ(uses.size(), 12U);
  EXPECT_EQ(uses["preferred-dataset-splits"], "mapped");
  EXPECT_EQ(uses["peak-perf"], "ignored");
  EXPECT_EQ(uses["local-mem-bw"], "unsupported");
}

// One way round, chunk by chunk; the packets of a block go on as they arrive.
TEST_F(Astra, RingsTakeTheTimeOfTheirSteps) {
  constexpr double kRate = 50 * 1.073741824;  // bytes/ns
  constexpr double kLatency = 500;            // ns
  constexpr double kChunk = kBytes / 4.0;
  const struct {
    TraceCollective type;
    int npus, steps;
    double block;
  } cases[] = {{TraceCollective::kAllGather, 4, 3, kChunk},
               {TraceCollective::kReduceScatter, 4, 3, kChunk / 4},
               {TraceCollective::kAllReduce, 8, 14, kChunk / 8}};
  const char* const system = R"({
    "preferred-dataset-splits": 4, "active-chunks-per-dimension": 1,
    "all-reduce-implementation": ["ring"], "all-gather-implementation": ["ring"],
    "reduce-scatter-implementation": ["ring"]})";
  for (const auto& [type, npus, steps, block] : cases) {
    write_traces(npus, {collective(type)});
    const double hop = block / kRate;
    const double want = 4 * std::max(steps * hop + kLatency, steps * kLatency + hop);
    for (const char* engine : {"exact", "flow"}) {
      const double time = run_of(words(system, ring(npus), {"--engine", engine}))["time_ns"];
      EXPECT_NEAR(time, want, 0.01 * want) << engine << ", " << npus;
    }
  }
}

TEST_F(Astra, WordsOfDimensionsAreAlgorithms) {
  write_traces(8, {collective(TraceCollective::kAllReduce)});
  const std::string network =
      "topology: [ Switch, Ring ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 100, 50 ]\n"
      "latency: [ 500, 500 ]\n";
  const auto says = [&](const std::string& list) {
    const json run =
        run_of(words(fmt::format(R"({{"all-reduce-implementation": {}}})", list), network));
    return run.is_null() ? std::string() : run["astra_keys"][0]["says"].get<std::string>();
  };
  EXPECT_EQ(says(R"(["halvingDoubling", "ring"])"), "algorithm halving_doubling,ring");
  EXPECT_EQ(says(R"(["direct4", "doubleBinaryTree"])"),
            "algorithm direct,tree; messages of a direct exchange have no window");
  expect_refused(run_fredsim(words(R"({"all-reduce-implementation": ["ring"]})", network)),
                 {"all-reduce-implementation: found 1 words; allowed: 2"});
  expect_refused(run_fredsim(words(R"({"all-reduce-implementation": ["ring", "rign"]})", network)),
                 {"system.json:1: all-reduce-implementation.2: found 'rign'; did you mean 'ring'"});
  expect_refused(
      run_fredsim(words(R"({"all-reduce-implementation": ["oneRing", "ring"]})", network)),
      {"found 'oneRing', over all dimensions at once; allowed"});
}

TEST_F(Astra, ComputationsFollowTheRoofline) {
  const TraceNode compute{.id = 0,
                          .name = "a",
                          .type = TraceNodeType::kCompute,
                          .duration_ps = 9'000'000,
                          .operations = 2'000'000'000,
                          .tensor_bytes = 1'000'000};
  write_traces(2, {compute});
  const std::string rates = R"("peak-perf": 100, "local-mem-bw": 50)";
  const auto time_of = [&](const std::string& more) {
    return run_of(words("{" + rates + more + "}", ring(2)))["ranks"][1]["compute_ns"].get<double>();
  };
  EXPECT_NEAR(time_of(""), 9000, 1);
  EXPECT_NEAR(time_of(R"(, "roofline-enabled": 1)"), 20'000, 1);  // 1 MB at 50 GB/s
  EXPECT_NEAR(time_of(R"(, "roofline-enabled": 1, "replay-only": 1)"), 9000, 1);
}

TEST_F(Astra, LoadsNeedAMemory) {
  write_traces(2, {{.id = 0, .name = "l", .type = TraceNodeType::kLoad, .tensor_bytes = 100'000}});
  const std::string none = write("none.json", R"({"memory-type": "NO_MEMORY_EXPANSION"})");
  const std::string own = write("own.json", R"({"memory-type": "PER_NPU_MEMORY_EXPANSION",
      "remote-mem-latency": 300, "remote-mem-bw": 10})");
  const std::string system = R"({"preferred-dataset-splits": 1})";
  const Outcome refused =
      run_fredsim(words(system, ring(2), {"--remote-memory-configuration", none}));
  expect_refused(refused, {"work.0.et", "found MEM_LOAD_NODE; allowed: with a memory-type"});
  const json run = run_of(words(system, ring(2), {"--remote-memory-configuration", own}));
  EXPECT_NEAR(run["ranks"][0]["memory_ns"].get<double>(), 10'300, 1);
}

// Two ranks exchange halves; found beside the system file.
TEST_F(Astra, TracesMayDoACollective) {
  write_traces(2, {collective(TraceCollective::kAllReduce)});
  for (int rank = 0; rank < 2; ++rank) {
    ChakraWriter writer;
    TraceNode message{.id = 0, .type = TraceNodeType::kSend, .bytes = 4096, .peer = 1 - rank};
    writer.add(message);
    message.id = 1;
    message.type = TraceNodeType::kReceive;
    writer.add(message);
    write(fmt::format("exchange.{}.et", rank), writer.text());
  }
  const json run = run_of(words(R"({"all-reduce-implementation-custom": ["exchange"]})", ring(2)));
  EXPECT_EQ(run["traffic"]["injected_bytes"], 2 * 4096);
}

TEST_F(Astra, OptionsOfItsScriptsAreTakenOrRefused) {
  write_traces(2, {collective(TraceCollective::kAllReduce)});
  const std::string system = R"({"preferred-dataset-splits": 1})";
  EXPECT_EQ(run_fredsim(words(system, ring(2),
                              {"--comm-group-configuration=empty", "--logging-folder=log",
                               "--logging-configuration=empty", "--num-queues-per-dim=1",
                               "--compute-scale=1", "--comm-scale=1.0", "--injection-scale=1",
                               "--rendezvous-protocol=false"}))
                .exit_code,
            0);
  const std::vector<std::pair<std::string, std::string>> refused{
      {"--num-queues-per-dim=2", "--num-queues-per-dim: found '2'; allowed: 1"},
      {"--comm-scale=2", "--comm-scale: found '2'; allowed: 1"},
      {"--rendezvous-protocol=true", "--rendezvous-protocol: found 'true'; allowed: false"},
      {"--logical-topology-configuration=x", "--logical-topology-configuration"}};
  for (const auto& [option, want] : refused)
    expect_refused(run_fredsim(words(system, ring(2), {option})), {want});
  expect_refused(run_fredsim(words(system, ring(4) + "extra: 1\n")), {"network.yml", "extra"});
}

}  // namespace
}  // namespace fredsim
