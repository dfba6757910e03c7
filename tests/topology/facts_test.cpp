// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "topology/mesh2d/mesh2d.h"

namespace fredsim {
namespace {

// Over all ways to halve the mesh or torus.
int min_cut(const SwitchGrid& mesh) {
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
      const SwitchGrid mesh{width, height, {}};
      const SwitchGrid torus{width, height, {width > 2 ? width : 0, height > 2 ? height : 0}};
      EXPECT_EQ(mesh_bisection_links(mesh), min_cut(mesh)) << width << " x " << height;
      EXPECT_EQ(mesh_bisection_links(torus), min_cut(torus)) << width << " x " << height;
    }
  }
  EXPECT_EQ(mesh_bisection_links({5, 4, {}}), 5);
  EXPECT_EQ(mesh_bisection_links({64, 64, {}}), 64);
  EXPECT_EQ(mesh_bisection_links({5, 4, {5, 4}}), 10);
  EXPECT_EQ(mesh_bisection_links({63, 63, {63, 63}}), 128);
}

}  // namespace
}  // namespace fredsim
