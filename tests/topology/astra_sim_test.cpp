// SPDX-License-Identifier: Apache-2.0
// Network files of ASTRA-sim's analytical backend.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support.h"
#include "support/temporary_folder.h"
#include "topology/astra_sim/network_file.h"

namespace fredsim {
namespace {

std::vector<DimensionSpec> read_network(const std::string& text) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("network.yml")) << text;
  return read_network_file(folder.file("network.yml"));
}

TEST(AstraSimNetwork, IsReadAsDimensions) {
  const std::vector<DimensionSpec> dimensions =
      read_network_file("configs/systems/files/astra_sim_network.yaml");
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
  expect_parts(refused("[Ring, Switch]", "[4]", "[1, 1]", "[1, 1]"),
               {"network.yml:2: npus_count: found 1 values; allowed: 2"});
  expect_parts(refused("[Ring]", "[1]", "[1]", "[1]"), {"network.yml:2: npus_count.1", "1"});
  expect_parts(refused("[Ring]", "[4]", "[0]", "[1]"),
               {"network.yml:3: bandwidth.1: found '0'; allowed: a number above 0"});
  expect_parts(refused("[Ring]", "[4]", "[1]", "[-1]"),
               {"network.yml:4: latency.1: found '-1'; allowed: a number, 0 or more"});
  expect_parts(refused("[]", "[]", "[]", "[]"), {"topology: found no dimension"});
  expect_parts(refused("Ring", "[4]", "[1]", "[1]"),
               {"network.yml:1: topology: found a single value; allowed: a list"});
  expect_parts(refusal([] { read_network("topology: [Ring]\nnpus: [4]\n"); }),
               {"network.yml:2: unknown key 'npus'"});
  expect_parts(refusal([] { read_network("topology: [Ring]\n"); }), {"missing key 'npus_count'"});
}

}  // namespace
}  // namespace fredsim
