// SPDX-License-Identifier: Apache-2.0
// Switches that are all joined: collectives and traffic, RTL and twin alike.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;

json first_run(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json", "-"});
  const Outcome outcome = run_fredsim(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? outcome.json()["runs"][0] : json::object();
}

TEST(FullyConnected, RunsCollectivesInLockstep) {
  for (const std::string planes : {"1", "2"}) {
    for (const std::string collective : {"all_reduce", "all_to_all", "broadcast"}) {
      SCOPED_TRACE(collective + ", planes: " + planes);
      const auto run = [&](const std::string& model) {
        return first_run({"run", "configs/fully_connected.yaml", "--set", "fabric.planes=" + planes,
                          "--collective", collective, "--size", "64KiB", "--model", model});
      };
      const json twin = run("tlm");
      EXPECT_EQ(twin["payload"], "exact");
      EXPECT_EQ(twin["fabric"], "fully_connected");
      EXPECT_GT(twin["cycles"], 0);
      EXPECT_EQ(run("lockstep")["cycles"], twin["cycles"]);
      EXPECT_EQ(run("rtl")["cycles"], twin["cycles"]);
    }
  }
}

TEST(FullyConnected, EveryPacketTakesTwoSwitchesAtMost) {
  const json run = first_run({"run", "configs/fully_connected.yaml", "--collective", "all_to_all",
                              "--size", "48KiB", "--algorithm", "direct"});
  // Path: NPU to switch, to the other switch, to its NPU.
  const auto injected = run["traffic"]["injected_bytes"].get<std::uint64_t>();
  EXPECT_EQ(run["traffic"]["link_bytes"], 3 * injected);
}

TEST(FullyConnected, TakesTraffic) {
  const json run = first_run({"traffic", "configs/fully_connected.yaml", "--rate", "0.2",
                              "--cycles", "2000", "--model", "lockstep"});
  const json twin =
      first_run({"traffic", "configs/fully_connected.yaml", "--rate", "0.2", "--cycles", "2000"});
  EXPECT_EQ(run["latency_cycles"], twin["latency_cycles"]);
  EXPECT_FALSE(twin["latency_cycles"].is_null());
}

}  // namespace
}  // namespace fredsim
