// SPDX-License-Identifier: Apache-2.0
// `fredsim optimize --topology topoopt`: networks as table, JSON and machine file, limits, speed,
// bad input.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Words topoopt(const Words& more) {
  return with({"optimize", "mesh", "--topology", "topoopt"}, more);
}

Words of_small_model(const Words& more) {
  return topoopt(with({"--npus", "16", "--workload", "configs/models/small.yaml"}, more));
}

json optimum_of(const Words& words) {
  const Outcome outcome = run_fredsim(with(words, {"--json", "-"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.json()["optimum"];
}

// Processor time of the programs that have ended.
double child_seconds() {
  rusage usage{};
  EXPECT_EQ(::getrusage(RUSAGE_CHILDREN, &usage), 0);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

TEST(TopooptCommand, FindsWhatAllStrategiesWithTheirNetworksFind) {
  const json found = optimum_of(of_small_model({}));
  const json best = optimum_of(of_small_model({"--search", "each"}));
  EXPECT_EQ(found["converged"], true);
  EXPECT_EQ(best["converged"], true);
  EXPECT_GE(found["objective"], best["objective"]);
  EXPECT_GE(best["objective"], best["best_switch_time_ns"]);
  EXPECT_EQ(best["ring_interfaces"].get<int>() + best["pair_interfaces"].get<int>(), 4);
  EXPECT_GE(best["rounds"].size(), 5U);
}

TEST(TopooptCommand, GivesTheSameForTheSameSeed) {
  const json once = optimum_of(of_small_model({"--seed", "7"}));
  EXPECT_EQ(once, optimum_of(of_small_model({"--seed", "7"})));
}

TEST(TopooptCommand, SaysThatItReachedItsLimit) {
  const json cut = optimum_of(of_small_model({"--max-evaluations", "3"}));
  EXPECT_EQ(cut["converged"], false);
  EXPECT_FALSE(cut["rounds"].empty());
}

TEST(TopooptCommand, WritesAMachineThatRunsAsFast) {
  const TemporaryFolder folder;
  const std::string file = folder.file("network.yaml");
  const Words small{"--workload", "configs/models/small.yaml", "--minibatch", "256"};
  const json found = optimum_of(topoopt(with(small, {"--npus", "16", "--write", file})));
  const std::string strategy = found["strategy"];
  int mp = 0, dp = 0, pp = 0;
  ASSERT_EQ(std::sscanf(strategy.c_str(), "mp%d-dp%d-pp%d", &mp, &dp, &pp), 3);
  const Outcome trained =
      run_fredsim(with(with({"train", file}, small),
                       {"--mp", std::to_string(mp), "--dp", std::to_string(dp), "--pp",
                        std::to_string(pp), "--placement", "paper", "--algorithm", "paper",
                        "--iterations", "1", "--engine", "flow", "--json", "-"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const double simulated = trained.json()["runs"][0]["iteration_ns"];
  EXPECT_NEAR(found["objective"], simulated, 0.15 * simulated);
}

TEST(TopooptCommand, SearchesFor128NpusInLessThanAMinute) {
  const double before = child_seconds();
  const json found = optimum_of(topoopt({"--npus", "128", "--workload", "transformer_17b"}));
  EXPECT_LT(child_seconds() - before, 60);
  EXPECT_EQ(found["converged"], true);
}

TEST(TopooptCommand, RefusesBadInput) {
  struct Case {
    Words words;
    const char* message;
  };
  const std::vector<Case> cases{
      {topoopt({"--npus", "8", "--degree", "8"}),
       "--degree: found a degree of 8 for 8 nodes; allowed: below the number of nodes, up to 7"},
      {topoopt({"--npus", "12", "--degree", "5"}),
       "--degree: found a degree of 5 for rings of a group of 12, which has 4 jumps without a "
       "common divisor; allowed: up to 4"},
      {topoopt({"--npus", "1"}), "--npus: found '1'"},
      {topoopt({"--total", "300GB/s"}), "--total: found '300GB/s' with --topology"},
      {topoopt({"--workload", "gpt3", "--workload", "resnet152"}), "--workload: found 2"},
      {topoopt({"--search", "all"}), "--search: found 'all'; allowed: alternate or each"},
      {{"optimize", "mesh", "--topology", "torus"}, "--topology: found 'torus'; allowed: topoopt"},
      {{"optimize", "mesh", "--degree", "4", "--size", "1MiB", "--total", "1GB/s"},
       "--degree: found without --topology"}};
  for (const Case& one : cases) {
    const Outcome outcome = run_fredsim(one.words);
    EXPECT_EQ(outcome.exit_code, 2) << one.message;
    EXPECT_NE(outcome.err.find(one.message), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace fredsim
