// SPDX-License-Identifier: Apache-2.0
// Machine files of BiGraphs, fat trees, graphs, and files of others: what is built, what `info` prints, what is refused.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "config/config.h"
#include "config/describe.h"
#include "refusal_of.h"

namespace fredsim {
namespace {

const std::string kGraph = "configs/systems/graph.yaml";

void expect_described(const std::string& file, const std::vector<std::string>& parts) {
  const Topology topology = load_config(file).topology;
  expect_sound(topology);
  const std::string text = describe(topology, 200);
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(SystemFiles, AreBuiltAndDescribed) {
  expect_described("configs/systems/bigraph.yaml",
                   {"BiGraph of 4 upper and 4 lower switches with 4 NPUs each",
                    "NPUs             32, 12.5 GB/s each over 1 NIC port",
                    "bisection        100 GB/s per direction: least number of pairs",
                    "diameter         4 links, of 48"});
  expect_described(
      "configs/systems/fat_tree.yaml",
      {"fat tree, k = 8: 8 pods of 4 edge switches with 4 NPUs each",
       "NPUs             128, 50 GB/s each", "bisection        3.2 TB/s per direction: k^3/8 links",
       "diameter         6 links, of 384"});
  expect_described(kGraph, {"graph of 10 NPUs and 4 switches, 1 plane",
                            "NPUs             10, 50 GB/s to 100 GB/s each",
                            "bisection        250 GB/s per direction: least of the cuts",
                            "diameter         4 links, of 16", "npu0 is a0, npu9 is b5"});
  expect_described("configs/systems/infragraph.yaml",
                   {"graph of 16 NPUs", "npu0 is host.0.xpu.0, npu15 is host.3.xpu.3"});
}

TEST(SystemFiles, OfAstraSimAreDimensions) {
  const Topology topology = load_config("configs/systems/astra_sim.yaml").topology;
  EXPECT_EQ(topology.kind, "dimensions");
  EXPECT_EQ(topology.npus.size(), 32U);
  ASSERT_EQ(topology.blocks.size(), 3U);
  EXPECT_EQ(topology.blocks[0].word, "ring");
}

TEST(SystemFiles, AGraphMayBeAFileOfItsOwn) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("net.yaml")) << R"(nodes:
- {name: n, kind: npu, count: 3}
- {name: s, kind: switch}
links:
- {from: n, to: s, bandwidth: 10 GB/s, latency: 5 ns}
- {from: n, to: n, bandwidth: 1 GB/s, latency: 5 ns}
)";
  const std::string machine =
      write_file(folder, "name: m\nclock: 1 GHz\nfabric:\n  type: graph\n  graph: net.yaml\n");
  const Topology topology = load_config(machine).topology;
  expect_sound(topology);
  EXPECT_EQ(topology.npus.size(), 3U);
  EXPECT_EQ(topology.links.size(), 2U * (3 + 3 + 3))
      << "each pair of n once, and a link on each die";
  expect_parts(refused(machine, {"fabric.nodes=[{name: a, kind: npu}]"}),
               {"fabric.nodes: found beside fabric.graph; allowed: one of them"});
  expect_parts(refused(machine, {"fabric.graph=none.yaml"}), {"none.yaml: cannot be read"});
}

TEST(SystemFiles, WhatIsNotRightIsRefused) {
  expect_parts(
      refused(kGraph, {"fabric.links.1.to=leaf_c"}),
      {"fabric.links.1.to: found 'leaf_c', which no node is called", "did you mean 'leaf_a'?"});
  expect_parts(refused(kGraph, {"fabric.links.3.bandwidth=0 GB/s"}),
               {"fabric.links.3.bandwidth", "0 GB/s"});
  expect_parts(refused(kGraph, {"fabric.nodes.2.name=a"}),
               {"fabric.nodes.2.name: found the name 'a' twice"});
  expect_parts(refused(kGraph, {"fabric.links.4.to=leaf_b"}),
               {"fabric.links.4: found a link from leaf_b to itself"});
  expect_parts(refused(kGraph, {"fabric.links.4.from=spine0", "fabric.links.4.to=spine1"}),
               {"found a0 and b0, which no path of links joins"});
  expect_parts(refused(kGraph, {"fabric.nodes.1.count=65536"}), {"fabric.nodes", "65542 NPUs"});
  expect_parts(refused(kGraph, {"npu.count=10"}), {"npu.count: found 10; allowed is none"});
  expect_parts(refused("configs/systems/fat_tree.yaml", {"fabric.radix=7"}),
               {"fabric.radix: found 7, which is odd"});
  expect_parts(
      refused("configs/systems/fat_tree.yaml", {"fabric.path_seed=3"}),
      {"fabric.path_seed: found a seed for paths by place; allowed: none, or fabric.paths: "
       "hashed"});
  expect_parts(refused("configs/systems/fat_tree.yaml", {"fabric.paths=ecmp"}),
               {"fabric.paths: found 'ecmp'", "by_place or hashed"});
  expect_parts(
      refused("configs/systems/fat_tree.yaml", {"fabric.paths=hashed", "fabric.path_seed=-1"}),
      {"fabric.path_seed: found '-1'"});
  expect_parts(refused("configs/systems/bigraph.yaml", {"fabric.npus_per_switch=65536"}),
               {"fabric.npus_per_switch: found 65536", "524288 NPUs; allowed is up to 65536"});
  expect_parts(refused("configs/systems/fat_tree.yaml", {"fabric.port_bandwidth=800 GB/s"}),
               {"fabric.port_bandwidth: link", "the clock must be at least"});
}

}  // namespace
}  // namespace fredsim
