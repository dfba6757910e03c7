// SPDX-License-Identifier: Apache-2.0
// --engine flow beside --engine exact.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

json runs_of(Words words, const std::string& engine) {
  words.insert(words.end(), {"--engine", engine, "--quiet", "--json", "-"});
  const Outcome outcome = run_fredsim(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? outcome.json()["runs"] : json::array();
}

// Bytes and flits of every link, and what was injected, are the same; times at calibrated sizes, too.
TEST(FlowEngine, HasTheTrafficOfExactRunsAndTheirTimesWhereCalibrated) {
  for (const std::string machine : {"mesh_2x2", "fred_small", "fred_d"}) {
    for (const std::string collective : {"all_reduce", "broadcast"}) {
      SCOPED_TRACE(machine + ", " + collective);
      const Words words{"run",          "configs/" + machine + ".yaml",
                        "--collective", collective,
                        "-b",           "64KiB",
                        "-e",           "4MiB",
                        "-f",           "4"};
      const json exact = runs_of(words, "exact");
      const json flow = runs_of(words, "flow");
      ASSERT_EQ(exact.size(), 4U);
      ASSERT_EQ(flow.size(), 4U);
      for (std::size_t r = 0; r < exact.size(); ++r) {
        const json& f = flow[r];
        EXPECT_EQ(f["engine"], "flow");
        EXPECT_EQ(f["payload"], "not carried");
        EXPECT_EQ(f["algorithm"], exact[r]["algorithm"]);
        EXPECT_EQ(f["traffic"], exact[r]["traffic"]);
        ASSERT_EQ(f["links"].size(), exact[r]["links"].size());
        for (std::size_t l = 0; l < f["links"].size(); ++l) {
          EXPECT_EQ(f["links"][l]["flits"], exact[r]["links"][l]["flits"]);
          EXPECT_EQ(f["links"][l]["bytes"], exact[r]["links"][l]["bytes"]);
        }
        EXPECT_EQ(f["cycles"], exact[r]["cycles"]);
        EXPECT_FALSE(f["error"]["sizes"].empty());
      }
    }
  }
}

// Sizes that are not calibrated, of collectives at the endpoints and in the switches, with jumps in between (docs/user/engines.md).
TEST(FlowEngine, KeepsWithinTheErrorThatIsAimedAt) {
  struct Work {
    const char *machine, *collective, *algorithm;
  };
  for (const auto& [machine, collective, algorithm] :
       std::vector<Work>{{"mesh_2x2", "all_reduce", "multi_tree"},
                         {"mesh_2x2", "all_to_all", "direct"},
                         {"fred_small", "all_gather", "in_switch"},
                         {"fred_b", "all_gather", "in_switch"},
                         {"fred_d", "all_reduce", "in_switch"},
                         {"fred_d", "reduce_scatter", "in_switch"},
                         {"mesh_reducing", "reduce_scatter", "in_switch"},
                         {"mesh_reducing", "all_reduce", "ring"},
                         {"mesh", "all_reduce", "multi_tree"},
                         {"torus", "broadcast", "chain"}}) {
    SCOPED_TRACE(std::string(machine) + ", " + collective + " by " + algorithm);
    const Words words{"run",          std::string("configs/") + machine + ".yaml",
                      "--collective", collective,
                      "--algorithm",  algorithm,
                      "-b",           "77777",
                      "-e",           "1300000",
                      "-f",           "4"};
    const json exact = runs_of(words, "exact");
    const json flow = runs_of(words, "flow");
    ASSERT_EQ(exact.size(), 3U);
    ASSERT_EQ(flow.size(), 3U);
    for (std::size_t r = 0; r < exact.size(); ++r) {
      const double percent =
          100 * std::abs(flow[r]["cycles"].get<double>() / exact[r]["cycles"].get<double>() - 1);
      const double aim = exact[r]["size_bytes"] < 1 << 20 ? 10 : 3;
      EXPECT_LE(percent, aim) << exact[r]["size_bytes"];
    }
  }
}

TEST(FlowEngine, SaysWhatHasNoMeasuredError) {
  const json runs =
      runs_of({"run", "configs/mesh.yaml", "--set", "npu.count=400", "--set", "fabric.width=20",
               "--set", "fabric.height=20", "--set", "io.count=0", "--size", "64MiB"},
              "flow");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_TRUE(runs[0]["error"].is_null());
  const Outcome table = run_fredsim({"run", "configs/mesh_2x2.yaml", "--collective", "all_to_all_v",
                                     "--size", "64KiB", "--engine", "flow"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find("unmeasured"), std::string::npos) << table.out;
}

TEST(FlowEngine, RefusesWhatOnlyFlitsHave) {
  for (const Words& words : std::vector<Words>{{"--model", "rtl"},
                                               {"--wave", "/dev/null"},
                                               {"--lanes", "2"},
                                               {"--breakdown"},
                                               {"--timeline", "/dev/null"},
                                               {"--no-skip"},
                                               {"--timeout-cycles", "9"}}) {
    Words all{"run", "configs/fred_small.yaml", "--engine", "flow"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run_fredsim(all);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find(words.front() +
                               ": found with --engine flow; allowed: --engine exact, since"),
              std::string::npos)
        << outcome.err;
  }
  const Outcome outcome = run_fredsim({"run", "configs/fred_small.yaml", "--engine", "fluid"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("--engine: found 'fluid'; allowed: exact or flow"), std::string::npos);
}

}  // namespace
}  // namespace fredsim
