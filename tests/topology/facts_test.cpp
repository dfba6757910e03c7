#include "topology/facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

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

TEST(Facts, MicroSwitches) {
  for (int middle = 2; middle <= 4; ++middle) {
    for (int ports = 2; ports <= kMaxPorts; ++ports) {
      EXPECT_EQ(count_micro_switches({ports, middle}), by_recursion(ports, middle))
          << "Fred_" << middle << "(" << ports << ")";
    }
  }
}

TEST(Facts, MicroSwitchesByHand) {
  EXPECT_EQ(count_micro_switches({2, 3}), (MicroSwitchCount{0, 0, 1, 0, 0}));
  EXPECT_EQ(count_micro_switches({3, 2}), (MicroSwitchCount{1, 1, 2, 1, 1}));
  EXPECT_EQ(count_micro_switches({4, 3}), (MicroSwitchCount{2, 2, 3, 0, 0}));
  EXPECT_EQ(count_micro_switches({8, 2}), (MicroSwitchCount{8, 8, 4, 0, 0}));
  EXPECT_EQ(count_micro_switches({12, 3}), (MicroSwitchCount{24, 24, 27, 9, 9}));
}

// Over all ways to halve the mesh or torus.
int least_cut(const MeshFacts& mesh) {
  const int nodes = mesh.width * mesh.height;
  int best = nodes * 4;
  for (unsigned half = 0; half < 1U << nodes; ++half) {
    if (std::popcount(half) != nodes / 2) continue;
    const auto side = [&](int x, int y) {
      return half >> (y % mesh.height * mesh.width + x % mesh.width) & 1U;
    };
    int cut = 0;
    for (int y = 0; y < mesh.height; ++y) {
      for (int x = 0; x < mesh.width; ++x) {
        const bool east = x + 1 < mesh.width || mesh.rings.columns != 0;
        const bool south = y + 1 < mesh.height || mesh.rings.rows != 0;
        if (east && side(x, y) != side(x + 1, y)) ++cut;
        if (south && side(x, y) != side(x, y + 1)) ++cut;
      }
    }
    best = std::min(best, cut);
  }
  return best;
}

TEST(Facts, BisectionIsTheLeastCut) {
  for (int width = 1; width <= 16; ++width) {
    for (int height = 1; width * height <= 16; ++height) {
      const MeshFacts mesh{width, height, {}};
      const MeshFacts torus{width, height, {width > 2 ? width : 0, height > 2 ? height : 0}};
      EXPECT_EQ(mesh_bisection_links(mesh), least_cut(mesh)) << width << " x " << height;
      EXPECT_EQ(mesh_bisection_links(torus), least_cut(torus)) << width << " x " << height;
    }
  }
  EXPECT_EQ(mesh_bisection_links({5, 4, {}}), 5);
  EXPECT_EQ(mesh_bisection_links({64, 64, {}}), 64);
  EXPECT_EQ(mesh_bisection_links({5, 4, {5, 4}}), 10);
  EXPECT_EQ(mesh_bisection_links({63, 63, {63, 63}}), 128);
}

}  // namespace
}  // namespace fredsim
