// SPDX-License-Identifier: Apache-2.0
// Work files with sequential collectives: their effect on the command line, and refused input.
#include <gtest/gtest.h>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;

class WorkFile : public FolderTest {
 protected:
  std::vector<std::string> arguments(const std::string& text) const {
    return {"run", "configs/fred_small.yaml", "--work", write("work.yaml", text), "--quiet"};
  }
  json run(const std::string& text, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = arguments(text);
    all.insert(all.end(), {"--json", "-"});
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run_fredsim(all);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json();
  }
  void expect_bad(const std::string& text, const std::vector<std::string>& words) const {
    expect_refused(run_fredsim(arguments(text)), words);
  }
};

constexpr const char* kTraining = R"(
- {name: forward, collective: all_reduce, groups: [[0, 1], [2, 3]], size: 8KiB, priority: mp, repeat: 30, delay: 20}
- {name: data, collective: all_reduce, groups: [[0, 2], [1, 3]], size: 64KiB, priority: dp, after: forward}
- {collective: all_gather, size: 4KiB, priority: mp, after: [{name: data, rank: all}, forward], delay: 10 ns}
)";

TEST_F(WorkFile, OrderDelayAndRepetition) {
  const json result = run(kTraining);
  const json& parts = result["parts"];
  EXPECT_EQ(parts.size(), 5U);
  EXPECT_EQ(parts[0]["name"], "forward");
  EXPECT_EQ(parts[0]["operations"], 30);
  EXPECT_EQ(parts[0]["start_cycle"], 20);
  EXPECT_FALSE(parts[4].contains("name"));
  const auto end = [&](int part) {
    return parts[part]["start_cycle"].get<int>() + parts[part]["cycles"].get<int>();
  };
  EXPECT_GE(end(0), 30 * 20);
  EXPECT_GE(parts[2]["start_cycle"], std::min(end(0), end(1)));
  EXPECT_EQ(parts[4]["start_cycle"], std::max(end(2), end(3)) + 1 + 15);
  EXPECT_EQ(end(4), result["cycles"]);
  EXPECT_EQ(result["payload"], "exact");
  const json& operations = result["operations"];
  EXPECT_EQ(operations["complete"], 32);
  EXPECT_EQ(operations["phases"]["loaded"], 0);
  EXPECT_EQ(operations["phases"]["preloaded"], 1 + 1);  // the all-gather is at the endpoints
  EXPECT_EQ(operations["phases"]["found"], 30 + 1);
}

TEST_F(WorkFile, TakesTheSameCyclesWithEveryImplementation) {
  const json twins = run(kTraining);
  const json lockstep = run(kTraining, {"--model", "lockstep"});
  EXPECT_EQ(lockstep["cycles"], twins["cycles"]);
  EXPECT_EQ(lockstep["parts"], twins["parts"]);
  EXPECT_EQ(lockstep["links"], twins["links"]);
}

TEST_F(WorkFile, RunsOnAMesh) {
  std::vector<std::string> all = arguments(kTraining);
  all[1] = "configs/mesh_2x2.yaml";
  all.insert(all.end(), {"--json", "-"});
  const Outcome outcome = run_fredsim(all);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["runs"][0]["operations"]["complete"], 32);
}

TEST_F(WorkFile, RefusesWhatMakesNoOrder) {
  const auto items = [](const std::string& first, const std::string& second) {
    return "- {collective: all_reduce, " + first + "}\n- {collective: all_reduce, " + second +
           "}\n";
  };
  expect_bad(items("name: forward", "after: forwart"),
             {"work.yaml:2: after: found 'forwart'", "did you mean 'forward'?"});
  expect_bad(items("size: 1KiB", "after: x"), {"found 'x'", "none has one"});
  expect_bad(items("name: a, after: b", "name: b, after: a"),
             {"work.yaml:1: after", "circle", "'a'"});
  expect_bad(items("name: a, after: a", "name: b"), {"circle"});
  expect_bad(items("name: a", "name: a"), {"work.yaml:2: name: found 'a' twice"});
  expect_bad(items("repeat: 0", "name: a"), {"work.yaml:1", "repeat", "0"});
  expect_bad(items("repeat: many", "name: a"), {"repeat", "many"});
  expect_bad(items("name: a", "after: {name: a, rank: every}"),
             {"rank: found 'every'", "own or all"});
  expect_bad(items("name: a", "after: {rank: all}"), {"after", "'name' is missing"});
  expect_bad(items("name: a", "after: {nam: a}"), {"after: found 'nam'", "did you mean 'name'?"});
  expect_bad(items("delay: 5 bananas", "name: a"), {"work.yaml:1", "delay"});
}

TEST_F(WorkFile, TablesShowNamesAndRepetitions) {
  const Outcome outcome = run_fredsim(arguments(kTraining));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* text : {"name", "times", "forward", "data", " 30 "})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << " in\n" << outcome.out;
}

TEST_F(WorkFile, HasABreakdownAndATimeline) {
  const json plain = run(kTraining);
  const json looked_at = run(kTraining, {"--breakdown", "--timeline", path("t.json")});
  EXPECT_EQ(looked_at["cycles"], plain["cycles"]);
  EXPECT_EQ(looked_at["parts"], plain["parts"]);
  const json& breakdown = looked_at["breakdown"];
  ASSERT_EQ(breakdown.size(), 5U);
  EXPECT_EQ(breakdown[0]["work"], "forward, all_reduce in_switch, 30 times");
  for (int part = 2; part < 5; ++part)  // parts without repetition
    EXPECT_EQ(breakdown[part]["path"]["cycles"], plain["parts"][part]["cycles"]) << part;
  const json timeline = json::parse(read_text(path("t.json")));
  int forward = 0;
  for (const json& event : timeline["traceEvents"]) {
    const std::string name = event.value("name", "");
    if (name.starts_with("forward ") && event.value("cat", "") == "parts") ++forward;
  }
  EXPECT_EQ(forward, 30 * 4);  // a span of every NPU each time
}

TEST_F(WorkFile, NamesIoControllers) {
  const std::string work = R"(
- {name: load, collective: broadcast, groups: [[io:each, all]], size: 2KiB, priority: dp, algorithm: paper}
- {name: sum, collective: reduce, groups: [[io3, 0-3]], size: 2KiB, after: load, repeat: 2}
)";
  std::vector<std::string> all = arguments(work);
  all[1] = "configs/mesh_2x2.yaml";
  all.insert(all.end(), {"--json", "-", "--model", "lockstep"});
  const Outcome outcome = run_fredsim(all);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json parts = outcome.json()["runs"][0]["parts"];
  ASSERT_EQ(parts.size(), 9U);
  EXPECT_EQ(parts[2]["group"], json::parse(R"(["io2", 0, 1, 2, 3])"));
  EXPECT_EQ(parts[8]["group"], json::parse(R"(["io3", 0, 1, 2, 3])"));
  EXPECT_EQ(parts[8]["algorithm"], "direct");
  expect_bad("- {collective: broadcast, groups: [[io:each, all]]}",
             {"io:each", "no I/O controllers"});
  expect_bad("- {collective: broadcast, groups: [[io0, all]]}", {"io0", "has none"});
  expect_bad("- {collective: broadcast, groups: [[i0, all]]}",
             {"work.yaml:1: groups", "'i0'", "io0"});
}

}  // namespace
}  // namespace fredsim
