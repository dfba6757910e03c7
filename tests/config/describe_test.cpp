// SPDX-License-Identifier: Apache-2.0
#include "config/describe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/config.h"

namespace fredsim {
namespace {

// Each is the end of some line; runs of blanks count as one.
void expect_lines(const std::string& text, const std::vector<std::string>& lines) {
  std::string squeezed = text;
  const auto both_blank = [](char a, char b) { return a == ' ' && b == ' '; };
  squeezed.erase(std::unique(squeezed.begin(), squeezed.end(), both_blank), squeezed.end());
  for (const std::string& line : lines) {
    EXPECT_NE(squeezed.find(line + "\n"), std::string::npos)
        << "'" << line << "' is no line end of:\n"
        << text;
  }
}

TEST(Describe, FredD) {
  expect_lines(
      describe(load_config("configs/fred_d.yaml").topology),
      {"fred_d: FRED tree of 2 levels, 5 slices; collectives in the switches",
       "L1 5 4 NPUs 5 1 4 12 TB/s", "L2 1 5 L1 5 2 - -",
       "clock 1.5 GHz; one flit of 512 B per cycle = 768 GB/s",
       "NPUs 20, 3 TB/s each over 5 NIC ports",
       "I/O controllers 18, 128 GB/s each over 5 ports, in bursts of 24 flits at 25/32 flit per "
       "cycle each",
       "bisection 30 TB/s per direction", "L1 Fred_3(12) 15 12 24 24 27 9 9",
       "L1 Fred_3(11) 10 11 23 23 27 10 10", "L2 Fred_3(10) 10 10 20 20 27 12 12",
       "all together 35 790 790 945 355 355", "NPU - L1 100 600 GB/s 25/32 30 = 20.000 ns 31",
       "I/O - L1 90 25.6 GB/s 1/30 30 = 20.000 ns 31",
       "L1 - L2 100 600 GB/s 25/32 30 = 20.000 ns 31", "switch input, data 24 KiB 48",
       "switch input, control 2 KiB 4", "switch output staging 12 KiB 24", "NPU receive 48 KiB 96",
       "link latency 20 ns = 30 cycles (20.000 ns)"});
}

TEST(Describe, EveryLevelOfATree) {
  expect_lines(describe(load_config("configs/fred_64.yaml").topology),
               {"fred_64: FRED tree of 3 levels, 3 slices; collectives in the switches",
                "L1 16 4 NPUs 3 1 4 7.2 TB/s", "L2 4 4 L1 3 2 4 14.4 TB/s", "L3 1 4 L2 3 4 - -",
                "bisection 28.8 TB/s per direction", "L1 Fred_3(8) 48 8 10 10 9 0 0",
                "L2 Fred_3(12) 24 12 24 24 27 9 9", "L3 Fred_3(8) 12 8 10 10 9 0 0",
                "L1 - L2 192 600 GB/s 25/32 30 = 20.000 ns 31",
                "L2 - L3 96 600 GB/s 25/32 30 = 20.000 ns 31"});
  expect_lines(
      describe(load_config("configs/fred_64.yaml", {"fabric.levels=[{below: 8}]", "npu.count=8",
                                                    "fabric.slices=1", "npu.bandwidth=600 GB/s"})
                   .topology),
      {"fred_64: FRED tree of 1 level, 1 slice; collectives in the switches", "L1 1 8 NPUs 1 1 - -",
       "bisection 2.4 TB/s per direction"});
}

TEST(Describe, Mesh) {
  const std::string text = describe(load_config("configs/mesh.yaml").topology);
  expect_lines(
      text,
      {"mesh: 2D mesh of 5 x 4 (width x height)", "NPUs 20, 3 TB/s each over 4 NIC ports",
       "I/O controllers 18, 128 GB/s each over 1 port, in bursts of 24 flits at 125/128 flit per "
       "cycle each",
       "bisection 3.75 TB/s per direction", "mesh router 20 10 4 4 2",
       "NPU - router 80 750 GB/s 125/128 1 = 0.667 ns 2",
       "I/O - router 18 128 GB/s 1/6 30 = 20.000 ns 31",
       "router - router 31 750 GB/s 125/128 30 = 20.000 ns 31", "switch input, data 40 KiB 80"});
  EXPECT_EQ(text.find("staging"), std::string::npos);  // a mesh router has none
}

TEST(Describe, ReducingMesh) {
  expect_lines(describe(load_config("configs/mesh_reducing.yaml").topology),
               {"2D mesh of 5 x 4 (width x height); collectives in the routers",
                "adders of one router, for every lane: a tree at every output",
                "reducing mesh router 20 10 4 4 2 10 90", "switch output staging 12 KiB 24"});
}

TEST(Describe, Torus) {
  expect_lines(describe(load_config("configs/torus.yaml").topology),
               {"torus: 2D torus of 5 x 4 (width x height)", "bisection 7.5 TB/s per direction",
                "mesh router 20 10 4 4 2", "I/O - router 18 128 GB/s 1/6 30 = 20.000 ns 31",
                "router - router 40 750 GB/s 125/128 30 = 20.000 ns 31"});
}

TEST(Describe, WithoutIoAndWithOneRouter) {
  const std::string text =
      describe(load_config("configs/mesh_2x2.yaml",
                           {"fabric.width=1", "fabric.height=1", "npu.count=1", "io.count=0"})
                   .topology);
  expect_lines(text, {"I/O controllers none", "bisection 0 B/s per direction"});
}

TEST(Describe, NamesTheColumnsThatHaveNoRoom) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  EXPECT_EQ(describe(topology, 60).find("no room"), std::string::npos);
  const std::string text = describe(topology, 52);
  expect_lines(text, {" no room in 52 columns: slices, flits; a wider", "terminal shows them"});
  EXPECT_EQ(text.find("/cycle"), std::string::npos) << text;
}

}  // namespace
}  // namespace fredsim
