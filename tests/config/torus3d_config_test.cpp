// SPDX-License-Identifier: Apache-2.0
// Machine file of a 3D torus: defaults, output of `info`, refused input.
#include <gtest/gtest.h>

#include <string>

#include "config/config.h"
#include "config/describe.h"
#include "refusal_of.h"

namespace fredsim {
namespace {

const std::string kTorus3d = "configs/torus3d.yaml";

TEST(Torus3dFile, HasItsKeysAndDefaults) {
  const MachineConfig machine = load_config(kTorus3d);
  EXPECT_EQ(machine.topology.kind, "torus3d");
  EXPECT_EQ(machine.topology.npus.size(), 64U);
  EXPECT_EQ(machine.topology.links.size(), 2U * (64 + 3 * 64));
  EXPECT_EQ(load_config(kTorus3d, {"fabric.planes=2"}).topology.slices, 2);
}

TEST(Torus3dFile, IsDescribed) {
  const std::string text = describe(load_config(kTorus3d).topology, 200);
  for (const char* part : {"3D torus of 4 x 4 x 4, 1 plane; collectives at the endpoints",
                           "VOQ crossbar(7)", "NPU - router", "router - router"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
}

TEST(Torus3dFile, TakesSwitchesThatRouteByTable) {
  for (const char* kind : {"fred", "reducing_crossbar", "aggregator"}) {
    const std::string setting = std::string("switch.kind=") + kind;
    EXPECT_EQ(load_config(kTorus3d, {setting}).topology.nodes.back().switch_kind, kind);
  }
  EXPECT_NE(refused(kTorus3d, {"switch.kind=mesh"}).find("in a torus3d; allowed: fred"),
            std::string::npos);
  EXPECT_NE(refused(kTorus3d, {"fabric.size_z=2"}).find("4 x 4 x 2 = 32"), std::string::npos);
}

}  // namespace
}  // namespace fredsim
