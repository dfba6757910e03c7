// SPDX-License-Identifier: Apache-2.0
// `fredsim traffic` with sources beyond one length and a pattern by name: files of rates, bursts,
// requests and replies, traces. Table, JSON and refusals of files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/netrace_writer.h"
#include "support/program.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

using nlohmann::json;

std::vector<std::string> short_traffic(std::vector<std::string> more) {
  more.insert(more.begin(), {"traffic", "configs/mesh_2x2.yaml"});
  return more;
}

std::vector<std::string> at_rate(std::vector<std::string> more) {
  more.insert(more.begin(), {"--warmup", "500", "--cycles", "2000", "--rate", "0.2"});
  return short_traffic(std::move(more));
}

json run_of(const std::vector<std::string>& words) {
  std::vector<std::string> all = words;
  all.insert(all.end(), {"--json", "-"});
  const Outcome outcome = run_fredsim(all);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json();
}

class TrafficFiles : public testing::Test {
 protected:
  std::string written(const std::string& name, const std::string& text) {
    const std::string path = folder_.file(name);
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

 private:
  TemporaryFolder folder_;
};

TEST(TrafficSources, NamesOfAllPatternsAreTaken) {
  for (const char* const pattern :
       {"tornado", "shuffle", "bit_reverse", "bit_rotation", "random_permutation", "asymmetric"}) {
    std::vector<std::string> words = at_rate({"--pattern", pattern});
    words[1] = "configs/mesh.yaml";
    words.insert(words.end(), {"--set", "npu.count=16", "--set", "fabric.width=4", "--set",
                               "io.count=0", "--set", "fabric.height=4"});
    const json run = run_of(words);
    EXPECT_EQ(run["pattern"], pattern);
    EXPECT_EQ(run["saturated"], false);
    EXPECT_GT(run["packets_arrived"], 100);
  }
  const json run = run_of(at_rate({"--pattern", "background", "--excluded-nodes", "0,2-3"}));
  EXPECT_EQ(run["excluded_nodes"], (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(run["sending_nodes"], 3);
}

TEST_F(TrafficFiles, RatesOfAFile) {
  const std::string file = written("rates.csv", "0,0.5,0,0\n0.5,0,0,0\n0,0,0,2\n0,0,0,0\n");
  const json run = run_of(at_rate({"--pattern", file}));
  EXPECT_EQ(run["pattern"], "matrix");
  EXPECT_EQ(run["pattern_file"], file);
  EXPECT_EQ(run["sending_nodes"], 3);
  EXPECT_NEAR(run["offered_rate"].get<double>(), 0.2, 0.03);
  const Outcome saturation = run_fredsim(short_traffic(
      {"--warmup", "500", "--cycles", "1000", "--saturation", "--pattern", file, "--json", "-"}));
  ASSERT_EQ(saturation.exit_code, 0) << saturation.err;
  for (const json& one : saturation.json()["runs"])
    EXPECT_LE(one["rate"].get<double>(), one["injection_limit"].get<double>() / 2 * 1.0001);
}

TEST_F(TrafficFiles, RefusesRatesWithLineAndColumn) {
  const std::string file = written("rates.csv", "0,1,1,1\n1,0,1,-2\n1,1,0,1\n1,1,1,0\n");
  const Outcome outcome = run_fredsim(at_rate({"--pattern", file}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find(
                fmt::format("--pattern {}:2: found '-2' in column 4; allowed: a rate", file)),
            std::string::npos)
      << outcome.err;
  std::vector<std::string> words = at_rate({"--pattern", file});
  words.insert(words.end(), {"--rate", "3.9"});
  EXPECT_EQ(run_fredsim(words).exit_code, 2);
  const std::string strong = written("strong.csv", "0,8,0,0\n0,0,0,0\n0,0,0,0\n0,0,0,0\n");
  const Outcome beyond = run_fredsim(short_traffic({"--rate", "0.5", "--pattern", strong}));
  EXPECT_EQ(beyond.exit_code, 2);
  EXPECT_NE(beyond.err.find("rows of --pattern that add up to 8; allowed: 0.488281 at most"),
            std::string::npos)
      << beyond.err;
}

TEST_F(TrafficFiles, AnOutputMustNotOverwriteThem) {
  const std::string file = written("rates.csv", "0,1,1,1\n1,0,1,1\n1,1,0,1\n1,1,1,0\n");
  const Outcome outcome = run_fredsim(at_rate({"--pattern", file, "--json", file}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("--pattern"), std::string::npos) << outcome.err;
}

TEST(TrafficSources, LengthsBurstsAndRepliesAreInTheResults) {
  const json sizes = run_of(at_rate({"--packet-flits", "1:3,8:1", "--burst", "beta=0.1,r1=0.9"}));
  EXPECT_EQ(sizes["packet_flits"], 2.75);
  EXPECT_EQ(sizes["packet_sizes"], "1:3,8:1");
  EXPECT_EQ(sizes["burst"], "beta=0.1,r1=0.9");
  const json one = run_of(at_rate({"--packet-flits", "3"}));
  EXPECT_TRUE(one["packet_flits"].is_number_integer());
  EXPECT_FALSE(one.contains("packet_sizes"));
  const json replies = run_of(at_rate({"--request-reply", "write=4:1"}));
  EXPECT_EQ(replies["request_reply"], "read=1:8,write=4:1,writes=0.5");
  EXPECT_EQ(replies["packet_flits"], 3.5);
  EXPECT_LT(replies["request_latency_mean"], replies["latency_cycles"]["mean"]);
  const Outcome table = run_fredsim(at_rate({"--request-reply", "write=4:1"}));
  EXPECT_NE(table.out.find("request"), std::string::npos) << table.out;
}

TEST(TrafficSources, BreakDownRequests) {
  const json run = run_of(at_rate({"--request-reply", "writes=0.5", "--breakdown"}));
  ASSERT_TRUE(run.contains("breakdown"));
  EXPECT_EQ(run["breakdown"][0]["packets"], run["packets"]);
}

TEST_F(TrafficFiles, ReplaysATrace) {
  test::NetraceWriter writer(4);
  for (std::uint32_t id = 0; id < 50; ++id)
    writer.add({.cycle = 10 * id,
                .id = id,
                .source = static_cast<int>(id % 4),
                .destination = static_cast<int>((id + 1) % 4),
                .dependents = {id + 1},
                .type = 2});
  const std::string file = written("t.tra.bz2", test::bzip2_of(writer.text()));
  const json run = run_of(short_traffic({"--netrace", file, "--netrace-flit-bytes", "16"}));
  EXPECT_EQ(run["pattern"], "netrace");
  EXPECT_EQ(run["packets_arrived"], 50);
  EXPECT_EQ(run["packet_flits"], 5);
  const json& trace = run["netrace"];
  EXPECT_EQ(trace["file"], file);
  EXPECT_EQ(trace["benchmark"], "synthetic");
  EXPECT_TRUE(trace["region"].is_null());
  EXPECT_EQ(trace["trace_cycles"], 491);
  EXPECT_EQ(trace["dependencies"], 50);
  EXPECT_EQ(trace["outside"], 1);
  EXPECT_DOUBLE_EQ(trace["slowdown"].get<double>(), run["cycles"].get<double>() / 491);
  EXPECT_GT(run["cycles"], 50 * 40) << "a chain of 50 packets";
  const Outcome table = run_fredsim(short_traffic({"--netrace", file}));
  EXPECT_NE(table.out.find("replay of synthetic, 4 of 4 NPUs send"), std::string::npos);
  EXPECT_NE(table.out.find("replay: 491 cycles of the trace took"), std::string::npos) << table.out;
  const std::string cut = written("cut.tra", writer.text().substr(0, 300));
  const Outcome refused = run_fredsim(short_traffic({"--netrace", cut}));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("a file that is cut within packet"), std::string::npos);
}

}  // namespace
}  // namespace fredsim
