// SPDX-License-Identifier: Apache-2.0
// Machine file of fully connected switches: defaults, output of `info`, refused input.
#include <gtest/gtest.h>

#include <string>

#include "config/config.h"
#include "config/describe.h"
#include "refusal_of.h"

namespace fredsim {
namespace {

const std::string kFullyConnected = "configs/fully_connected.yaml";

TEST(FullyConnectedFile, HasItsKeysAndDefaults) {
  const MachineConfig machine = load_config(kFullyConnected);
  EXPECT_EQ(machine.topology.kind, "fully_connected");
  EXPECT_EQ(machine.topology.npus.size(), 4U);
  EXPECT_EQ(machine.topology.slices, 1);
  EXPECT_EQ(machine.topology.links.size(), 2U * (4 + 6));
  EXPECT_EQ(load_config(kFullyConnected, {"fabric.planes=2"}).topology.slices, 2);
}

TEST(FullyConnectedFile, IsDescribed) {
  const std::string text = describe(load_config(kFullyConnected).topology, 200);
  for (const char* part :
       {"4 switches, each joined to all others, 1 plane; collectives at the endpoints",
        "VOQ crossbar(4)", "NPU - router", "router - router"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
  EXPECT_EQ(text.find("L1"), std::string::npos) << text;
}

TEST(FullyConnectedFile, TakesSwitchesThatRouteByTable) {
  for (const char* kind : {"fred", "reducing_crossbar", "aggregator"}) {
    const std::string setting = std::string("switch.kind=") + kind;
    EXPECT_EQ(load_config(kFullyConnected, {setting}).topology.nodes.back().switch_kind, kind);
  }
  EXPECT_NE(
      refused(kFullyConnected, {"switch.kind=mesh"}).find("in a fully_connected; allowed: fred"),
      std::string::npos);
  EXPECT_NE(refused(kFullyConnected, {"fabric.slices=2"})
                .find("fabric.slices: found in a fully_connected; allowed: in a fred_tree"),
            std::string::npos);
}

}  // namespace
}  // namespace fredsim
