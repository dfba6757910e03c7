// SPDX-License-Identifier: Apache-2.0
// --breakdown and --trace-packets: printed tables, written files, refused input.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

const Words kRun{"run", "configs/fred_small.yaml", "--size", "20KiB", "--quiet"};

json breakdown_run(const Words& words) {
  const Outcome outcome = run_fredsim(with(words, {"--json", "-"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out).at("runs").at(0);
}

std::uint64_t sum_of(const json& causes) {
  std::uint64_t sum = 0;
  for (const auto& [cause, cycles] : causes.items()) sum += cycles.get<std::uint64_t>();
  return sum;
}

TEST(BreakdownOption, PutsTheWayOfTheCollectiveAndOfPacketsIntoTheJson) {
  const json plain = breakdown_run(kRun);
  EXPECT_FALSE(plain.contains("breakdown"));
  const json run = breakdown_run(with(kRun, {"--breakdown", "--trace-packets", "2"}));
  EXPECT_EQ(run["cycles"], plain["cycles"]);
  const json& part = run["breakdown"].at(0);
  std::uint64_t path = 0;
  for (const json& stage : part["path"]["stages"]) path += sum_of(stage["causes"]);
  EXPECT_EQ(path, run["cycles"]);
  ASSERT_EQ(part["listed"].size(), 2U);
  for (const json& packet : part["listed"]) {
    std::uint64_t latency = 0;
    for (const json& hop : packet["hops"]) latency += sum_of(hop["causes"]);
    EXPECT_EQ(latency, packet["latency_cycles"]);
  }
  EXPECT_EQ(part["listed"][0]["latency_cycles"], part["latency_cycles"]["max"]);
  const json first = breakdown_run(with(kRun, {"--breakdown", "--trace-packets", "first:1"}));
  EXPECT_EQ(first["breakdown"][0]["listed"].size(), 1U);
}

TEST(BreakdownOption, GivesTheSameForEveryModelAndBesideATimeline) {
  const Words words = with(kRun, {"--breakdown", "--trace-packets", "3"});
  const json expected = breakdown_run(words)["breakdown"];
  for (const char* model : {"rtl", "lockstep"}) {
    EXPECT_EQ(breakdown_run(with(words, {"--model", model}))["breakdown"], expected) << model;
  }
  const std::string timeline = testing::TempDir() + "breakdown_timeline.json";
  EXPECT_EQ(breakdown_run(with(words, {"--timeline", timeline}))["breakdown"], expected);
}

TEST(BreakdownOption, PrintsATableOfStagesAndCauses) {
  const Outcome run = run_fredsim(with(kRun, {"--breakdown", "--trace-packets", "1"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* text : {"where the cycles of", "stage", "L1 up", "pipeline", "of these"}) {
    EXPECT_NE(run.out.find(text), std::string::npos) << text << " in\n" << run.out;
  }
  const Outcome traffic =
      run_fredsim({"traffic", "configs/mesh_2x2.yaml", "--rate", "0.2", "--cycles", "500",
                   "--warmup", "50", "--quiet", "--breakdown"});
  EXPECT_EQ(traffic.exit_code, 0) << traffic.err;
  EXPECT_NE(traffic.out.find("router -> router"), std::string::npos) << traffic.out;
}

TEST(BreakdownOption, IsRefusedWhereItMakesNoSense) {
  expect_refused(run_fredsim(with(kRun, {"--trace-packets", "3"})),
                 {"--trace-packets", "--breakdown"});
  expect_refused(run_fredsim(with(kRun, {"--breakdown", "--trace-packets", "0"})),
                 {"--trace-packets", "'0'", "1"});
  expect_refused(run_fredsim(with(kRun, {"--breakdown", "--trace-packets", "last:3"})),
                 {"--trace-packets", "last:3"});
}

}  // namespace
}  // namespace fredsim
