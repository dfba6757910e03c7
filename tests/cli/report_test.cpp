// SPDX-License-Identifier: Apache-2.0
// `fredsim report`, and its data in the results: the command and the positions of the nodes.
#include <gtest/gtest.h>

#include <regex>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;

class ReportTest : public FolderTest {
 protected:
  std::string results(const std::string& name, std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--quiet", "--json", path(name)});
    const Outcome outcome = run_fredsim(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return path(name);
  }
};

TEST_F(ReportTest, OnePageOfSeveralFilesAndAlwaysTheSame) {
  const std::string compare =
      results("compare.json",
              {"compare", "configs/mesh_2x2.yaml", "configs/fred_small.yaml", "--size", "4KiB"});
  const std::string traffic = results(
      "traffic.json",
      {"traffic", "configs/mesh_2x2.yaml", "--rate", "0.1", "--cycles", "500", "--warmup", "100"});
  const Outcome outcome = run_fredsim({"report", compare, traffic, "-o", path("report.html")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
  const std::string page = read_text(path("report.html"));
  EXPECT_NE(page.find("fredsim compare configs/mesh_2x2.yaml"), std::string::npos);
  EXPECT_NE(page.find("fredsim traffic configs/mesh_2x2.yaml"), std::string::npos);
  EXPECT_EQ(run_fredsim({"report", compare, traffic, "--output", "-"}).out, page);
  EXPECT_EQ(files(), (std::vector<std::string>{"compare.json", "report.html", "traffic.json"}));
}

TEST_F(ReportTest, BadFilesAreNamedAndLeaveNoPage) {
  const std::string page = path("report.html");
  expect_refused(run_fredsim({"report", path("none.json"), "-o", page}),
                 {"none.json: cannot be read: No such file", "allowed: a file of --json"});
  expect_refused(run_fredsim({"report", path(""), "-o", page}), {"cannot be read: Is a directory"});
  expect_refused(run_fredsim({"report", write("empty.json", ""), "-o", page}),
                 {"empty.json: found no JSON at byte"});
  expect_refused(run_fredsim({"report", write("text.json", "hello"), "-o", page}),
                 {"text.json: found no JSON at byte"});
  const std::string strategies = results("strategies.json", {"strategies", "configs/fred_d.yaml"});
  expect_refused(run_fredsim({"report", strategies, "-o", page}),
                 {"strategies.json: runs[0]: found no key 'config'", "allowed: a file of --json"});
  expect_refused(run_fredsim({"report", strategies, "-o", path("no/folder.html")}),
                 {"--output", "no/folder.html", "allowed: "});
  expect_refused(run_fredsim({"report"}), {"RESULTS"});
  EXPECT_EQ(files(), (std::vector<std::string>{"empty.json", "strategies.json", "text.json"}));
}

TEST(ResultsCommand, IsTheCommandLineAsAShellTakesIt) {
  const Outcome outcome = run_fredsim({"run", "configs/mesh_2x2.yaml", "--size", "1KiB", "--set",
                                       "name=it's a mesh", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(
      outcome.json()["command"],
      R"(fredsim run configs/mesh_2x2.yaml --size 1KiB --set 'name=it'\''s a mesh' --json -)");
}

// Places of every node, by its name: npu3, io7, r2_1, l1_4.s0, l2.s0.c1 at the top, l2_3.s0.c1
// below it.
void expect_places_as_named(const json& layout) {
  const std::regex router(R"(r(\d+)_(\d+))");
  const std::regex chiplet(R"(l(\d+)(?:_(\d+))?\.s(\d+)(?:\.c(\d+))?)");
  const auto number = [](const std::ssub_match& text) {
    return text.matched ? std::stoi(text.str()) : 0;
  };
  for (const json& node : layout["nodes"]) {
    const auto name = node["name"].get<std::string>();
    json expected = {{"name", name}};
    std::smatch match;
    if (std::regex_match(name, match, router)) {
      expected.update({{"kind", "mesh_router"}, {"x", number(match[1])}, {"y", number(match[2])}});
    } else if (std::regex_match(name, match, chiplet)) {
      expected.update({{"kind", "fred_switch"},
                       {"level", number(match[1])},
                       {"switch", number(match[2])},
                       {"slice", number(match[3])},
                       {"chiplet", number(match[4])}});
    } else {
      expected["kind"] = name.starts_with("npu") ? "npu" : "io";
    }
    EXPECT_EQ(node, expected);
  }
}

TEST(ResultsLayout, SaysWhereTheNodesAre) {
  for (const auto& [config, kind, nodes] : std::vector<std::tuple<const char*, const char*, int>>{
           {"configs/mesh.yaml", "mesh2d", 20 + 20 + 18},
           {"configs/torus.yaml", "torus2d", 20 + 20 + 18},
           {"configs/fred_d.yaml", "fred_tree", 20 + 25 + 10 + 18},
           {"configs/fred_64.yaml", "fred_tree", 64 + 48 + 24 + 12}}) {
    const Outcome outcome = run_fredsim({"run", config, "--size", "512", "--json", "-"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json run = outcome.json()["runs"][0];
    EXPECT_EQ(run["layout"]["kind"], kind);
    EXPECT_EQ(run["layout"]["nodes"].size(), nodes) << config;
    expect_places_as_named(run["layout"]);
  }
}

}  // namespace
}  // namespace fredsim
