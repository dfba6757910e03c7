// SPDX-License-Identifier: Apache-2.0
// Noxim's and FlooGen's configuration files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "import_support.h"

namespace fredsim {
namespace {

TEST(Noxim, ExampleHasItsMeshAndTraffic) {
  const ImportResult result = imported("noxim", example_text("noxim_mesh.yaml"));
  const Topology mesh = built(result.text);
  EXPECT_EQ(mesh.grid.width, 4);
  EXPECT_EQ(mesh.clock_hz, 1'000'000'000U);
  EXPECT_EQ(mesh.buffers.data_flits, 16);
  EXPECT_EQ(mesh.packet_flits, 8);
  EXPECT_NE(result.text.find("--pattern transpose --rate 0.08 --packet-flits 8 --warmup 1000 "
                             "--cycles 9000\n"),
            std::string::npos)
      << result.text;
  EXPECT_NE(note_of(result, "routing_algorithm").find("ODD_EVEN"), std::string::npos);
  EXPECT_EQ(note_of(result, "traffic_distribution"), "");
}

TEST(Noxim, BuffersHoldAPacketAtLeast) {
  const ImportResult result = imported(
      "noxim",
      "mesh_dim_x: 2\nmesh_dim_y: 3\nbuffer_depth: 4\nmin_packet_size: 4\nmax_packet_size: 8\n"
      "traffic_distribution: TRAFFIC_TABLE_BASED\nuse_winoc: true\n");
  EXPECT_EQ(built(result.text).buffers.data_flits, 6);
  EXPECT_NE(note_of(result, "n_virtual_channels, buffer_depth").find("raised to a packet"),
            std::string::npos);
  EXPECT_NE(note_of(result, "min_packet_size, max_packet_size").find("6 flits"), std::string::npos);
  EXPECT_NE(note_of(result, "traffic_distribution").find("TABLE_BASED"), std::string::npos);
  EXPECT_NE(note_of(result, "use_winoc, Hubs, RadioChannels"), "");
}

TEST(Floogen, ExampleIsAGraphWithItsMemories) {
  const ImportResult result = imported("floogen", example_text("floogen_mesh.yml"));
  const Topology network = built(result.text);
  EXPECT_EQ(network.npus.size(), 6U);
  const auto links = links_of(network);
  EXPECT_EQ(links.size(), 10U) << result.text;
  EXPECT_TRUE(links.contains("npu5 router_0_1 64 GB/s")) << result.text;
  EXPECT_NE(result.text.find("--group 0,1,2,3\n"), std::string::npos);
  EXPECT_NE(note_of(result, "protocols"), "");
}

std::string floogen(const std::string& endpoints, const std::string& routers,
                    const std::string& connections, const std::string& algorithm = "XY") {
  return fmt::format(
      "routing: {{route_algo: {}}}\nprotocols: [{{name: p, data_width: 256}}]\nendpoints: [{}]\n"
      "routers: [{}]\nconnections: [{}]\n",
      algorithm, endpoints, routers, connections);
}
const std::string kClusters = "{name: c, array: [3, 2], mgr_port_protocol: [p]}";
const std::string kEject =
    "{src: c, dst: r, src_range: [[0, 2], [0, 1]], dst_range: [[0, 2], [0, 1]], dst_dir: Eject}";

TEST(Floogen, MeshOfEndpointsAloneRoutesXY) {
  const Topology mesh =
      built(imported("floogen", floogen(kClusters, "{name: r, array: [3, 2]}", kEject)).text);
  EXPECT_EQ(mesh.kind, "mesh2d");
  EXPECT_EQ(mesh.grid.width, 3);
  EXPECT_EQ(mesh.grid.height, 2);
  const Topology by_table =
      built(imported("floogen", floogen(kClusters, "{name: r, array: [3, 2]}", kEject, "ID")).text);
  EXPECT_EQ(by_table.kind, "graph");
}

// A top router, two below it, two endpoints at each, and one at the top.
TEST(Floogen, TreesHaveLevels) {
  const ImportResult result = imported(
      "floogen",
      floogen("{name: c, array: [4], mgr_port_protocol: [p]}, {name: m}", "{name: r, tree: [1, 2]}",
              "{src: c, dst: r, src_range: [[0, 3]], dst_lvl: 1, allow_multi: true}, "
              "{src: r, dst: m, src_lvl: 0}",
              "ID"));
  EXPECT_EQ(
      links_of(built(result.text)),
      (std::multiset<std::string>{"npu0 r_0_0 32 GB/s", "npu1 r_0_0 32 GB/s", "npu2 r_0_1 32 GB/s",
                                  "npu3 r_0_1 32 GB/s", "npu4 r_0 32 GB/s", "r_0 r_0_0 32 GB/s",
                                  "r_0 r_0_1 32 GB/s"}))
      << result.text;
}

}  // namespace
}  // namespace fredsim
