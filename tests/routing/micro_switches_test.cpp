// SPDX-License-Identifier: Apache-2.0
#include "routing/micro_switches.h"

#include <gtest/gtest.h>

namespace fredsim {
namespace {

// The recursion of routing/fred_routing.h, word for word.
MicroSwitchCount by_recursion(int ports, int middle) {
  MicroSwitchCount count;
  if (ports == 2) {
    count.reduce_distribute = 1;
    return count;
  }
  count.reduce = ports / 2;
  count.distribute = ports / 2;
  count.demuxes = ports % 2;
  count.muxes = ports % 2;
  for (int j = 0; j < middle; ++j) {
    const MicroSwitchCount inside = by_recursion((ports + 1) / 2, middle);
    count.reduce += inside.reduce;
    count.distribute += inside.distribute;
    count.reduce_distribute += inside.reduce_distribute;
    count.demuxes += inside.demuxes;
    count.muxes += inside.muxes;
  }
  return count;
}

TEST(MicroSwitches, AreThoseOfTheRecursion) {
  for (int middle = 2; middle <= 4; ++middle) {
    for (int ports = 2; ports <= kMaxPorts; ++ports) {
      EXPECT_EQ(count_micro_switches({ports, middle}), by_recursion(ports, middle))
          << "Fred_" << middle << "(" << ports << ")";
    }
  }
}

TEST(MicroSwitches, ByHand) {
  EXPECT_EQ(count_micro_switches({2, 3}), (MicroSwitchCount{0, 0, 1, 0, 0}));
  EXPECT_EQ(count_micro_switches({3, 2}), (MicroSwitchCount{1, 1, 2, 1, 1}));
  EXPECT_EQ(count_micro_switches({4, 3}), (MicroSwitchCount{2, 2, 3, 0, 0}));
  EXPECT_EQ(count_micro_switches({8, 2}), (MicroSwitchCount{8, 8, 4, 0, 0}));
  EXPECT_EQ(count_micro_switches({12, 3}), (MicroSwitchCount{24, 24, 27, 9, 9}));
}

}  // namespace
}  // namespace fredsim
