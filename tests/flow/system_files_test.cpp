// SPDX-License-Identifier: Apache-2.0
// The systems in configs/systems: NPUs and bisection, and the bytes of an all-reduce on the links
// of each dimension, by formula.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "config/config.h"
#include "flow/system_flows.h"
#include "systems/system_plan.h"
#include "topology/facts.h"
#include "topology/system.h"

namespace fredsim::test {
namespace {

struct FileSide {
  std::string block;
  std::uint64_t size;
  std::uint64_t bandwidth;  // MB/s of an NPU; for a wafer MB/s of its bisection
};

// Values of the papers; for wafers the bisections of the paper's Fred-D and mesh.
const std::map<std::string, std::vector<FileSide>>& systems() {
  static const std::map<std::string, std::vector<FileSide>> kSystems{
      {"boxes_8_40", {{"switch", 8, 300'000}, {"switch", 40, 50'000}}},
      {"dear_64_10g", {{"switch", 64, 1'250}}},
      {"dear_64_100g", {{"switch", 64, 12'500}}},
      {"dgx_8_128", {{"switch", 8, 300'000}, {"switch", 128, 25'000}}},
      {"fred_d_16", {{"fred", 20, 30'000'000}, {"switch", 16, 50'000}}},
      {"fred_d_64", {{"fred", 20, 30'000'000}, {"switch", 64, 50'000}}},
      {"mesh_16", {{"mesh", 20, 3'750'000}, {"switch", 16, 50'000}}},
      {"libra_2d", {{"fully_connected", 8, 249'998}, {"switch", 128, 250'000}}},
      {"libra_3d",
       {{"ring", 8, 166'000}, {"fully_connected", 8, 166'663}, {"switch", 16, 166'000}}},
      {"libra_4d",
       {{"ring", 2, 125'000},
        {"fully_connected", 8, 124'999},
        {"ring", 8, 125'000},
        {"switch", 8, 125'000}}},
      {"libra_3d_4k",
       {{"ring", 16, 166'000}, {"fully_connected", 8, 166'663}, {"switch", 32, 166'000}}},
      {"libra_4d_4k",
       {{"ring", 4, 125'000},
        {"fully_connected", 8, 124'999},
        {"ring", 4, 125'000},
        {"switch", 32, 125'000}}},
      {"tpu_v5e_axis", {{"line", 4, 45'000}}},
      {"themis_2d_sw_sw", {{"switch", 16, 150'000}, {"switch", 64, 100'000}}},
      {"themis_3d_sw_sw_sw_homo",
       {{"switch", 16, 100'000}, {"switch", 8, 100'000}, {"switch", 8, 100'000}}},
      {"themis_3d_sw_sw_sw_hetero",
       {{"switch", 16, 200'000}, {"switch", 8, 100'000}, {"switch", 8, 50'000}}},
      {"themis_3d_fc_ring_sw",
       {{"fully_connected", 8, 175'000}, {"ring", 16, 100'000}, {"switch", 8, 50'000}}},
      {"themis_4d_ring_sw_sw_sw",
       {{"ring", 4, 250'000},
        {"switch", 4, 200'000},
        {"switch", 8, 100'000},
        {"switch", 8, 50'000}}},
      {"themis_4d_ring_fc_ring_sw",
       {{"ring", 4, 375'000},
        {"fully_connected", 8, 175'000},
        {"ring", 4, 150'000},
        {"switch", 8, 100'000}}},
  };
  return kSystems;
}

Topology loaded(const std::string& name) {
  return load_config("configs/systems/" + name + ".yaml").topology;
}

// MB/s from one half of a block to the other, each way.
std::uint64_t across(const FileSide& side) {
  const std::uint64_t half = side.size / 2;
  if (side.block == "switch") return half * side.bandwidth;
  if (side.block == "fully_connected") return half * half * side.bandwidth / (side.size - 1);
  return side.bandwidth;  // a ring is cut twice, with half of it at each cut
}

// Remaining files are networks, or read files of another format.
TEST(SystemFiles, OfDimensionsAreAllInTheTable) {
  for (const auto& entry : std::filesystem::directory_iterator("configs/systems")) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(text.find("type: dimensions") != std::string::npos,
              systems().contains(entry.path().stem().string()))
        << entry.path();
  }
}

TEST(SystemFiles, HaveTheNpusAndTheBisectionOfTheirSource) {
  for (const auto& [name, sides] : systems()) {
    SCOPED_TRACE(name);
    const Topology system = loaded(name);
    EXPECT_EQ(system.name, name);
    std::uint64_t npus = 1;
    for (const FileSide& side : sides) npus *= side.size;
    EXPECT_EQ(system.npus.size(), npus);
    ASSERT_EQ(system.blocks.size(), sides.size());
    std::uint64_t least = ~std::uint64_t{0};
    for (std::size_t d = 0; d < sides.size(); ++d) {
      EXPECT_EQ(system.blocks[d].word, sides[d].block);
      EXPECT_EQ(system.blocks[d].topology->npus.size(), sides[d].size);
      least = std::min(least, npus / sides[d].size * across(sides[d]) * 1'000'000);
    }
    EXPECT_EQ(bisection_bytes_per_second(system), least);
  }
}

// Groups of each dimension inject 2 (n - 1) times the remaining part of the vector, for any
// algorithm. The links that leave NPUs carry this, and the acknowledgements of reduce-scatters and
// all-gathers.
TEST(SystemFiles, AllReducesPutTheirShareOnTheLinksOfEachDimension) {
  for (const auto& [name, sides] : systems()) {
    const Topology system = loaded(name);
    const SystemPlaces places(system);
    for (const std::string algorithm : {"ring", "direct", "tree"}) {
      SCOPED_TRACE(name + ", " + algorithm);
      CollectiveSpec spec;
      spec.collective = Collective::kAllReduce;
      spec.algorithm = algorithm;
      spec.group.resize(system.npus.size());
      std::iota(spec.group.begin(), spec.group.end(), 0);
      spec.bytes = system.npus.size() * 4096;
      spec.chunking.chunks = 2;
      const SystemPlan plan = plan_system(system, {&spec, 1});
      std::vector<std::uint64_t> planned(sides.size());
      for (const SystemStep& step : plan.steps) {
        std::uint64_t bytes = 0;
        for (const Tree& tree : step.plan->trees) {
          for (const TreeRank& rank : tree.ranks)
            bytes += tree.bytes * (rank.reduce_to.size() + rank.broadcast_to.size());
        }
        planned[static_cast<std::size_t>(step.dimension)] += bytes * step.groups.size();
      }
      std::uint64_t left = spec.bytes, all = 0;
      for (std::size_t d = 0; d < sides.size(); ++d) {
        const std::uint64_t groups = system.npus.size() / sides[d].size;
        EXPECT_EQ(planned[d], groups * 2 * (sides[d].size - 1) * left) << "dimension " << d;
        left /= sides[d].size;
        all += planned[d];
      }
      const FlowTraffic traffic = flow_traffic(system, plan);
      std::uint64_t sent = 0;
      for (std::size_t l = 0; l < system.links.size(); ++l) {
        if (system.links[l].from < places.npus()) sent += traffic.bytes[l];
      }
      EXPECT_EQ(sent,
                all + 512 * std::accumulate(traffic.acknowledgements.begin(),
                                            traffic.acknowledgements.end(), std::uint64_t{0}));
    }
  }
}

}  // namespace
}  // namespace fredsim::test
