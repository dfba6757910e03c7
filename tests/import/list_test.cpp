// SPDX-License-Identifier: Apache-2.0
// Topology lists of ns-3, and the machine files of graphs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "import_support.h"

namespace fredsim {
namespace {

TEST(Ns3List, RingIsOurOwn) {
  const Topology ring = built(imported("ns3", example_text("ns3_ring.txt")).text);
  const Topology own = built(
      "name: ring\nclock: auto\nfabric:\n  type: graph\n  link_latency: 500 ns\n  nodes: [{name: "
      "n, "
      "kind: npu, count: 8}]\n  links:\n" +
      [] {
        std::string links;
        for (int i = 0; i < 8; ++i)
          links += fmt::format("  - {{from: n{}, to: n{}, bandwidth: 400 Gbps}}\n", i, (i + 1) % 8);
        return links;
      }());
  ASSERT_EQ(ring.links.size(), own.links.size());
  for (std::size_t l = 0; l < ring.links.size(); ++l) {
    EXPECT_EQ(ring.links[l].name, own.links[l].name);
    EXPECT_EQ(ring.links[l].rate, own.links[l].rate);
    EXPECT_EQ(ring.links[l].latency, own.links[l].latency);
  }
}

// Hosts 1 to 3 around the switch 0, as in HPCC's example, with more lines than the head counts.
TEST(Ns3List, HostsNeedNotComeFirst) {
  const ImportResult result =
      imported("ns3",
               "4 1 3\n0\n0 1 100Gbps 0.001ms 0\n0 2 100Gbps 0.001ms 0.01\n0 3 25Gbps 0.001ms 0\n"
               "0 4 25Gbps 0.001ms 0\n");
  EXPECT_EQ(links_of(built(result.text)),
            (std::multiset<std::string>{"npu0 sw0 12.5 GB/s", "npu1 sw0 12.5 GB/s",
                                        "npu2 sw0 3.125 GB/s"}));
  EXPECT_NE(note_of(result, "line 6").find("no effect"), std::string::npos);
  EXPECT_NE(note_of(result, "error rate"), "");
}

// SimAI: two servers of two GPUs, an NVSwitch in each, and one switch between them.
TEST(Ns3List, SimaiHasNvswitches) {
  std::string text = "7 2 2 1 8 H100\n4 5 6\n";
  for (int gpu = 0; gpu < 4; ++gpu)
    text +=
        fmt::format("{0} {1} 2880Gbps 0.000025ms 0\n{0} 6 400Gbps 0.0005ms 0\n", gpu, 4 + gpu / 2);
  const ImportResult result = imported("ns3", text);
  const Topology servers = built(result.text);
  EXPECT_EQ(servers.npus.size(), 4U);
  EXPECT_TRUE(links_of(servers).contains("npu3 nv1 360 GB/s")) << result.text;
  EXPECT_NE(result.text.find("{from: n, to: sw0, bandwidth: 50 GB/s, latency: 500 ns}"),
            std::string::npos)
      << result.text;
  EXPECT_NE(note_of(result, "GPU type").find("H100"), std::string::npos);
}

// Leaves and spines: each leaf to each spine is one entry.
TEST(MachineText, FullPartsOfAGraphAreOneEntry) {
  std::string text = "10 4 12\n6 7 8 9\n";
  for (int host = 0; host < 6; ++host)
    text += fmt::format("{} {} 100Gbps 1us 0\n", host, 6 + host / 3);
  for (int leaf = 6; leaf < 8; ++leaf)
    for (int spine = 8; spine < 10; ++spine)
      text += fmt::format("{} {} 200Gbps 1us 0\n", leaf, spine);
  text += "6 7 50Gbps 1us 0\n6 7 50Gbps 1us 0\n";
  const ImportResult result = imported("ns3", text);
  const Topology network = built(result.text);
  EXPECT_EQ(links_of(network).size(), 12U) << result.text;
  EXPECT_EQ(links_of(network).count("sw0 sw1 6.25 GB/s"), 2U) << result.text;
}

}  // namespace
}  // namespace fredsim
