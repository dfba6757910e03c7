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

// Bytes and flits of every link, and what was injected, are the same; times within the error that the result states, at calibrated
// sizes the same.
TEST(FlowEngine, HasTheTrafficOfExactRunsAndTimesWithinItsError) {
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
        const double percent =
            100 * std::abs(f["cycles"].get<double>() / exact[r]["cycles"].get<double>() - 1);
        EXPECT_LE(percent, f["error"]["worst_percent"].get<double>() + 1e-9);
        if (f["size_bytes"] == 65536 || f["size_bytes"] == 1 << 20) {
          EXPECT_EQ(f["cycles"], exact[r]["cycles"]);
        }
      }
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
