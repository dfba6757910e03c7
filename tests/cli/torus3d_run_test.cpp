// SPDX-License-Identifier: Apache-2.0
// A 3D torus: collectives, traffic and training; RTL and twin alike on one with a ring whose
// switches have 4 ports.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

json first_result(Words arguments) {
  arguments.insert(arguments.end(), {"--json", "-"});
  const Outcome outcome = run_fredsim(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json::object();
}

// 4 x 2 x 1, or 5 x 2 x 1, whose ring has paths that are not the shortest.
Words small(const std::string& command, int x) {
  const std::string sides = std::to_string(x);
  return {command, "configs/torus3d.yaml",   "--set", "npu.count=" + std::to_string(2 * x),
          "--set", "fabric.size_x=" + sides, "--set", "fabric.size_y=2",
          "--set", "fabric.size_z=1"};
}

TEST(Torus3d, RunsCollectivesInLockstep) {
  for (const int x : {4, 5}) {
    for (const std::string collective : {"all_reduce", "all_to_all"}) {
      SCOPED_TRACE(collective + ", x: " + std::to_string(x));
      const auto run = [&](const std::string& model) {
        Words words = small("run", x);
        words.insert(words.end(),
                     {"--collective", collective, "--size", "40KiB", "--model", model});
        return first_result(words);
      };
      const json twin = run("tlm");
      EXPECT_EQ(twin["payload"], "exact");
      EXPECT_EQ(twin["fabric"], "torus3d");
      EXPECT_GT(twin["cycles"], 0);
      EXPECT_EQ(run("lockstep")["cycles"], twin["cycles"]);
      EXPECT_EQ(run("rtl")["cycles"], twin["cycles"]);
    }
  }
}

TEST(Torus3d, HasAlgorithmsThatGoByDimensions) {
  for (const std::string algorithm : {"hier_ring", "hier_direct", "tree", "ring", "direct"}) {
    const json run = first_result({"run", "configs/torus3d.yaml", "--collective", "all_reduce",
                                   "--size", "256KiB", "--algorithm", algorithm});
    EXPECT_EQ(run["payload"], "exact") << algorithm;
    EXPECT_EQ(run["algorithm"], algorithm);
  }
}

// Hops between neighbours alone: a switch of the sender and one of the receiver.
TEST(Torus3d, RingsOverDimensionsTakeSingleHops) {
  const json run = first_result({"run", "configs/torus3d.yaml", "--collective", "all_reduce",
                                 "--size", "256KiB", "--algorithm", "hier_ring"});
  EXPECT_EQ(run["traffic"]["link_bytes"],
            3 * run["traffic"]["injected_bytes"].get<std::uint64_t>());
}

TEST(Torus3d, TakesTrafficAboveSaturation) {
  Words words = small("traffic", 5);
  words.insert(words.end(), {"--rate", "0.7", "--cycles", "2000"});
  const json twin = first_result(words);
  EXPECT_GT(twin["accepted_rate"], 0.05);
  EXPECT_EQ(twin["saturated"], true);
  words.insert(words.end(), {"--model", "lockstep"});
  const json lockstep = first_result(words);
  EXPECT_EQ(lockstep["accepted_rate"], twin["accepted_rate"]);
  EXPECT_EQ(lockstep["latency_cycles"], twin["latency_cycles"]);
}

TEST(Torus3d, Trains) {
  const Outcome outcome = run_fredsim(
      {"train", "configs/torus3d.yaml", "--workload", "configs/workloads/mlp.txt", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_GT(outcome.json()["runs"][0]["iteration_ns"], 0);
}

}  // namespace
}  // namespace fredsim
