// SPDX-License-Identifier: Apache-2.0
// npu.collective_overhead and --skew of `fredsim run`, `compare` and `train`: added time,
// statements of the results, bad input.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Line = std::vector<std::string>;

const Line kOverhead{"--set", "npu.collective_overhead=1us"};  // 1500 cycles

json late_runs(Line line, const Line& more = {}) {
  line.insert(line.end(), more.begin(), more.end());
  line.insert(line.end(), {"--quiet", "--json", "-"});
  const Outcome outcome = run_fredsim(line);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.json()["runs"];
}

TEST(Arrivals, OverheadDelaysACollectiveOfEitherEngine) {
  for (const char* engine : {"exact", "flow"}) {
    const Line line{"compare",
                    "configs/mesh_2x2.yaml",
                    "configs/fred_small.yaml",
                    "--size",
                    "64KiB",
                    "--engine",
                    engine};
    const json on_time = late_runs(line), late = late_runs(line, kOverhead);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(late[i]["cycles"].get<int>(), on_time[i]["cycles"].get<int>() + 1500) << engine;
      EXPECT_EQ(late[i]["collective_overhead_ns"], 1000);
      EXPECT_FALSE(on_time[i].contains("collective_overhead_ns"));
      EXPECT_FALSE(late[i].contains("skew"));
    }
  }
}

TEST(Arrivals, SkewIsThatOfTheSeed) {
  const Line line{"run", "configs/fred_small.yaml", "--size", "64KiB", "--skew", "normal:1us"};
  const json one = late_runs(line)[0], again = late_runs(line, {"--no-skip"})[0],
             other = late_runs(line, {"--seed", "2"})[0];
  EXPECT_EQ(one["skew"], "normal:1us");
  EXPECT_EQ(one["cycles"], again["cycles"]);
  EXPECT_NE(one["cycles"], other["cycles"]);
  const json flow = late_runs(line, {"--engine", "flow"})[0];
  EXPECT_NEAR(flow["cycles"].get<double>(), one["cycles"].get<double>(),
              0.05 * one["cycles"].get<double>());
  const json none =
      late_runs({"run", "configs/fred_small.yaml", "--size", "64KiB", "--skew", "none"})[0];
  EXPECT_FALSE(none.contains("skew"));
  EXPECT_LT(none["cycles"], one["cycles"]);
}

TEST(Arrivals, OnASystemEitherEngineWaitsForThem) {
  const TemporaryFolder folder;
  const std::string path = folder.file("system.yaml");
  std::ofstream(path)
      << "name: system\nclock: 1.5 GHz\nfabric:\n  type: dimensions\n  dimensions:\n"
         "    - {block: fully_connected, size: 4, bandwidth: 240 GB/s, latency: 100 ns}\n"
         "    - {block: ring, size: 4, bandwidth: 100 GB/s, latency: 500 ns}\n";
  const Line line{"run", path, "--size", "64KiB", "--skew", "uniform:20us"};
  const json exact = late_runs(line)[0], flow = late_runs(line, {"--engine", "flow"})[0];
  EXPECT_GT(exact["time_ns"], 10'000);
  EXPECT_NEAR(flow["time_ns"].get<double>(), exact["time_ns"].get<double>(),
              0.05 * exact["time_ns"].get<double>());
}

// 160 sequential all-reduces of a pass through 80 layers.
TEST(Arrivals, ATokenTakesTheOverheadOfAllItsCollectives) {
  const Line line{"train",
                  "configs/mesh_2x2.yaml",
                  "configs/fred_small.yaml",
                  "--workload",
                  "configs/models/llama3_70b.yaml",
                  "--phase",
                  "decode",
                  "--mp",
                  "4",
                  "--context",
                  "64",
                  "--set",
                  "npu.memory=1000GB"};
  for (const char* engine : {"exact", "flow"}) {
    const Line with{"--engine", engine};
    Line late = with;
    late.insert(late.end(), kOverhead.begin(), kOverhead.end());
    const json on_time = late_runs(line, with), slow = late_runs(line, late);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto of = [&](const json& runs, const char* part) {
        return runs[i]["breakdown_ns"][part].get<double>();
      };
      EXPECT_NEAR(slow[i]["time_per_token_ns"].get<double>() -
                      on_time[i]["time_per_token_ns"].get<double>(),
                  160e3, 1);
      EXPECT_NEAR(of(slow, "mp") - of(on_time, "mp"), 160e3, 1);
      EXPECT_NEAR(of(slow, "compute"), of(on_time, "compute"), 1e-3);
      EXPECT_NE(on_time[i]["idealised"].dump().find("launched in no time"), std::string::npos);
      EXPECT_EQ(slow[i]["idealised"].dump().find("launched in no time"), std::string::npos);
      EXPECT_EQ(slow[i]["collective_overhead_ns"], 1000);
    }
  }
  const json skewed = late_runs(line, {"--skew", "normal:1us"});
  EXPECT_EQ(skewed[0]["skew"], "normal:1us");
  // The last of four comes 1.465 us late on average, give or take 0.05 over 160.
  const double later = late_runs(line)[0]["time_per_token_ns"].get<double>();
  EXPECT_NEAR(skewed[0]["time_per_token_ns"].get<double>() - later, 160 * 1465, 160 * 200);
}

TEST(Arrivals, BadInputIsRefused) {
  for (const char* command : {"run", "train"}) {
    for (const char* skew : {"normal", "gauss:2us", "normal:2", "normal:-2us", "2us", "normal:"})
      expect_refused(run_fredsim({command, "configs/fred_small.yaml", "--skew", skew}),
                     {"--skew", "'"});
    expect_refused(run_fredsim({command, "configs/fred_small.yaml", "--skew", "gauss:2us"}),
                   {"'gauss:2us'", "none, uniform:TIME or normal:TIME"});
    expect_refused(
        run_fredsim({command, "configs/fred_small.yaml", "--set", "npu.collective_overhead=2"}),
        {"npu.collective_overhead", "'2'"});
  }
}

}  // namespace
}  // namespace fredsim
