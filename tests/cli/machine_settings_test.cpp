// SPDX-License-Identifier: Apache-2.0
// Machines with settings of their own: FILE@KEY.PATH=VALUE,…
#include <gtest/gtest.h>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;

constexpr const char* kFred = "configs/fred_small.yaml";

std::string fred_with(const std::string& settings) { return std::string(kFred) + "@" + settings; }

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' in\n" << text;
  }
}

TEST(MachineSettings, OfEachMachineOfCompareAreInTheJson) {
  const Outcome outcome = run_fredsim(
      {"compare", kFred, fred_with("fabric.link_latency=40 ns,switch.input_buffer=48KiB"),
       "configs/mesh_2x2.yaml", "--size", "4K", "--set", "fabric.slices=1", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("--set fabric.slices=1: applies to configs/fred_small.yaml and "),
            std::string::npos)
      << outcome.err;
  expect_words(outcome.err, {"configs/mesh_2x2.yaml has no such key"});
  const json runs = outcome.json()["runs"];
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[1]["config"], kFred);
  EXPECT_EQ(runs[0]["settings"], json::parse(R"({"fabric.slices": "1"})"));
  EXPECT_EQ(runs[1]["settings"], json::parse(R"({"fabric.slices": "1",
      "fabric.link_latency": "40 ns", "switch.input_buffer": "48KiB"})"));
  EXPECT_EQ(runs[2]["settings"], json::object());
  EXPECT_GT(runs[1]["cycles"], runs[0]["cycles"]) << "longer links";
}

TEST(MachineSettings, QuietLeavesTheNoteOut) {
  const Outcome outcome = run_fredsim({"compare", kFred, "configs/mesh_2x2.yaml", "--size", "1K",
                                       "--set", "fabric.middle=2", "--quiet"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST(MachineSettings, AreInTheTable) {
  const Outcome outcome = run_fredsim(
      {"compare", kFred, fred_with("fabric.middle=2"), "configs/mesh_2x2.yaml", "--size", "1K"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_words(outcome.out, {"fred_small (" + fred_with("fabric.middle=2") + ")", "\nfred_small ",
                             "\nfred_small@fabric.middle=2 ", "\nmesh_2x2 "});
}

TEST(MachineSettings, OfTheOtherCommands) {
  const Outcome info = run_fredsim({"info", fred_with("fabric.link_latency=21 ns")});
  EXPECT_EQ(info.exit_code, 0) << info.err;
  expect_words(info.out, {"21 ns = 32 cycles"});
  const std::string machine = fred_with("fabric.middle=2");
  const json settings = json::parse(R"({"fabric.middle": "2"})");
  const Outcome run = run_fredsim({"run", machine, "--size", "1K"});
  expect_words(run.out, {"fred_small@fabric.middle=2: all_reduce"});
  EXPECT_EQ(
      run_fredsim({"run", machine, "--size", "1K", "--json", "-"}).json()["runs"][0]["settings"],
      settings);
  const std::vector<std::string> traffic{"traffic",  machine, "--rate",   "0.1",
                                         "--warmup", "10",    "--cycles", "100"};
  expect_words(run_fredsim(traffic).out, {"fred_small@fabric.middle=2: uniform"});
  std::vector<std::string> as_json = traffic;
  as_json.insert(as_json.end(), {"--json", "-"});
  EXPECT_EQ(run_fredsim(as_json).json()["runs"][0]["settings"], settings);
  const json strategies =
      run_fredsim({"strategies", machine, "--middle", "3,4", "--json", "-"}).json();
  EXPECT_EQ(strategies["config"], kFred);
  EXPECT_EQ(strategies["settings"], settings);
  EXPECT_EQ(strategies["runs"][0]["middle"], 3) << "--middle stands over the setting";
}

TEST(MachineSettings, FailuresNameTheMachineWithThem) {
  const Outcome outcome =
      run_fredsim({"compare", kFred, fred_with("fabric.middle=2"), "--size", "64K", "--set",
                   "fabric.link_latency=20 ns", "--timeout-cycles", "10"});
  EXPECT_EQ(outcome.exit_code, 1);
  expect_words(outcome.err, {"fred_small, all_reduce of 64 KiB"});
  const Outcome second = run_fredsim({"compare", kFred, fred_with("fabric.link_latency=2us"),
                                      "--size", "1K", "--timeout-cycles", "1000"});
  EXPECT_EQ(second.exit_code, 1);
  expect_words(second.err, {"fred_small@fabric.link_latency=2us, all_reduce of 1 KiB"});
}

TEST(MachineSettings, Refusals) {
  const auto refused = [](const std::string& word, const std::vector<std::string>& words) {
    expect_refused(run_fredsim({"compare", "configs/mesh_2x2.yaml", word}), words);
  };
  refused(fred_with("fabric.middle=9"),
          {fred_with("fabric.middle=9") + ": fabric.middle: found '9'"});
  refused(fred_with("fabric.width=2"), {fred_with("fabric.width=2"), "allowed: in a mesh2d"});
  refused(fred_with("fabric.midle=2"), {fred_with("fabric.midle=2"), "did you mean 'middle'?"});
  refused(fred_with("fabric.middle"), {fred_with("fabric.middle"), "key.path=value is wanted"});
  refused(fred_with(""), {fred_with(""), "no setting after '@'"});
  refused(fred_with("fabric.middle=2,"), {"no setting between commas"});
  refused(fred_with("fabric.middle=2,,npu.count=4"), {"no setting between commas"});
  refused("no_such.yaml@fabric.middle=2", {"fredsim: no_such.yaml: cannot be read"});
  refused("no_such@dir/x.yaml@fabric.middle=2", {"fredsim: no_such@dir/x.yaml: cannot be read"});
  expect_refused(run_fredsim({"compare", kFred, fred_with("fabric.in_switch=false"), "--algorithm",
                              "in_switch"}),
                 {"fredsim: " + fred_with("fabric.in_switch=false") + ": algorithm: in_switch"});
  refused(fred_with("npu.count=8,fabric.npus_per_l1=4"),
          {"npu.count=8,fabric.npus_per_l1=4: found 8 NPUs"});
}

class MachineWordTest : public FolderTest {
 protected:
  static json runs_of(const std::string& word) {
    const Outcome outcome = run_fredsim({"run", word, "--size", "1K", "--json", "-"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json();
  }
};

TEST_F(MachineWordTest, FileUnderTheWholeWordWins) {
  const std::string text = read_text(kFred);
  const std::string whole = write("m.yaml@fabric.middle=2", text);
  write("m.yaml", text);
  EXPECT_EQ(runs_of(whole)["config"], whole);
  EXPECT_EQ(runs_of(whole)["settings"], json::object());
  const json both = runs_of(whole + "@fabric.slices=1");
  EXPECT_EQ(both["config"], whole) << "the longest name of a file";
  EXPECT_EQ(both["settings"], json::parse(R"({"fabric.slices": "1"})"));
  std::filesystem::remove(whole);
  EXPECT_EQ(runs_of(whole)["config"], path("m.yaml"));
  EXPECT_EQ(runs_of(whole)["settings"], json::parse(R"({"fabric.middle": "2"})"));
}

TEST_F(MachineWordTest, ValuesWithAtSignsAndCommas) {
  std::filesystem::create_directory(path("v@2"));
  const std::string file = write("v@2/m@home.yaml", read_text(kFred));
  const json run = runs_of(
      file +
      R"(@name="a,b@c",fabric.middle=2,switch={input_buffer: 48KiB, output_buffer: 8KiB, control_buffer: 2KiB})");
  EXPECT_EQ(run["config"], file);
  EXPECT_EQ(run["fabric"], "a,b@c");
  EXPECT_EQ(run["settings"]["fabric.middle"], "2");
  EXPECT_EQ(run["settings"]["switch"],
            "{input_buffer: 48KiB, output_buffer: 8KiB, control_buffer: 2KiB}");
  EXPECT_EQ(runs_of(file + "@name='it''s, this',fabric.middle=2")["fabric"], "it's, this");
  EXPECT_EQ(runs_of(file + R"(@name="a\",b",fabric.middle=2)")["fabric"], "a\",b");
  EXPECT_EQ(runs_of(file + "@name=it's,fabric.middle=2")["fabric"], "it's");
  EXPECT_EQ(runs_of(file + "@name=b@c")["fabric"], "b@c");
}

TEST_F(MachineWordTest, FilesOfMachinesThatDifferInSettingsStayApart) {
  const Outcome outcome = run_fredsim(
      {"compare", kFred, fred_with("fabric.middle=2"), fred_with("fabric.middle=3"), "--size", "1K",
       "--wave", path("w.fst"), "--wave-links-only", "--timeline", path("t.json")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* name : {"w.fred_small.fst", "w.fred_small.2.fst", "w.fred_small.3.fst"}) {
    EXPECT_GT(read_text(path(name)).size(), 1000U) << name;
  }
  std::vector<std::string> processes;
  const json timeline = json::parse(read_text(path("t.json")));
  for (const json& event : timeline["traceEvents"]) {
    if (event["name"] == "process_name") processes.push_back(event["args"]["name"]);
  }
  EXPECT_EQ(processes, (std::vector<std::string>{"fred_small", "fred_small@fabric.middle=2",
                                                 "fred_small@fabric.middle=3"}));
  const std::string machine = write("m.yaml", read_text(kFred));
  expect_refused(run_fredsim({"run", machine + "@fabric.middle=2", "--json", machine}),
                 {"--json", "CONFIG '" + machine + "'"});
}

}  // namespace
}  // namespace fredsim
