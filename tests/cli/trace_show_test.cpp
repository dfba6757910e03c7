// SPDX-License-Identifier: Apache-2.0
// `fredsim trace show` and `trace info --json`: files as wholes, notes, bad input.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "support/program.h"
#include "support/temporary_folder.h"
#include "timeline_format.h"
#include "workload_files/chakra_writer.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class TraceShow : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_.file(name); }
  std::string text(const std::string& name) const {
    std::ostringstream all;
    all << std::ifstream(at(name), std::ios::binary).rdbuf();
    return all.str();
  }
  // The two ranks of the sample profiles.
  std::string converted() {
    const Outcome done =
        run_fredsim({"trace", "convert", "configs/profiles/step_%d.json", "--out", at("step")});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return at("step.%d.et");
  }
  std::string long_chain(std::uint64_t nodes) {
    ChakraWriter writer;
    for (std::uint64_t n = 0; n < nodes; ++n)
      writer.add({.id = n,
                  .name = "op",
                  .type = TraceNodeType::kCompute,
                  .after = n == 0 ? std::vector<std::uint64_t>{} : std::vector{n - 1},
                  .duration_ps = 1000});
    std::ofstream(at("long.0.et"), std::ios::binary) << writer.text();
    return at("long.0.et");
  }
  Outcome show(const Words& words) {
    Words all{"trace", "show"};
    all.insert(all.end(), words.begin(), words.end());
    return run_fredsim(all);
  }
  TemporaryFolder folder_;
};

std::size_t occurrences(const std::string& text, const std::string& of) {
  std::size_t count = 0;
  for (std::size_t at = text.find(of); at != std::string::npos; at = text.find(of, at + 1)) ++count;
  return count;
}

// Output of which lines may be broken anywhere.
bool has_words(const Outcome& outcome, const std::string& words) {
  std::string all = outcome.out;
  std::ranges::replace(all, '\n', ' ');
  return all.find(words) != std::string::npos;
}

TEST_F(TraceShow, TimelineHasEveryOperationAtItsRecordedBegin) {
  const Outcome done = show({converted(), "--timeline", at("t.json")});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(has_words(done, "20 spans and 26 arrows.")) << done.out;
  const json timeline = json::parse(text("t.json"));
  check_format(timeline);
  EXPECT_EQ(timeline["otherData"]["time"], "as recorded; args has picoseconds");
  std::set<std::string> tracks;
  std::map<std::string, int> categories;
  std::vector<std::uint64_t> all_reduces;  // by rank
  for (const json& event : timeline["traceEvents"]) {
    if (event["name"] == "thread_name") tracks.insert(event["args"]["name"]);
    if (event["ph"] == "X") ++categories[event["cat"]];
    if (event["ph"] == "X" && event["cat"] == "communications")
      all_reduces.push_back(event["args"]["duration_ps"]);
  }
  EXPECT_TRUE(tracks.contains("stream 7")) << done.out;
  EXPECT_EQ(all_reduces, (std::vector<std::uint64_t>{90'000'000, 88'000'000}));
  EXPECT_EQ(categories["computations"] + categories["memory"], 6);
}

TEST_F(TraceShow, GraphHasAtMostTwoThousandNodesAndSaysSo) {
  const std::string trace = long_chain(2003);
  const Outcome whole = show({trace, "--graph", at("g.dot")});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(occurrences(text("g.dot"), " [label="), 2000U);
  EXPECT_EQ(occurrences(text("g.dot"), " -> "), 1999U);
  EXPECT_TRUE(has_words(whole, "3 more are left out")) << whole.out;
  const Outcome near = show({trace, "--graph", at("n.dot"), "--from", "1000", "--depth", "2"});
  ASSERT_EQ(near.exit_code, 0) << near.err;
  EXPECT_EQ(occurrences(text("n.dot"), " [label="), 5U);
  EXPECT_TRUE(has_words(near, "5 of 2003 nodes.")) << near.out;
  const Outcome all = show({trace, "--graph", at("g.graphml")});
  ASSERT_EQ(all.exit_code, 0) << all.err;
  EXPECT_EQ(occurrences(text("g.graphml"), "<node id="), 2003U);
}

TEST_F(TraceShow, GraphvizDrawsEveryNode) {
  converted();
  const Outcome done = show({at("step.0.et"), "--graph", at("g.svg")});
  if (std::system("dot -V > /dev/null 2>&1") != 0) {  // NOLINT: no other thread
    EXPECT_EQ(done.exit_code, 2);
    GTEST_SKIP() << "Graphviz is not installed";
  }
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(occurrences(text("g.svg"), "class=\"node\""), 10U);
  EXPECT_EQ(occurrences(text("g.svg"), "class=\"edge\""), 13U);
}

TEST_F(TraceShow, PageHasWhatWasSimulatedBesideWhatWasRecorded) {
  const std::string traces = converted();
  const Outcome trained = run_fredsim({"train", "mesh_2x2", "fred_2x2", "--trace", at("step"),
                                       "--quiet", "--timeline", at("train.json")});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const Outcome done = show({traces, "--page", at("p.html"), "--simulated", at("train.json")});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(has_words(done, "20 operations, 20 simulated on mesh_2x2, 20 simulated on fred_2x2."))
      << done.out;
  const std::string page = text("p.html");
  EXPECT_NE(page.find("http-equiv=\"Content-Security-Policy\""), std::string::npos);
  EXPECT_NE(page.find("\"machines\":[\"mesh_2x2\",\"fred_2x2\"]"), std::string::npos);
}

TEST_F(TraceShow, InfoAsJsonHasTheFiguresOfItsTables) {
  const Outcome done = run_fredsim({"trace", "info", converted(), "--json", "-"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const json file = done.json();
  ASSERT_EQ(file["traces"].size(), 2U);
  EXPECT_EQ(file["traces"][0]["exposed_ns"], 90'000.0);
  EXPECT_EQ(file["traces"][1]["exposed_ns"], 88'000.0);
  EXPECT_EQ(file["all"]["nodes"], 20);
  EXPECT_EQ(file["all"]["communications"][0]["collective"], "ALL_REDUCE");
  EXPECT_EQ(file["all"]["communications"][0]["nodes"], 2);
}

TEST_F(TraceShow, RefusesAndLeavesNoFile) {
  const std::string traces = converted();
  const std::string one = at("step.0.et");
  std::ofstream(at("other.json")) << "{}";
  const std::vector<std::pair<Words, std::string>> wrong{
      {{one}, "show: found no picture; allowed: --timeline, --graph, --page"},
      {{traces, "--graph", at("x.dot")}, "--graph: found 2 traces; allowed: one"},
      {{one, "--graph", at("x.png")}, "allowed: a name that ends in .dot, .svg or .graphml, or -"},
      {{one, "--timeline", at("x.json"), "--from", "mm"}, "--from: found without --graph"},
      {{one, "--graph", at("x.dot"), "--depth", "2"}, "--depth"},
      {{one, "--graph", at("x.dot"), "--from", "nothing"},
       fmt::format("--from: found 'nothing'; allowed: the id or name of a node of {}", one)},
      {{one, "--timeline", at("x.json"), "--simulated", at("other.json")}, "--simulated"},
      {{one, "--page", at("x.html"), "--simulated", at("other.json")},
       "found no 'traceEvents'; allowed: a file that train --trace"},
      {{one, "--page", at("x.html"), "--simulated", at("none.json")}, "--simulated"},
      {{one, "--timeline", at("x.json"), "--graph", at("no/x.dot")}, "--graph"},
      {{one, "--timeline", at("x.json"), "--graph", at("x.json")}, "--graph"},
      {{one, "--timeline", one}, "--timeline"},
      {{at("none.et"), "--timeline", at("x.json")}, "none.et"},
      {{one, "--timeline", at("x.json"), "--json", at("y.json")}, "--json: found with show"}};
  for (const auto& [words, message] : wrong) {
    const Outcome done = show(words);
    EXPECT_EQ(done.exit_code, 2) << message;
    EXPECT_NE(done.err.find(message), std::string::npos) << done.err;
    EXPECT_EQ(occurrences(done.err, "\n"), 1U) << done.err;
  }
  for (const auto& file : std::filesystem::directory_iterator(at("")))
    EXPECT_FALSE(file.path().filename().string().starts_with("x.")) << file.path();
}

}  // namespace
}  // namespace fredsim
