// SPDX-License-Identifier: Apache-2.0
#include "routing/mesh_routing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "config/config.h"
#include "topology/mesh_address.h"

namespace fredsim {
namespace {

TEST(MeshRouting, WalksTheRowThenTheColumn) {
  for (int from = 0; from < 20; ++from) {
    for (int to = 0; to < 20; ++to) {
      int x = from % 5;
      int y = from / 5;
      int hops = 0;
      bool turned = false;
      for (int d = mesh_direction(x, y, to % 5, to / 5, {}); d >= 0;
           d = mesh_direction(x, y, to % 5, to / 5, {})) {
        const bool vertical = d == kNorth || d == kSouth;
        EXPECT_FALSE(turned && !vertical);
        turned = vertical;
        x += (d == kEast) - (d == kWest);
        y += (d == kSouth) - (d == kNorth);
        ++hops;
        ASSERT_LE(hops, 7);
      }
      EXPECT_EQ(hops, std::abs(from % 5 - to % 5) + std::abs(from / 5 - to / 5));
    }
  }
}

// Hops between two coordinates of a side.
int grid_distance(int from, int to, bool ring, int side) {
  const int direct = std::abs(from - to);
  return ring ? std::min(direct, side - direct) : direct;
}

// Every pair on tori of many shapes: the minimum number of hops, along the row first, never back.
TEST(MeshRouting, WalksATorusTheShorterWay) {
  for (int width = 1; width <= 8; ++width) {
    for (int height = 1; height <= 8; height += 1 + width % 2) {
      const MeshRings rings{width > 2 ? width : 0, height > 2 ? height : 0};
      for (int i = 0; i < width * height * width * height; ++i) {
        const int from_x = i % width;
        const int from_y = i / width % height;
        const int to_x = i / (width * height) % width;
        const int to_y = i / (width * height) / width;
        int x = from_x;
        int y = from_y;
        int hops = 0;
        int before = -1;
        for (;;) {
          const int d = mesh_direction(x, y, to_x, to_y, rings);
          if (d < 0) break;
          const bool vertical = d == kNorth || d == kSouth;
          if (before >= 0 && d != before) {
            ASSERT_TRUE(vertical && (before == kEast || before == kWest));  // the one turn
          }
          before = d;
          x = (x + (d == kEast) - (d == kWest) + width) % width;
          y = (y + (d == kSouth) - (d == kNorth) + height) % height;
          ASSERT_LE(++hops, width + height);
        }
        ASSERT_EQ(x, to_x);
        ASSERT_EQ(y, to_y);
        ASSERT_EQ(hops, grid_distance(from_x, to_x, rings.columns != 0, width) +
                            grid_distance(from_y, to_y, rings.rows != 0, height));
      }
    }
  }
}

// All-to-all on a ring of even side: equal flits on the links of both directions.
TEST(MeshRouting, TiesAreSharedOut) {
  for (const int side : {4, 6, 8, 64}) {
    int east = 0;
    int west = 0;
    for (int from = 0; from < side; ++from) {
      const int to = (from + side / 2) % side;
      ++(mesh_direction(from, 0, to, 0, {side, 0}) == kEast ? east : west);
      EXPECT_EQ(mesh_direction(0, from, 0, to, {0, side}), from % 2 == 0 ? kSouth : kNorth);
    }
    EXPECT_EQ(east, west);
  }
}

TEST(MeshRouting, AddressesReadBack) {
  const MeshPosition position = mesh_position(mesh_address(63, 17, 2));
  EXPECT_EQ(position.x, 63);
  EXPECT_EQ(position.y, 17);
}

TEST(MeshRouting, NicPortFacesTheFirstHop) {
  const Topology topology = load_config("configs/mesh.yaml").topology;
  const NodeId npu = topology.npus[12];
  ASSERT_EQ(topology.nodes[npu].address, mesh_address(2, 2, 0));
  ASSERT_EQ(topology.nodes[npu].ports, 4);
  EXPECT_EQ(mesh_nic_port(topology, npu, mesh_address(2, 0, 0)), kNorth);
  EXPECT_EQ(mesh_nic_port(topology, npu, mesh_address(4, 0, 0)), kEast);
  EXPECT_EQ(mesh_nic_port(topology, npu, mesh_address(2, 3, 1)), kSouth);
  EXPECT_EQ(mesh_nic_port(topology, npu, mesh_address(1, 3, 0)), kWest);
  EXPECT_EQ(mesh_nic_port(topology, npu, mesh_address(2, 2, 1)), 0);
}

}  // namespace
}  // namespace fredsim
