// SPDX-License-Identifier: Apache-2.0
// `fredsim compare`: every number against the base follows from the runs themselves.
#include <gtest/gtest.h>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;

double traffic(const json& run, const char* key) { return run["traffic"][key]; }

TEST(Compare, RunsAfterTheFirstMachineStandAgainstTheBaseOfTheSameSize) {
  const Outcome outcome = run_fredsim({"compare", "configs/mesh_2x2.yaml",
                                       "configs/fred_small.yaml", "configs/mesh_2x2.yaml", "-b",
                                       "2KiB", "-e", "32KiB", "-f", "16", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json runs = outcome.json()["runs"];
  ASSERT_EQ(runs.size(), 6U) << "three machines, two sizes";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const json& run = runs[i];
    const json& base = runs[i % 2];
    EXPECT_EQ(run["size_bytes"], i % 2 == 0 ? 2048 : 32768);
    EXPECT_EQ(run["payload"], "exact");
    EXPECT_EQ(run.contains("speedup"), i >= 2);
    if (i < 2) continue;
    EXPECT_DOUBLE_EQ(run["speedup"], base["time_ns"].get<double>() / run["time_ns"].get<double>());
    EXPECT_DOUBLE_EQ(run["injected_traffic_reduction"],
                     traffic(base, "injected_bytes") / traffic(run, "injected_bytes"));
    EXPECT_DOUBLE_EQ(run["link_traffic_reduction"],
                     traffic(base, "link_bytes") / traffic(run, "link_bytes"));
  }
  EXPECT_NEAR(runs[2]["injected_traffic_reduction"], 3, 1e-9) << "D against (N - 1) D of one_shot";
  EXPECT_EQ(runs[4]["speedup"], 1) << "the same machine again";
  EXPECT_EQ(runs[4]["link_traffic_reduction"], 1);
}

TEST(Compare, PrintsATablePerSize) {
  const Outcome outcome =
      run_fredsim({"compare", "configs/mesh_2x2.yaml", "configs/fred_small.yaml", "-b", "2KiB",
                   "-e", "4KiB", "--algorithm", "paper", "--legend"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::size_t second = outcome.out.find("all_reduce of 4 KiB over 4 NPUs");
  EXPECT_LT(outcome.out.find("all_reduce of 2 KiB over 4 NPUs"), second) << outcome.out;
  ASSERT_NE(second, std::string::npos) << outcome.out;
  for (const char* word :
       {"\nmesh_2x2 ", "\nfred_small ", "hier_ring", "in_switch", "speed-up", " 1.500 ", "base",
        "derived", "\nsimulated\n  mesh_2x2: ", "\n  fred_small: "}) {
    EXPECT_NE(outcome.out.find(word, second), std::string::npos) << word << " in\n" << outcome.out;
  }
}

TEST(Compare, AFailedRunIsNamed) {
  const Outcome outcome =
      run_fredsim({"compare", "configs/mesh_2x2.yaml", "configs/fred_small.yaml", "--size", "64KiB",
                   "--timeout-cycles", "10", "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("mesh_2x2, all_reduce of 64 KiB"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace fredsim
