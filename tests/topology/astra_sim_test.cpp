// SPDX-License-Identifier: Apache-2.0
// Network files of ASTRA-sim's analytical backend.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "support.h"
#include "support/temporary_folder.h"
#include "topology/astra_sim/network_file.h"

namespace fredsim {
namespace {

NetworkFile read_file(const std::string& text) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("network.yml")) << text;
  return read_network_file(folder.file("network.yml"));
}

std::vector<DimensionSpec> read_network(const std::string& text) {
  return read_file(text).dimensions;
}

TEST(AstraSimNetwork, IsReadAsDimensions) {
  const std::vector<DimensionSpec> dimensions =
      read_network_file("configs/systems/files/astra_sim_network.yaml").dimensions;
  ASSERT_EQ(dimensions.size(), 3U);
  EXPECT_EQ(dimensions[0].word, "ring");
  EXPECT_EQ(dimensions[0].block.shape, BlockShape::kRing);
  EXPECT_EQ(dimensions[0].block.size, 4);
  EXPECT_EQ(dimensions[0].block.links, 2) << "a ring goes both ways";
  // 200 GB/s of 2^30 bytes, of a link.
  EXPECT_EQ(dimensions[0].block.bandwidth, 400ULL << 30);
  EXPECT_EQ(dimensions[0].block.latency_ps, 50'000U);
  EXPECT_EQ(dimensions[1].word, "fully_connected");
  EXPECT_EQ(dimensions[1].block.bandwidth, 100ULL << 30);
  EXPECT_EQ(dimensions[1].block.latency_ps, 500'000U);
  EXPECT_EQ(dimensions[2].word, "switch");
  EXPECT_EQ(dimensions[2].block.size, 4);
  EXPECT_EQ(dimensions[2].block.bandwidth, 50ULL << 30);
}

TEST(AstraSimNetwork, LinksOfAnNpuAddUp) {
  const auto dimensions = read_network(
      "topology: [FullyConnected, Ring]\nnpus_count: [5, 2]\nbandwidth: [0.5, 1]\nlatency: [0, "
      "0.25]\n");
  EXPECT_EQ(dimensions[0].block.bandwidth, 4ULL << 29);
  EXPECT_EQ(dimensions[0].block.latency_ps, 0U);
  EXPECT_EQ(dimensions[1].block.bandwidth, 1ULL << 30);
  EXPECT_EQ(dimensions[1].block.latency_ps, 250U);
}

// Square grids are two dimensions, of rings or of lines.
TEST(AstraSimNetwork, GridsOfNewerFilesAreRead) {
  const auto dimensions = read_network(
      "topology: [Mesh, Torus2D, Mesh2D, Switch]\nnpus_count: [5, 16, 9, 2]\nbandwidth: [1, 2, 3, "
      "4]\nlatency: [1, 2, 3, 4]\n");
  ASSERT_EQ(dimensions.size(), 6U);
  const auto expect = [&](std::size_t d, const char* name, BlockShape shape, int size,
                          std::uint64_t links, std::uint64_t gigabytes) {
    EXPECT_EQ(dimensions[d].name, name);
    EXPECT_EQ(dimensions[d].block.shape, shape);
    EXPECT_EQ(dimensions[d].block.size, size);
    EXPECT_EQ(dimensions[d].block.bandwidth, links * gigabytes << 30);
    EXPECT_EQ(dimensions[d].block.latency_ps, 1000 * gigabytes);
  };
  expect(0, "d0", BlockShape::kLine, 5, 2, 1);
  expect(1, "d1x", BlockShape::kRing, 4, 2, 2);
  expect(2, "d1y", BlockShape::kRing, 4, 2, 2);
  expect(3, "d2x", BlockShape::kLine, 3, 2, 3);
  expect(4, "d2y", BlockShape::kLine, 3, 2, 3);
  expect(5, "d3", BlockShape::kSwitch, 2, 1, 4);
}

TEST(AstraSimNetwork, AKingMeshIsAGraphWithDiagonals) {
  const NetworkFile file =
      read_file("topology: [KingMesh2D]\nnpus_count: [16]\nbandwidth: [1]\nlatency: [5]\n");
  ASSERT_TRUE(file.graph.has_value());
  // Rows and columns of 4: 2 x 12 links along them, 2 x 9 along diagonals.
  EXPECT_EQ(file.graph->links.size(), 24U + 18);
  std::vector<int> links(16);
  for (const GraphLink& link : file.graph->links) {
    ++links[link.from], ++links[link.to];
    EXPECT_EQ(link.bandwidth, 1ULL << 30);
    EXPECT_EQ(link.latency_ps, 5000U);
    const int dx = std::abs(link.from % 4 - link.to % 4),
              dy = std::abs(link.from / 4 - link.to / 4);
    EXPECT_TRUE(dx <= 1 && dy <= 1 && dx + dy > 0);
  }
  EXPECT_EQ(links, (std::vector<int>{3, 5, 5, 3, 5, 8, 8, 5, 5, 8, 8, 5, 3, 5, 5, 3}));
}

TEST(AstraSimNetwork, WhatIsNotRightIsRefused) {
  const auto refused = [](const std::string& topology, const std::string& npus,
                          const std::string& bandwidth, const std::string& latency) {
    return refusal([&] {
      read_network("topology: " + topology + "\nnpus_count: " + npus + "\nbandwidth: " + bandwidth +
                   "\nlatency: " + latency + "\n");
    });
  };
  expect_parts(refused("[Ringg]", "[4]", "[1]", "[1]"),
               {"network.yml:1: topology.1: found 'Ringg'", "did you mean 'Ring'?"});
  expect_parts(
      refused("[Torus2D]", "[12]", "[1]", "[1]"),
      {"network.yml:2: npus_count.1: found 12; allowed for Torus2D: a square, such as 16"});
  expect_parts(refused("[KingMesh, Ring]", "[4, 2]", "[1, 1]", "[1, 1]"),
               {"network.yml:1: topology.1: found 'KingMesh' beside other dimensions"});
  expect_parts(refused("[Ring, Switch]", "[4]", "[1, 1]", "[1, 1]"),
               {"network.yml:2: npus_count: found 1 values; allowed: 2"});
  expect_parts(refused("[Ring]", "[1]", "[1]", "[1]"), {"network.yml:2: npus_count.1", "1"});
  expect_parts(refused("[Ring]", "[4]", "[0]", "[1]"),
               {"network.yml:3: bandwidth.1: found '0'; allowed: a number above 0"});
  expect_parts(refused("[Ring]", "[4]", "[1]", "[-1]"),
               {"network.yml:4: latency.1: found '-1'; allowed: a number, 0 or more"});
  expect_parts(refused("[Ring]", "[4]", "[400Gbps]", "[1]"),
               {"network.yml:3: bandwidth.1: found '400Gbps'; allowed: a number above 0 of GB/s",
                "without a unit"});
  expect_parts(refused("[Ring]", "[4]", "[1]", "[500 ns]"),
               {"network.yml:4: latency.1: found '500 ns'; allowed: a number from 0 of ns"});
  expect_parts(refused("[]", "[]", "[]", "[]"), {"topology: found no dimension"});
  expect_parts(refused("Ring", "[4]", "[1]", "[1]"),
               {"network.yml:1: topology: found a single value; allowed: a list"});
  expect_parts(refusal([] { read_network("topology: [Ring]\nnpus: [4]\n"); }),
               {"network.yml:2: found the key 'npus'"});
  expect_parts(refusal([] { read_network("topology: [Ring]\n"); }), {"missing key 'npus_count'"});
}

}  // namespace
}  // namespace fredsim
