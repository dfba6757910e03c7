#include "routing/mesh_routing.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace fredsim {
namespace {

TEST(MeshRouting, WalksTheRowThenTheColumn) {
  for (int from = 0; from < 20; ++from) {
    for (int to = 0; to < 20; ++to) {
      int x = from % 5;
      int y = from / 5;
      int hops = 0;
      bool turned = false;
      for (int d = mesh_direction(x, y, to % 5, to / 5); d >= 0;
           d = mesh_direction(x, y, to % 5, to / 5)) {
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

TEST(MeshRouting, AddressesReadBack) {
  const MeshPosition position = mesh_position(mesh_address(63, 17, 2));
  EXPECT_EQ(position.x, 63);
  EXPECT_EQ(position.y, 17);
}

TEST(MeshRouting, NicPortFacesTheFirstHop) {
  Topology topology;
  Node npu{};
  npu.ports = 4;
  npu.address = mesh_address(2, 2, 0);
  topology.nodes.push_back(npu);
  EXPECT_EQ(mesh_nic_port(topology, 0, mesh_address(2, 0, 0)), kNorth);
  EXPECT_EQ(mesh_nic_port(topology, 0, mesh_address(4, 0, 0)), kEast);
  EXPECT_EQ(mesh_nic_port(topology, 0, mesh_address(2, 3, 1)), kSouth);
  EXPECT_EQ(mesh_nic_port(topology, 0, mesh_address(1, 3, 0)), kWest);
  EXPECT_EQ(mesh_nic_port(topology, 0, mesh_address(2, 2, 1)), 0);
  topology.nodes[0].ports = 2;
  EXPECT_EQ(mesh_nic_port(topology, 0, mesh_address(2, 3, 1)), 0);
  EXPECT_EQ(mesh_nic_port(topology, 0, mesh_address(1, 3, 0)), 1);
}

}  // namespace
}  // namespace fredsim
