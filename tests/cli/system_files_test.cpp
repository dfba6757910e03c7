// SPDX-License-Identifier: Apache-2.0
// Systems of configs/systems from the command line.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;

TEST(SystemFiles, AreShownWithTheirDimensionsAndBisection) {
  struct Shown {
    std::string name;
    std::vector<std::string> words;
  };
  for (const Shown& shown : std::vector<Shown>{
           {"themis_2d_sw_sw", {"switch 16 x switch 64", "1024, 250 GB/s", "51.2 TB/s"}},
           {"libra_4d_4k", {"ring 4 x fully_connected 8 x ring 4", "4096, 500 GB/s", "128 TB/s"}},
           {"dgx_8_128", {"switch 8 x switch 128", "1024, 325 GB/s", "12.8 TB/s"}},
           {"fred_d_64", {"fred 20 x switch 64", "1280, 3.05 TB/s", "32 TB/s"}}}) {
    const Outcome outcome = run_fredsim({"info", "configs/systems/" + shown.name + ".yaml"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    for (const std::string& word : shown.words)
      EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " in\n" << outcome.out;
  }
}

// 1024 NPUs, 16 x 64 at 150 and 100 GB/s. With 256 MiB each NPU sends 2 x 15/16 in the lowest
// dimension, 3.36 ms, which is the bound; the other dimension has a sixteenth of it, 2 x 63/64 at
// two thirds of the rate, 0.33 ms, hidden except for the first and last of 16 chunks.
TEST(SystemFiles, Of1024NpusRunAsFlows) {
  const Outcome outcome =
      run_fredsim({"run", "configs/systems/themis_2d_sw_sw.yaml", "--engine", "flow", "--size",
                   "256MiB", "--chunks", "16", "--algorithm", "direct", "--quiet", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json run = outcome.json()["runs"][0];
  EXPECT_EQ(run["engine"], "flow");
  const double lowest = 2.0 * 15 / 16 * (256 << 20) / 150;  // ns
  const double top = 2.0 * 63 / 64 * (256 << 20) / 16 / 100;
  // Acknowledgements add 512 bytes for 16 packets.
  const auto bound = run.at("derived").at("bound_ns").get<double>();
  EXPECT_GE(bound, lowest);
  EXPECT_LT(bound, 1.005 * lowest);
  EXPECT_GT(run.at("time_ns").get<double>(), lowest + top / 16);
  EXPECT_LT(run.at("time_ns").get<double>(), 1.05 * (lowest + top / 16));
}

}  // namespace
}  // namespace fredsim
