// SPDX-License-Identifier: Apache-2.0
// Machine files of BiGraphs, fat trees, graphs, and foreign files: the resulting topology, output
// of `info`, refused input.
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

// The clock at which the fastest link carries a flit per cycle, 1 GHz at least.
TEST(SystemFiles, AnAutomaticClockIsThatOfTheFastestLink) {
  const auto clock_of = [](const std::string& file, const std::vector<std::string>& settings) {
    std::vector<std::string> all{"clock=auto"};
    all.insert(all.end(), settings.begin(), settings.end());
    return load_config(file, all).topology.clock_hz;
  };
  EXPECT_EQ(clock_of(kGraph, {}), 1'000'000'000U);
  EXPECT_EQ(clock_of(kGraph, {"fabric.links.1.bandwidth=1024 GB/s"}), 2'000'000'000U);
  EXPECT_EQ(clock_of("configs/systems/dgx_8_128.yaml", {"fabric.dimensions.2.bandwidth=1536 GB/s"}),
            3'000'000'000U);
  EXPECT_EQ(clock_of("configs/mesh.yaml", {}), 1'464'843'750U) << "750 GB/s";
  expect_parts(refusal([] { load_config("configs/mesh.yaml", {"clock=automatic"}); }),
               {"clock: found 'automatic', which is not a number with a unit"});
}

TEST(SystemFiles, LinksOfAnImportedFileHaveRatesOfTheMachineFile) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("infra.yaml")) << R"(devices:
- name: box
  components: [{name: xpu, count: 2, choice: xpu}, {name: sw, count: 1, choice: switch}]
  links: [{name: nv-link, physical: {bandwidth: {gigatransfers_per_second: 50}}}]
  edges: [{ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: nv-link}]
instances: [{name: b, device: box, count: 2}]
links: [{name: eth}]
edges: [{ep1: {instance: 'b[0]', component: sw}, ep2: {instance: 'b[1]', component: sw}, scheme: one2one, link: eth}]
)";
  const auto written = [&](const std::string& fabric) {
    std::ofstream(folder.file("machine.yaml"))
        << "name: m\nclock: auto\nfabric: {type: infragraph, file: infra.yaml, link_latency: 5 ns" +
               fabric + "}\n";
    return folder.file("machine.yaml");
  };
  const MachineConfig machine =
      load_config(written(", link_bandwidth: 400 Gbps, links: {nv-link: 450 GB/s}"));
  const Topology& topology = machine.topology;
  EXPECT_EQ(link_named(topology, "npu0.0->b.0.sw.0.0").bytes_per_second, 450'000'000'000U);
  EXPECT_EQ(link_named(topology, "b.0.sw.0.2->b.1.sw.0.0").bytes_per_second, 50'000'000'000U);
  EXPECT_TRUE(std::ranges::any_of(machine.keys, [](const MachineKey& key) {
    return key.path == "fabric.links.nv-link" && key.value == decltype(key.value)("450 GB/s");
  }));
  // Set over the file, too.
  EXPECT_EQ(
      link_named(
          load_config(folder.file("machine.yaml"), {"fabric.links.nv-link=200 Gb/s"}).topology,
          "npu0.0->b.0.sw.0.0")
          .bytes_per_second,
      25'000'000'000U);
  expect_parts(
      refusal([&] { load_config(written(", links: [{from: a, to: b}]")); }),
      {"machine.yaml:3: fabric.links: found a list; names with values are wanted, NAME: 50 "
       "GB/s"});
  expect_parts(refusal([&] { load_config(written(", links: {eth: 5 GB/s}")); }),
               {"infra.yaml:4: devices.1.links.1.name: found 50 gigatransfers_per_second"});
  expect_parts(refusal([&] { load_config(written(", links: {ethh: 5 GB/s}")); }),
               {"machine.yaml:3: fabric.links.ethh: found 'ethh', which is no link"});
  expect_parts(refusal([&] { load_config(kGraph, {"fabric.links={a: 3 GB/s}"}); }),
               {"fabric.links: found keys; a list is wanted"});
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
  expect_parts(refused(kGraph, {"npu.count=10"}), {"npu.count: found 10; allowed: none"});
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
               {"fabric.npus_per_switch: found 65536", "524288 NPUs; allowed: up to 65536"});
  expect_parts(refused("configs/systems/fat_tree.yaml", {"fabric.port_bandwidth=800 GB/s"}),
               {"fabric.port_bandwidth: link", "the clock must be at least"});
}

}  // namespace
}  // namespace fredsim
