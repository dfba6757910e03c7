// SPDX-License-Identifier: Apache-2.0
// System and memory files of ASTRA-sim.
#include "workload_files/astra_system.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary_folder.h"
#include "support/traces.h"

namespace fredsim {
namespace {

using Use = AstraKey::Use;

class AstraFiles : public testing::Test {
 protected:
  AstraSystem system(const std::string& text) {
    write_file(path_, text);
    return read_astra_system(path_);
  }
  AstraMemory memory(const std::string& text) {
    write_file(path_, text);
    return read_astra_memory(path_);
  }
  TemporaryFolder folder_;
  std::string path_ = folder_.file("s.json");
};

TEST_F(AstraFiles, KeysAreReadAndEachIsTold) {
  const AstraSystem read = system(R"({
    "scheduling-policy": "LIFO",
    "endpoint-delay": 10,
    "active-chunks-per-dimension": 2,
    "preferred-dataset-splits": 4,
    "all-reduce-implementation": ["ring", "direct"],
    "all-to-all-implementation-custom": ["folder/all"],
    "local-mem-bw": 1600.5,
    "peak-perf": 900,
    "roofline-enabled": true,
    "model-shared-bus": 0,
    "boost-mode": 0
  })");
  EXPECT_EQ(read.splits, 4);
  EXPECT_EQ(read.active_chunks, 2);
  EXPECT_TRUE(read.has_roofline);
  EXPECT_FALSE(read.replays);
  EXPECT_EQ(read.peak_tflops, 900);
  EXPECT_EQ(read.memory_gbps, 1600.5);
  const AstraSystem::Words& words = read.implementations[0].by_dimension;
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(words[1].first, "direct");
  EXPECT_EQ(words[1].second, path_ + ":6: all-reduce-implementation.2");
  EXPECT_TRUE(read.implementations[1].by_dimension.empty());
  EXPECT_EQ(read.implementations[3].schedule, "folder/all");
  std::map<std::string, Use> uses;
  for (const AstraKey& key : read.keys) uses[key.key] = key.use;
  EXPECT_EQ(read.keys.size(), 11U);
  EXPECT_EQ(uses["endpoint-delay"], Use::kUnsupported);
  EXPECT_EQ(uses["preferred-dataset-splits"], Use::kMapped);
  EXPECT_EQ(uses["model-shared-bus"], Use::kIgnored);
  EXPECT_EQ(uses["boost-mode"], Use::kIgnored);
  EXPECT_EQ(read.keys[4].found, "[ring, direct]");
  EXPECT_EQ(system(R"({"model-shared-bus": 1})").keys[0].use, Use::kUnsupported);
}

TEST_F(AstraFiles, JsonMayBeIndentedByTabs) {
  EXPECT_EQ(system("{\n\t\"preferred-dataset-splits\":\t3\n}\n").splits, 3);
}

TEST_F(AstraFiles, RefusalsNameLineKeyAndWhatIsAllowed) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", ":1: found what is no JSON"},
      {"{\n\"peak-perf\": 1,\n}", ":3: found what is no JSON"},
      {"[1]", ": found no keys"},
      {"{}", ": found no keys"},
      {R"({"all-reduce-implementatio": ["ring"]})", "did you mean 'all-reduce-implementation'"},
      {"{\n\"preferred-dataset-splits\": 0}",
       ":2: preferred-dataset-splits: found '0'; allowed: an integer from 1 to 4096"},
      {R"({"preferred-dataset-splits": 2.5})", "found '2.5'"},
      {R"({"active-chunks-per-dimension": [1]})", "active-chunks-per-dimension"},
      {R"({"scheduling-policy": "FILO"})", "did you mean 'FIFO'"},
      {R"({"local-mem-bw": -50})", "local-mem-bw: found '-50'; allowed: a number from"},
      {R"({"peak-perf": 1e99})", "peak-perf: found '1e99'"},
      {R"({"roofline-enabled": 1, "peak-perf": 3})", "found without local-mem-bw"},
      {R"({"roofline-enabled": 2})", "allowed: 0, 1, false or true"},
      {R"({"all-reduce-implementation": "ring"})", "all-reduce-implementation"},
      {R"({"all-reduce-implementation": []})", "found an empty list"},
      {R"({"all-reduce-implementation-custom": ["a", "b"]})", "found 2 prefixes"},
      {R"({"peak-perf": 1, "peak-perf": 2})", "peak-perf"},
  };
  for (const auto& [text, want] : cases) {
    const std::string message = refusal_of([&] { system(text); });
    EXPECT_EQ(message.rfind(path_, 0), 0U) << message;
    EXPECT_NE(message.find(want), std::string::npos) << message << "\nof " << text;
  }
  EXPECT_NE(refusal_of([&] { read_astra_system(folder_.file("none")); }).find("none"),
            std::string::npos);
}

TEST_F(AstraFiles, MemoryIsMissingOrThatOfEachNpu) {
  EXPECT_FALSE(memory(R"({"memory-type": "NO_MEMORY_EXPANSION"})").is_there);
  const AstraMemory own = memory(R"({"memory-type": "PER_NPU_MEMORY_EXPANSION",
                                     "remote-mem-latency": 100, "remote-mem-bw": 50})");
  EXPECT_TRUE(own.is_there);
  EXPECT_EQ(own.latency_ns, 100);
  EXPECT_EQ(own.bandwidth_gbps, 50);
  for (const auto& [text, want] : std::vector<std::pair<std::string, std::string>>{
           {R"({"memory-type": "MEMORY_POOL"})",
            "memory-type: found 'MEMORY_POOL'; allowed: NO_MEMORY_EXPANSION or "
            "PER_NPU_MEMORY_EXPANSION"},
           {R"({"remote-mem-bw": 50})", "'memory-type'"},
           {R"({"memory-type": "PER_NPU_MEMORY_EXPANSION"})", "'remote-mem-bw'"},
           {R"({"memory-type": "PER_NPU_MEMORY_EXPANSION", "remote-mem-bw": 0})",
            "remote-mem-bw: found '0'"}}) {
    const std::string message = refusal_of([&] { memory(text); });
    EXPECT_NE(message.find(want), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace fredsim
