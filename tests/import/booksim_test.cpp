// SPDX-License-Identifier: Apache-2.0
// BookSim2's configuration files: shapes of networks, traffic, and listings of anynet.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "import_support.h"

namespace fredsim {
namespace {

struct Shape {
  std::string config;
  std::size_t npus, switches, links;  // links in both directions, off the die
};

class BooksimShapes : public testing::TestWithParam<Shape> {};

// Numbers of routers and channels as its sources have them (src/networks).
TEST_P(BooksimShapes, AreThoseOfItsSources) {
  const Shape& shape = GetParam();
  const Topology network = built(imported("booksim", shape.config).text);
  EXPECT_EQ(network.npus.size(), shape.npus);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count_if(network.nodes, &Node::is_switch)),
            shape.switches);
  const auto links = std::ranges::count_if(network.links, [](const Link& l) { return !l.on_die; });
  EXPECT_EQ(static_cast<std::size_t>(links), shape.links);
}

INSTANTIATE_TEST_SUITE_P(
    All, BooksimShapes,
    testing::Values(Shape{"topology = mesh; k = 4; n = 2;", 16, 16, 48},
                    Shape{"topology = torus; k = 4; n = 2;", 16, 16, 64},
                    Shape{"topology = mesh; k = 5; n = 1;", 5, 5, 8},
                    Shape{"topology = torus; k = 4; n = 3;", 64, 64, 128 + 384},
                    Shape{"topology = mesh; k = 3; n = 3;", 27, 27, 54 + 108},
                    Shape{"topology = torus; k = 3; n = 4;", 81, 81, 162 + 648},
                    Shape{
                        "topology = cmesh; k = 4; n = 2; c = 4; routing_function = dor_no_express;",
                        64, 16, 128 + 48},
                    Shape{"topology = cmesh; k = 4; n = 2; c = 4; routing_function = dor;", 64, 16,
                          128 + 48 + 16},
                    Shape{"topology = flatfly; k = 4; n = 2; c = 4; x = 4; y = 4; xr = 2; yr = 2;",
                          64, 16, 128 + 96},
                    Shape{"topology = fattree; k = 4; n = 3;", 64, 48, 128 + 256},
                    Shape{"topology = dragonflynew; k = 1; n = 1;", 6, 6, 12 + 6 + 6},
                    Shape{"topology = qtree; k = 4; n = 3;", 64, 21, 128 + 40},
                    Shape{"topology = fly; k = 10; n = 1;", 10, 1, 20}));

TEST(Booksim, ExampleHasItsTraffic) {
  const ImportResult result = imported("booksim", example_text("booksim_mesh.txt"));
  EXPECT_NE(
      result.text.find("traffic FILE --pattern transpose --rate 0.2 --packet-flits 1 --warmup "
                       "3000 --cycles 10000\n"),
      std::string::npos)
      << result.text;
  EXPECT_EQ(note_of(result, "traffic"), "");
  EXPECT_NE(note_of(result, "num_vcs, vc_buf_size").find("32 flits"), std::string::npos);
  EXPECT_EQ(built(result.text).buffers.data_flits, 32);
}

// Rates are in packets there, in flits here; packets have 8 flits at most.
TEST(Booksim, RatesAreInFlits) {
  const auto command = [](const std::string& config) {
    const std::string text = imported("booksim", "topology = mesh; k = 4; n = 2;" + config).text;
    return text.substr(text.find("--rate"), text.find(" --warmup") - text.find("--rate"));
  };
  EXPECT_EQ(command("injection_rate = 0.05; packet_size = 4;"), "--rate 0.2 --packet-flits 4");
  EXPECT_EQ(command("injection_rate = 0.05; packet_size = 20;"), "--rate 1 --packet-flits 8");
  EXPECT_EQ(command("injection_rate = 0.05; packet_size = 4; injection_rate_uses_flits = 1;"),
            "--rate 0.05 --packet-flits 4");
  EXPECT_EQ(command("injection_rate = {0.05, 0.2};"), "--rate 0.05 --packet-flits 1");
}

TEST(Booksim, PatternsThatWeHaveNotAreNamed) {
  ImportOptions options;
  options.has_pattern = [](std::string_view name) { return name == "uniform"; };
  const ImportResult result =
      imported("booksim", "topology = mesh; k = 4; n = 2; traffic = bitcomp;", options);
  EXPECT_NE(note_of(result, "traffic").find("bitcomp"), std::string::npos);
  EXPECT_NE(result.text.find("--pattern uniform"), std::string::npos);
}

TEST(Anynet, ChannelsHaveTheirLatency) {
  const ImportResult result = imported(
      "booksim",
      "router 0 node 0 node 1 node 2 router 1 10\nrouter 1 node 3 2 node 4\nnode 5 router 1\n");
  const Topology network = built(result.text);
  EXPECT_EQ(network.npus.size(), 6U);
  const auto latency = [&](const std::string& from, const std::string& to) {
    const auto link = std::ranges::find_if(network.links, [&](const Link& one) {
      return network.nodes[one.from].name == from && network.nodes[one.to].name == to;
    });
    return link == network.links.end() ? -1 : link->latency;
  };
  EXPECT_EQ(latency("r0", "r1"), 10);
  EXPECT_EQ(latency("npu3", "r1"), 2);
  EXPECT_EQ(latency("npu5", "r1"), 1);
  EXPECT_NE(note_of(result, "latency").find("longer one"), std::string::npos);
}

}  // namespace
}  // namespace fredsim
