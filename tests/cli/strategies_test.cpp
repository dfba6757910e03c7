// SPDX-License-Identifier: Apache-2.0
// 3D parallelism: `fredsim strategies`, and run and compare with --strategy and --placement.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;

json document_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json", "-"});
  const Outcome outcome = run_fredsim(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.exit_code == 0 ? outcome.json() : json();
}

// Results without fields that depend on the host or on the names of the groups.
json strategy_run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"run", "configs/fred_d.yaml", "--size", "64KiB"});
  json run = document_of(arguments)["runs"][0];
  run.erase("wall_s");
  run.erase("sim_cycles_per_s");
  for (const char* key : {"placement", "placement_npus", "strategy", "dimensions"}) run.erase(key);
  return run;
}

TEST(Strategies, TheTableOfThePapersMachine) {
  const json document = document_of({"strategies", "configs/fred_d.yaml", "--middle", "2:4"});
  EXPECT_EQ(document["command"], "fredsim strategies configs/fred_d.yaml --middle 2:4 --json -");
  EXPECT_EQ(document["fabric"], "fred_d");
  EXPECT_EQ(document["placement"], "paper");
  EXPECT_EQ(document["strategies"], 152);
  EXPECT_EQ(document["search_complete"], true);
  ASSERT_EQ(document["runs"].size(), 9U);
  std::size_t r = 0;
  for (const int middle : {2, 3, 4}) {
    for (const char* dimension : {"mp", "dp", "pp"}) {
      const json& run = document["runs"][r++];
      EXPECT_EQ(run["middle"], middle);
      EXPECT_EQ(run["dimension"], dimension);
      EXPECT_EQ(run["checked"].get<int>(),
                run["routed"].get<int>() + run["too_few_uplinks"].get<int>() +
                    run["conflicts"].get<int>() + run["undecided"].get<int>());
      EXPECT_EQ(run["failures"].size(),
                run["checked"].get<std::size_t>() - run["routed"].get<std::size_t>());
      EXPECT_EQ(run["undecided"], 0);
      if (middle > 2) {
        EXPECT_EQ(run["conflicts"], 0);
      }
      for (const json& failure : run["failures"]) {
        EXPECT_GE(failure["groups"].size(), 1U);
        EXPECT_EQ(failure.contains("chiplet"), failure["outcome"] == "conflict");
      }
    }
  }
  EXPECT_GT(document["runs"][1]["conflicts"], 0) << "m = 2, dp";
}

TEST(Strategies, ALinePerStrategyAndTheFirstFailureInFull) {
  const Outcome outcome =
      run_fredsim({"strategies", "configs/fred_d.yaml", "--middle", "2,3", "--all", "--legend"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* text :
       {"\nmp1-dp3-pp5           uplinks   routed          uplinks  routed\n",
        "m = 2, dp, the first: ", "routing conflict at level", " is of group ",
        "fred_d: 152 strategies of at most 20 workers, placement paper", "Undecided: "}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << outcome.out;
  }
  EXPECT_EQ(run_fredsim({"strategies", "configs/fred_d.yaml"}).out.find("Undecided: "),
            std::string::npos);
}

// Its own m, where none is asked for; m of a machine file may be overridden.
TEST(Strategies, MiddleOfTheMachine) {
  EXPECT_EQ(document_of({"strategies", "configs/fred_small.yaml"})["runs"][0]["middle"], 3);
  EXPECT_EQ(document_of({"strategies", "configs/fred_small.yaml", "--set",
                         "fabric.middle=4"})["runs"][0]["middle"],
            4);
}

TEST(Strategies, BadInputIsRefused) {
  expect_refused(run_fredsim({"strategies", "configs/mesh_2x2.yaml"}),
                 {"configs/mesh_2x2.yaml", "fred_tree"});
  expect_refused(
      run_fredsim({"strategies", "configs/fred_small.yaml", "--set", "fabric.in_switch=false"}),
      {"in-switch"});
  expect_refused(run_fredsim({"strategies", "configs/fred_small.yaml", "--middle", "5"}),
                 {"--middle", "'5'", "2 to 4"});
  expect_refused(run_fredsim({"strategies"}), {"CONFIG"});
}

TEST(Strategy, RunsTheGroupsOfItsDimensions) {
  const auto with = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"--strategy", "mp2-dp5-pp2"});
    return strategy_run(more);
  };
  const std::vector<std::string> mp{"--group", "0,1",   "--group",    "4,5",   "--group", "8,9",
                                    "--group", "12,13", "--group",    "16,17", "--group", "2,3",
                                    "--group", "6,7",   "--group",    "10,11", "--group", "14,15",
                                    "--group", "18,19", "--priority", "mp"};
  EXPECT_EQ(with({"--dimension", "mp"}), strategy_run(mp));
  EXPECT_EQ(with({"--dimension", "dp"}),
            strategy_run({"--group", "0,4,8,12,16", "--group", "1,5,9,13,17", "--group",
                          "2,6,10,14,18", "--group", "3,7,11,15,19"}));
  EXPECT_EQ(with({"--dimension", "pp", "--placement", "identity"}),
            strategy_run({"--group", "0,10,11", "--group", "2,12,13", "--group", "4,14,15",
                          "--group", "6,16,17", "--group", "8,18,19", "--collective", "multicast",
                          "--priority", "pp"}));
  EXPECT_EQ(with({"--dimension", "mp", "--placement", "snake"}),
            strategy_run(mp));  // equal to a tree
  EXPECT_EQ(with({"--dimension", "dp", "--collective", "reduce_scatter", "--priority", "mp"}),
            strategy_run({"--group", "0,4,8,12,16", "--group", "1,5,9,13,17", "--group",
                          "2,6,10,14,18", "--group", "3,7,11,15,19", "--collective",
                          "reduce_scatter", "--priority", "mp"}));
}

TEST(Strategy, TheResultsSayHowTheGroupsWereNamed) {
  const auto names = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "configs/fred_d.yaml", "--size", "1KiB"});
    const json run = document_of(more)["runs"][0];
    return json{run["placement"], run["strategy"], run["dimensions"]};
  };
  EXPECT_EQ(names({}), json::parse("[null, null, null]"));
  EXPECT_EQ(names({"--placement", "identity"}), json::parse(R"(["identity", null, null])"));
  EXPECT_EQ(names({"--strategy", "mp2-dp5-pp2", "--dimension", "pp,mp"}),
            json::parse(R"(["paper", "mp2-dp5-pp2", ["pp", "mp"]])"));
  EXPECT_EQ(names({"--strategy", "mp2-dp5-pp2", "--placement", "paper", "--group", "0,1"}),
            json::parse(R"(["paper", "mp2-dp5-pp2", null])"));
}

TEST(Strategy, SeveralDimensionsEachAtItsPriority) {
  const json run = strategy_run({"--strategy", "mp2-dp5-pp2", "--dimension", "pp,mp"});
  ASSERT_EQ(run["parts"].size(), 15U);
  for (std::size_t p = 0; p < 15; ++p) {
    EXPECT_EQ(run["parts"][p]["collective"], p < 5 ? "multicast" : "all_reduce");
    EXPECT_EQ(run["parts"][p]["priority"], p < 5 ? "pp" : "mp");
    EXPECT_EQ(run["parts"][p]["algorithm"], "in_switch");
  }
}

// Worker 1 and 2 of the pipeline send and receive at the same time, in one phase.
TEST(Strategy, AllStepsOfAPipelineAtOnceInEveryImplementation) {
  json first;
  for (const char* model : {"tlm", "rtl", "lockstep"}) {
    json run = document_of({"run", "configs/fred_small.yaml", "--strategy", "pp4", "--dimension",
                            "pp", "--size", "64KiB", "--model", model})["runs"][0];
    EXPECT_EQ(run["payload"], "exact");
    EXPECT_EQ(run["groups"], json::parse("[[0, 1], [1, 2], [2, 3]]"));
    if (first.is_null()) first = run;
    EXPECT_EQ(run["cycles"], first["cycles"]) << model;
  }
}

class PlacementTest : public FolderTest {};

TEST_F(PlacementTest, AFileSaysWhereEveryWorkerIs) {
  const std::string list = write("placement.yaml", "- 19\n- 3\n- 7\n- 11\n");
  EXPECT_EQ(strategy_run({"--group", "0,2,3", "--placement", list}),
            strategy_run({"--group", "19,7,11"}));
  EXPECT_EQ(strategy_run({"--placement", list}), strategy_run({"--group", "19,3,7,11"}));
  EXPECT_EQ(strategy_run({"--strategy", "mp2-dp2", "--dimension", "dp", "--placement", list}),
            strategy_run({"--group", "19,7", "--group", "3,11"}));
  const std::string work =
      write("work.yaml", "- {collective: all_reduce, groups: [[0, 1], [2, 3]]}\n");
  EXPECT_EQ(strategy_run({"--work", work, "--placement", list}),
            strategy_run({"--group", "19,3", "--group", "7,11"}));
  EXPECT_EQ(strategy_run({"--work", work, "--placement", "paper", "--strategy", "dp2-pp2"}),
            strategy_run({"--group", "0,2", "--group", "1,3"}));
}

TEST_F(PlacementTest, BadFilesAreRefused) {
  const auto refused = [&](const std::string& text, const std::vector<std::string>& words) {
    const std::string list = write("bad.yaml", text);
    expect_refused(run_fredsim({"run", "configs/fred_small.yaml", "--strategy", "mp2-dp2",
                                "--dimension", "mp", "--placement", list}),
                   words);
  };
  refused("[0, 1, 2, 4]", {"bad.yaml", "NPU 4", "worker 3", "0 to 3"});
  refused("- 0\n- 1\n- 1\n", {"bad.yaml:3", "NPU 1", "worker 1"});
  refused("[0, 1, 2]", {"bad.yaml", "3 NPUs", "4 workers"});
  refused("[0, 1, x, 3]", {"bad.yaml:1", "worker 2", "'x'"});
  refused("[0, [1], 2, 3]", {"bad.yaml:1", "worker 1"});
  refused("npus: 3\n", {"bad.yaml", "no list"});
  refused("[0, 1", {"bad.yaml:"});
  refused("", {"bad.yaml", "no list"});
  expect_refused(run_fredsim({"run", "configs/fred_small.yaml", "--placement", path("none.yaml")}),
                 {"--placement", "none.yaml"});
  const std::string short_list = write("short.yaml", "[3, 1]");
  expect_refused(run_fredsim({"strategies", "configs/fred_small.yaml", "--placement", short_list}),
                 {"short.yaml", "2 NPUs", "all 4"});
  expect_refused(
      run_fredsim({"run", "configs/fred_small.yaml", "--group", "0,2", "--placement", short_list}),
      {"worker 2", "0 to 1"});
}

TEST(Strategy, BadCombinationsAreRefused) {
  const auto refused = [](std::vector<std::string> arguments,
                          const std::vector<std::string>& words) {
    arguments.insert(arguments.begin(), {"run", "configs/fred_small.yaml"});
    expect_refused(run_fredsim(arguments), words);
  };
  refused({"--strategy", "mp2"}, {"--strategy", "--dimension"});
  refused({"--dimension", "mp"}, {"--strategy", "--dimension"});
  refused({"--placement", "paper"}, {"--strategy", "paper"});
  refused({"--placement", "snake"}, {"--strategy", "snake"});
  refused({"--strategy", "mp2-dp", "--dimension", "mp"}, {"mp2-dp", "mp2-dp5-pp2"});
  refused({"--strategy", "mp8", "--dimension", "mp"}, {"mp8", "8 workers", "4"});
  refused({"--strategy", "mp2", "--dimension", "dp"}, {"--dimension", "'dp'", "mp2-dp1-pp1"});
  refused({"--strategy", "mp2", "--dimension", "mq"}, {"'mq'", "mp, dp or pp"});
  refused({"--strategy", "mp2", "--dimension", "mp,mp"}, {"'mp'", "twice"});
  for (const char* option : {"--group", "--work", "--root", "--matrix"})
    refused({"--strategy", "mp2", "--dimension", "mp", option, "0"}, {option, "--dimension"});
  for (const auto& [option, value] :
       {std::pair("--collective", "reduce"), std::pair("--priority", "dp")})
    refused({"--strategy", "mp2-dp2", "--dimension", "mp,dp", option, value},
            {option, "several dimensions"});
}

}  // namespace
}  // namespace fredsim
