// SPDX-License-Identifier: Apache-2.0
// tb_own_npu: an own NPU's results are like ours, on every machine, and `fredsim report` takes
// them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

using nlohmann::json;

Outcome run_own_npu(const std::vector<std::string>& arguments) {
  return RunningProgram(arguments, {.program = "tb_own_npu"}).wait();
}

json own_runs(const std::string& config, const std::string& model = "tlm") {
  const Outcome outcome = run_own_npu({"--config", config, "--model", model, "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.json();
}

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

// Its messages take the path of our unicasts at that priority.
TEST(OwnNpu, TakesTheTimeOfOurUnicasts) {
  const json own = own_runs("configs/mesh_2x2.yaml")["runs"];
  ASSERT_EQ(own.size(), 3U);
  for (const json& run : own) {
    const std::string size = std::to_string(run["size_bytes"].get<int>());
    const Outcome outcome =
        run_fredsim({"run", "configs/mesh_2x2.yaml", "--collective", "unicast", "--group", "0,3",
                     "--priority", "mp", "--size", size, "--json", "-"});
    const json ours = outcome.json()["runs"][0];
    for (const char* key :
         {"cycles", "time_ns", "algbw_gbps", "traffic", "links", "switches", "layout", "groups",
          "fabric", "clock_ghz", "lanes", "model", "payload"}) {
      EXPECT_EQ(run[key], ours[key]) << size << ": " << key;
    }
    EXPECT_EQ(keys_of(run), keys_of(ours));
  }
}

TEST(OwnNpu, SaysWhatItDidAndNullWhereNothingApplies) {
  const json document = own_runs("configs/fred_small.yaml");
  EXPECT_EQ(document["command"],
            "tb_own_npu --config configs/fred_small.yaml --model tlm --json -");
  EXPECT_EQ(
      keys_of(document),
      keys_of(
          run_fredsim({"run", "configs/mesh_2x2.yaml", "--size", "512", "--json", "-"}).json()));
  const json& run = document["runs"][1];
  EXPECT_EQ(run["config"], "configs/fred_small.yaml");
  EXPECT_EQ(run["collective"], "own_message");
  EXPECT_EQ(run["algorithm"], "blocking");
  EXPECT_EQ(run["size_bytes"], 4096);
  EXPECT_EQ(run["groups"], json::parse("[[0, 3]]"));
  EXPECT_GT(run["algbw_gbps"], 0.0);
  for (const char* key : {"seed", "busbw_gbps", "strategy", "placement", "dimensions"}) {
    EXPECT_TRUE(run[key].is_null()) << key;
  }
  EXPECT_EQ(run["derived"], json::parse(R"({"bound_ns": null, "time_over_bound": null})"));
  std::map<std::string, int> flits;
  for (const json& link : run["links"]) flits[link["to"]] += link["flits"].get<int>();
  EXPECT_EQ(flits["npu3"], 8);
  EXPECT_EQ(flits["npu1"], 0);
}

TEST(OwnNpu, IsTheSameWithEveryImplementation) {
  const auto comparable = [](const std::string& model) {
    json runs = own_runs("configs/fred_small.yaml", model)["runs"];
    for (json& run : runs) {
      for (const char* key : {"model", "wall_s", "sim_cycles_per_s"}) run.erase(key);
      for (json& one : run["switches"]) EXPECT_EQ(one["model"], model);
      for (json& one : run["switches"]) one.erase("model");
    }
    return runs;
  };
  const json twins = comparable("tlm");
  EXPECT_EQ(comparable("rtl"), twins);
  EXPECT_EQ(comparable("lockstep"), twins);
}

TEST(OwnNpu, NamesEverySizeThatIsMissingAndBuildsItself) {
  const TemporaryFolder folder;
  std::ifstream from("configs/fred_d.yaml");
  std::string text(std::istreambuf_iterator<char>(from), {});
  const std::string middle = "  middle: 3\n";
  const std::size_t at = text.find(middle);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, middle.size(), "  middle: 4\n");
  const std::string machine = folder.path() / "m.yaml";
  std::ofstream(machine) << text;
  const Outcome outcome = run_own_npu({"--config", machine, "--rtl-build", "never"});
  EXPECT_EQ(outcome.exit_code, 2);
  for (const char* words : {"fred P=12 M=4 LANES=1", "fred P=11 M=4 LANES=1",
                            "fred P=10 M=4 LANES=1", "--target tb_own_npu"}) {
    EXPECT_NE(outcome.err.find(words), std::string::npos) << words << "\n" << outcome.err;
  }
}

TEST(OwnNpu, WritesNothingOverWhatItReadsOrWrites) {
  const TemporaryFolder folder;
  const std::string machine = folder.path() / "m.yaml";
  std::filesystem::copy_file("configs/mesh_2x2.yaml", machine);
  const auto size = std::filesystem::file_size(machine);
  const std::string wave = folder.path() / "w.fst";
  for (const std::vector<std::string>& outputs : {std::vector<std::string>{"--json", machine},
                                                  {"--wave", machine},
                                                  {"--json", wave, "--wave", wave}}) {
    std::vector<std::string> arguments{"--config", machine};
    arguments.insert(arguments.end(), outputs.begin(), outputs.end());
    const Outcome outcome = run_own_npu(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("the same file as"), std::string::npos) << outcome.err;
    EXPECT_EQ(std::filesystem::file_size(machine), size);
    EXPECT_FALSE(std::filesystem::exists(wave));
  }
}

TEST(OwnNpu, PrintsALinePerMessage) {
  const Outcome outcome = run_own_npu({"configs/fred_d.yaml", "--model", "tlm"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* text : {"fred_d: own_message over 2 NPUs, algorithm blocking, model tlm, lanes",
                           "\n 512 B ", "\n 4 KiB ", "\n40 KiB "}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n" << outcome.out;
  }
  EXPECT_EQ(outcome.out.find("seed"), std::string::npos) << outcome.out;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(OwnNpu, LeavesEmptyInCsvWhatDoesNotApply) {
  const Outcome outcome = run_own_npu({"--model", "tlm", "--format", "csv"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::string names;
  std::string values;
  std::getline(lines, names);
  std::getline(lines, values);
  const std::size_t group = values.find("\"0,3\"");  // the only field in quotes
  ASSERT_NE(group, std::string::npos) << values;
  values.replace(group, 5, "group");
  const auto fields = [](const std::string& line) {
    std::vector<std::string> all;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');) all.push_back(field);
    return all;
  };
  std::map<std::string, std::string> row;
  for (std::size_t i = 0; i < fields(names).size(); ++i) row[fields(names)[i]] = fields(values)[i];
  EXPECT_EQ(row["payload"], "exact");
  EXPECT_EQ(row["size_bytes"], "512");
  for (const char* name : {"seed", "busbw_gbps", "bound_ns", "time_over_bound"}) {
    EXPECT_EQ(row.at(name), "") << name;
  }
}

class OwnNpuFiles : public FolderTest {};

TEST_F(OwnNpuFiles, GoIntoTheReportBesideOurs) {
  ASSERT_EQ(run_own_npu({"--model", "tlm", "--json", path("own.json")}).exit_code, 0);
  ASSERT_EQ(run_fredsim({"run", "configs/mesh_2x2.yaml", "--size", "4KiB", "--quiet", "--json",
                         path("ours.json")})
                .exit_code,
            0);
  const Outcome report =
      run_fredsim({"report", path("own.json"), path("ours.json"), "-o", path("page.html")});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"ours.json", "own.json", "page.html"}));
}

TEST_F(OwnNpuFiles, WhatIsWrongEndsItBeforeTheRun) {
  const Outcome outcome = run_own_npu({"--json", path("no/such/folder.json")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("tb_own_npu: --json '"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(run_own_npu({"--config", "none.yaml"}).exit_code, 2);
}

// A question from C++ has the answer of the command.
TEST(OwnNpu, QuestionsAreAnsweredAsByTheCommands) {
  const auto answer = [](Outcome outcome) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    json document = outcome.json();
    document.erase("command");
    for (json& run : document["runs"]) {
      run.erase("wall_s");
      run.erase("sim_cycles_per_s");
    }
    return document;
  };
  const std::string config = "configs/fred_small.yaml";
  EXPECT_EQ(
      answer(run_own_npu({"--config", config, "--ask", "collective"})),
      answer(run_fredsim({"run", config, "--size", "16MiB", "--engine", "flow", "--json", "-"})));
  EXPECT_EQ(
      answer(run_own_npu({"--config", config, "--ask", "training"})),
      answer(run_fredsim({"train", config, "--workload", "small", "--dp", "4", "--json", "-"})));
  const Outcome refused = run_own_npu({"--ask", "weather"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(refused.err.ends_with(
      "tb_own_npu: --ask: found 'weather'; allowed: collective or training\n"))
      << refused.err;
}

}  // namespace
}  // namespace fredsim
