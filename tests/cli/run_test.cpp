// SPDX-License-Identifier: Apache-2.0
// `fredsim run`: the results JSON and the table, on the two small machines.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;

struct RunCase {
  const char* config;
  const char* algorithm;
  double injected_per_size;  // all NPUs together, in units of the size
};

void PrintTo(const RunCase& c, std::ostream* out) { *out << c.config; }

class RunTest : public testing::TestWithParam<RunCase> {};

TEST_P(RunTest, JsonHasTheContractsKeysAndTheyAgree) {
  constexpr std::uint64_t kSize = 65536;
  const Outcome outcome = run_fredsim({"run", GetParam().config, "--size", "64KiB", "--seed", "5",
                                       "--algorithm", "paper", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const json document = outcome.json();
  EXPECT_EQ(document["fredsim"], FREDSIM_VERSION);
  ASSERT_EQ(document["runs"].size(), 1U);
  const json& run = document["runs"][0];
  EXPECT_EQ(run["config"], GetParam().config);
  EXPECT_EQ(run["model"], "tlm");
  EXPECT_EQ(run["lanes"], 1);
  EXPECT_EQ(run["clock_ghz"], 1.5);
  EXPECT_EQ(run["collective"], "all_reduce");
  EXPECT_EQ(run["algorithm"], GetParam().algorithm);
  EXPECT_EQ(run["groups"], json::parse("[[0, 1, 2, 3]]"));
  EXPECT_EQ(run["size_bytes"], kSize);
  EXPECT_EQ(run["seed"], 5);
  EXPECT_EQ(run["payload"], "exact");

  const double time = run["time_ns"];
  EXPECT_NEAR(time, run["cycles"].get<double>() / 1.5, 1e-6);
  EXPECT_NEAR(run["algbw_gbps"].get<double>(), kSize / time, 1e-6);
  EXPECT_NEAR(run["busbw_gbps"].get<double>(), kSize / time * 2 * 3 / 4, 1e-6);
  EXPECT_GE(time, run["derived"]["bound_ns"].get<double>()) << "faster than the busiest link";

  const json& traffic = run["traffic"];
  EXPECT_EQ(traffic["injected_bytes"].get<double>(), GetParam().injected_per_size * kSize);
  EXPECT_GE(traffic["injected_bytes_per_npu_max"].get<double>() * 4,
            traffic["injected_bytes"].get<double>());
  std::uint64_t flits = 0;
  std::uint64_t bytes = 0;
  for (const json& link : run["links"]) {
    if (!link["on_die"].get<bool>()) {
      flits += link["flits"].get<std::uint64_t>();
      bytes += link["bytes"].get<std::uint64_t>();
    }
    EXPECT_LE(link["utilization"].get<double>(), 1.0) << link;
  }
  EXPECT_EQ(traffic["flit_hops"], flits);
  EXPECT_EQ(traffic["link_bytes"], bytes);
  EXPECT_EQ(bytes, flits * 512) << "64 KiB are whole flits";
  ASSERT_FALSE(run["switches"].empty());
  for (const json& one : run["switches"]) {
    EXPECT_EQ(one["model"], "tlm");
    EXPECT_GT(one["flits_in"].get<std::uint64_t>(), 0U) << one["name"];
    EXPECT_TRUE(one["stall_cycles"].is_object());
  }
}

TEST_P(RunTest, SameSeedSameResultAndTheSeedChangesNoTiming) {
  const auto result = [](const char* seed) {
    json run =
        run_fredsim({"run", GetParam().config, "--size", "10000", "--seed", seed, "--json", "-"})
            .json()["runs"][0];
    run.erase("wall_s");
    run.erase("sim_cycles_per_s");
    return run;
  };
  const json first = result("1");
  EXPECT_EQ(first, result("1"));
  json other = result("2");
  other["seed"] = 1;
  EXPECT_EQ(first, other) << "only the payload follows the seed";
}

TEST_P(RunTest, SkippingChangesNothingButTheCost) {
  const auto result = [](const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"run", GetParam().config, "--size", "3MiB", "--json", "-"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    json run = run_fredsim(arguments).json()["runs"][0];
    for (const char* key : {"wall_s", "sim_cycles_per_s", "skipped"}) run.erase(key);
    return run;
  };
  EXPECT_EQ(result({}), result({"--no-skip"}));
}

TEST_P(RunTest, TheModelChangesNothingButItsName) {
  const auto result = [](const std::vector<std::string>& options, std::size_t rtl_switches) {
    std::vector<std::string> arguments{"run", GetParam().config, "--size", "20000", "--json", "-"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    json run = run_fredsim(arguments).json()["runs"][0];
    std::size_t rtl = 0;
    for (json& one : run["switches"]) {
      rtl += one["model"] == "rtl" ? 1 : 0;
      one.erase("model");
    }
    EXPECT_EQ(rtl, std::min(rtl_switches, run["switches"].size())) << run["model"];
    if (run.contains("slices")) run["slices"].erase("simulated");  // equal slices
    for (const char* key : {"model", "wall_s", "sim_cycles_per_s", "skipped"}) run.erase(key);
    return run;
  };
  const json expected = result({"--model", "rtl"}, 1000);
  EXPECT_EQ(expected, result({"--model", "tlm"}, 0));
  EXPECT_EQ(expected, result({"--model", "lockstep"}, 0));
  EXPECT_EQ(expected, result({"--model", "rtl", "--threads", "2"}, 1000));
  EXPECT_EQ(expected, result({"--model", "lockstep", "--threads", "3"}, 0));
  const std::string one = expected["switches"][1]["name"];
  EXPECT_EQ(expected, result({"--rtl-instances", one}, 1));
  EXPECT_EQ(expected, result({"--model", "lockstep", "--rtl-instances", one}, 1));
}

TEST_P(RunTest, SweepGivesOneLineAndOneRunPerSize) {
  const Outcome table =
      run_fredsim({"run", GetParam().config, "-b", "1000", "-e", "40KB", "-f", "6"});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  for (const char* word : {"\n 1000 B", "\n 6000 B", "\n36000 B", "exact", "bound*", "simulated",
                           "20 ns = 30 cycles"}) {
    EXPECT_NE(table.out.find(word), std::string::npos) << word << " in\n" << table.out;
  }
  const json runs =
      run_fredsim({"run", GetParam().config, "-b", "1000", "-e", "40KB", "-f", "6", "--json", "-"})
          .json()["runs"];
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0]["size_bytes"], 1000);
  EXPECT_EQ(runs[1]["size_bytes"], 6000);
  EXPECT_EQ(runs[2]["size_bytes"], 36000);
  EXPECT_LT(runs[0]["cycles"], runs[2]["cycles"]);
}

TEST_P(RunTest, QuietPrintsTheTableOnly) {
  const Outcome outcome = run_fredsim({"run", GetParam().config, "--size", "4KiB", "--quiet"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.find("20 ns ="), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("4 KiB"), std::string::npos) << outcome.out;
}

TEST_P(RunTest, PartOfTheMachineInTheOrderNamed) {
  const Outcome outcome =
      run_fredsim({"run", GetParam().config, "--group", "3,0", "--size", "8KiB", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json run = outcome.json()["runs"][0];
  EXPECT_EQ(run["groups"], json::parse("[[3, 0]]"));
  EXPECT_EQ(run["payload"], "exact");
  EXPECT_EQ(run["traffic"]["injected_bytes"], 2 * 8192) << "each of two sends the vector once";
}

TEST_P(RunTest, TimeOutIsAFailedRunWithoutAResult) {
  const Outcome outcome = run_fredsim(
      {"run", GetParam().config, "--size", "1MiB", "--timeout-cycles", "100", "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("all_reduce of 1 MiB"), std::string::npos) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(Small, RunTest,
                         testing::Values(RunCase{"configs/mesh_2x2.yaml", "hier_ring", 4 * 1.5},
                                         RunCase{"configs/fred_small.yaml", "in_switch", 4}),
                         [](const auto& one) { return std::string(one.param.algorithm); });

}  // namespace
}  // namespace fredsim
