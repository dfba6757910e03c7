// SPDX-License-Identifier: Apache-2.0
// Cuts of fabrics for several processes: balance, links that cross, and the rules that every cut
// keeps to, on grids, on every kind of topology and on random machines.
#include "fabric/rank_cut.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "links/link_policy.h"
#include "support/random_machine.h"
#include "topology/topology_kind.h"

namespace fredsim::test {
namespace {

Topology square_grid(int side, const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings{fmt::format("fabric.width={}", side),
                                    fmt::format("fabric.height={}", side),
                                    fmt::format("npu.count={}", side * side), "io.count=0"};
  settings.insert(settings.end(), more.begin(), more.end());
  return load_config("configs/mesh.yaml", settings).topology;
}

int links_across(const Topology& topology, const Cut& cut) {
  return static_cast<int>(std::ranges::count_if(
      topology.links, [&](const Link& link) { return cut[link.from] != cut[link.to]; }));
}

// Highest cost of a part over the mean, less 1; by itself, not by the forecast.
double imbalance_of(const Cut& cut, const NodeCosts& costs, int ranks) {
  std::vector<double> parts(static_cast<std::size_t>(ranks));
  for (std::size_t id = 0; id < cut.size(); ++id) parts[cut[id]] += costs.ns[id];
  const double total = std::accumulate(parts.begin(), parts.end(), 0.0);
  return std::ranges::max(parts) * ranks / total - 1;
}

// Checks all rules, on a machine that may be cut into `ranks` parts.
void expect_rules(const Topology& topology, const NodeCosts& costs, int ranks) {
  const Cut cut = cut_for_ranks(topology, costs, ranks);
  ASSERT_EQ(cut.size(), topology.nodes.size());
  EXPECT_EQ(std::set<int>(cut.begin(), cut.end()).size(), static_cast<std::size_t>(ranks));
  EXPECT_EQ(*std::ranges::min_element(cut), 0);
  EXPECT_EQ(*std::ranges::max_element(cut), ranks - 1);
  EXPECT_EQ(cut_for_ranks(topology, costs, ranks), cut) << "not the same again";
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    if (topology.nodes[id].is_switch()) continue;
    for (int port = 0; port < topology.nodes[id].ports; ++port) {
      const int link = topology.link_out(id, port);
      if (link < 0 || !topology.nodes[topology.links[link].to].is_switch()) continue;
      EXPECT_EQ(cut[id], cut[topology.links[link].to]) << topology.nodes[id].name;
      break;
    }
  }
  for (const Link& link : topology.links) {
    if (link.policy != nullptr) {
      EXPECT_EQ(cut[link.from], cut[link.to]) << link.name;
    }
  }
}

TEST(RankCut, OfGridsIsBalancedAndNearlyStraight) {
  for (const int side : {8, 16, 64}) {
    const Topology topology = square_grid(side);
    const NodeCosts costs = node_costs(topology, SwitchModel::kTlm, 1);
    for (const int ranks : {2, 4}) {
      SCOPED_TRACE(fmt::format("{0} x {0} in {1}", side, ranks));
      const Cut cut = cut_for_ranks(topology, costs, ranks);
      EXPECT_LE(imbalance_of(cut, costs, ranks), 0.1);
      // Halves, or quarters, by straight lines: two directions.
      const int straight = 2 * side * (ranks / 2);
      EXPECT_LE(links_across(topology, cut), straight * 11 / 10);
      EXPECT_GE(links_across(topology, cut), straight);
    }
  }
}

// Routers as Verilated RTL in one half: that is where most of the time goes.
TEST(RankCut, IsWeightedByCost) {
  const Topology topology = square_grid(8);
  const auto model_of = [](const Node& node) {
    return node.mesh.y < 2 ? SwitchModel::kRtl : SwitchModel::kTlm;
  };
  const NodeCosts costs = node_costs(topology, model_of, 1);
  const Cut cut = cut_for_ranks(topology, costs, 2);
  EXPECT_LE(imbalance_of(cut, costs, 2), 0.1);
  EXPECT_GT(imbalance_of(cut_evenly(topology, 2), costs, 2), 0.5) << "no test of weights";
}

// Boards of 2 x 2 with links of 2 cycles between routers of them, and of 40 between boards.
TEST(RankCut, PrefersLinksOfALongLatency) {
  Topology topology = square_grid(4, {"fabric.link_latency=40ns"});
  for (Link& link : topology.links) {
    const MeshPlace& from = topology.nodes[link.from].mesh;
    const MeshPlace& to = topology.nodes[link.to].mesh;
    const bool is_within = from.x / 2 == to.x / 2 && from.y / 2 == to.y / 2;
    if (topology.nodes[link.from].is_switch() && topology.nodes[link.to].is_switch() && is_within)
      link.latency = 2;
  }
  const NodeCosts costs = node_costs(topology, SwitchModel::kTlm, 1);
  // Three even parts would cut a board.
  for (const int ranks : {2, 3, 4}) {
    const Cut cut = cut_for_ranks(topology, costs, ranks);
    EXPECT_EQ(look_ahead(topology, cut), 60U) << ranks;
  }
  // More parts than boards: one is cut.
  EXPECT_EQ(look_ahead(topology, cut_for_ranks(topology, costs, 5)), 2U);
}

std::vector<std::string> machine_files() {
  std::vector<std::string> files;
  for (const char* folder : {"configs", "configs/systems"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
    }
  }
  std::ranges::sort(files);
  return files;
}

TEST(RankCut, KeepsToTheRulesOnEveryKindOfTopology) {
  std::set<std::string> kinds;
  for (const std::string& file : machine_files()) {
    const MachineConfig machine = load_config(file);
    const Topology& topology = machine.topology;
    kinds.insert(topology.kind);
    // Foreign files have the type of the topology that they are read as.
    const auto type = std::ranges::find(machine.keys, "fabric.type", &MachineKey::path);
    if (type != machine.keys.end()) kinds.insert(std::get<std::string>(type->value));
    const NodeCosts costs = node_costs(topology, SwitchModel::kTlm, 1);
    for (const int ranks : {1, 2, 3, 4}) {
      if (ranks > max_ranks(topology)) continue;
      SCOPED_TRACE(fmt::format("{} in {}", file, ranks));
      expect_rules(topology, costs, ranks);
    }
  }
  for (const TopologyKind* kind : topology_kinds())
    EXPECT_TRUE(kinds.contains(std::string(kind->name()))) << kind->name();
}

TEST(RankCut, KeepsToTheRulesOnRandomMachines) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Topology topology = random_machine(random);
    const NodeCosts costs =
        node_costs(topology, random.below(2) == 0 ? SwitchModel::kTlm : SwitchModel::kRtl,
                   random.below(2) == 0 ? 1 : 256);
    const int max = max_ranks(topology);
    EXPECT_EQ(max, max_partitions(topology)) << "seed " << seed;
    testing::internal::CaptureStdout();
    for (int ranks = 1; ranks <= max; ++ranks) {
      SCOPED_TRACE(fmt::format("seed {}, {} ranks", seed, ranks));
      expect_rules(topology, costs, ranks);
    }
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << "METIS prints; seed " << seed;
  }
}

// Arbitrary costs, one node far above all others among them, and the maximum number of parts.
TEST(RankCut, TakesAnyCosts) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const Topology topology = square_grid(6);
    NodeCosts costs = node_costs(topology, SwitchModel::kTlm, 1);
    for (double& ns : costs.ns) ns = std::pow(10.0, static_cast<double>(random.below(8)));
    if (seed == 1) std::ranges::fill(costs.ns, 0.0);
    testing::internal::CaptureStdout();
    for (const int ranks : {2, 3, 7, 16, 35, 36}) {
      SCOPED_TRACE(fmt::format("seed {}, {} ranks", seed, ranks));
      expect_rules(topology, costs, ranks);
    }
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << "METIS prints; seed " << seed;
  }
}

// Small machines, against all cuts that keep endpoints with their switches.
TEST(RankCut, IsNearTheBestOfAll) {
  constexpr int kMaxSwitches = 9;
  int machines = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const Topology topology = random_machine(random);
    std::vector<NodeId> switches;
    for (NodeId id = 0; id < std::ssize(topology.nodes); ++id)
      if (topology.nodes[id].is_switch()) switches.push_back(id);
    if (std::ssize(switches) > kMaxSwitches) continue;
    ++machines;
    const NodeCosts costs =
        node_costs(topology, random.below(2) == 0 ? SwitchModel::kTlm : SwitchModel::kRtl, 1);
    for (const int ranks : {2, 3}) {
      if (ranks > max_ranks(topology)) continue;
      double best =
          rank_forecast(topology, cut_for_ranks(topology, costs, ranks), costs).cycle_ns();
      const double found = best;
      const auto all = static_cast<int>(std::pow(ranks, switches.size()));
      for (int number = 0; number < all; ++number) {  // switch by switch, a digit each
        Cut cut(topology.nodes.size());
        std::vector<bool> is_used(static_cast<std::size_t>(ranks));
        for (int rest = number; const NodeId id : switches) {
          cut[id] = rest % ranks;
          is_used[cut[id]] = true;
          rest /= ranks;
        }
        if (std::ranges::find(is_used, false) != is_used.end()) continue;
        for (NodeId id = 0; id < std::ssize(cut); ++id)
          if (const NodeId home = home_switch(topology, id); home >= 0) cut[id] = cut[home];
        best = std::min(best, rank_forecast(topology, cut, costs).cycle_ns());
      }
      EXPECT_LE(found, best * 1.02) << fmt::format("seed {}, {} ranks", seed, ranks);
    }
  }
  EXPECT_GT(machines, 20);
}

TEST(RankCut, OfLinksThatRetransmitCrossesNone) {
  const std::vector<std::string> retransmit{"link={reliability: link, bit_error_rate: 1e-6}"};
  const Topology all = square_grid(4, retransmit);
  EXPECT_EQ(max_ranks(all), 1);
  Topology half = square_grid(4, retransmit);
  for (Link& link : half.links) {
    const auto is_middle = [&](NodeId id) {
      return half.nodes[id].is_switch() && half.nodes[id].mesh.y == 1;
    };
    if (is_middle(link.from) || is_middle(link.to)) link.policy = nullptr;
  }
  // The first row, four routers of the second and the other two rows.
  EXPECT_EQ(max_ranks(half), 6);
  const NodeCosts costs = node_costs(half, SwitchModel::kTlm, 1);
  for (const int ranks : {2, 3, 6}) expect_rules(half, costs, ranks);
}

std::string cut_refusal(const Topology& topology, int ranks) {
  try {
    cut_for_ranks(topology, node_costs(topology, SwitchModel::kTlm, 1), ranks);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "none";
}

TEST(RankCut, RefusesNumbersWithThoseAllowed) {
  const Topology topology = square_grid(3);
  for (const int ranks : {-1, 0, 10}) {
    EXPECT_EQ(cut_refusal(topology, ranks),
              fmt::format("found {} ranks; allowed for mesh: 1 to 9, as many as it has switches, "
                          "each with its endpoints, and endpoints without one",
                          ranks));
  }
  EXPECT_EQ(cut_refusal(topology, 9), "none");
  EXPECT_NE(cut_refusal(square_grid(3, {"link={reliability: link, bit_error_rate: 1e-6}"}), 2)
                .find("allowed for mesh: 1 to 1, as many as it has parts between which links "
                      "retransmit"),
            std::string::npos);
}

TEST(RankForecast, AddsUpByHand) {
  const Topology topology = square_grid(2, {"fabric.link_latency=20ns"});
  NodeCosts costs{.ns = std::vector<double>(topology.nodes.size()), .lanes = 1};
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id)
    costs.ns[id] = topology.nodes[id].is_switch() ? 100 : 10;
  const Cut cut = cut_into_rectangles(topology, 2, 1);
  const RankForecast forecast =
      rank_forecast(topology, cut, costs, {.message_ns = 3000, .flit_ns = 2, .byte_ns = 0.5});
  ASSERT_EQ(forecast.parts.size(), 2U);
  const RankPart& part = forecast.parts[0];
  EXPECT_EQ(part.nodes, 4);
  EXPECT_EQ(part.switches, 2);
  EXPECT_EQ(part.npus, 2);
  EXPECT_EQ(part.cost_ns, 220);
  EXPECT_EQ(part.links_out, 2);
  EXPECT_EQ(part.neighbours, std::vector{1});
  EXPECT_EQ(forecast.look_ahead, 30U);
  // 750 GB/s are 375/384 of a flit per cycle: 29 in 30, and one that was left over. A flit: edge,
  // pin, 4 words; 8 bytes a credit.
  EXPECT_EQ(part.flits_per_window, 2U * 30U);
  EXPECT_EQ(part.bytes_per_window, 60U * 24U + 60U * 8U);
  EXPECT_DOUBLE_EQ(forecast.exchange_ns, (3000 + 2 * 60 + 0.5 * 1920) / 30);
  EXPECT_DOUBLE_EQ(forecast.cycle_ns(), 220 + 136);
  EXPECT_DOUBLE_EQ(forecast.speedup, 440.0 / 356.0);
  EXPECT_DOUBLE_EQ(forecast.imbalance, 0);

  const RankForecast whole = rank_forecast(topology, Cut{}, costs);
  EXPECT_EQ(whole.look_ahead, 0U);
  EXPECT_EQ(whole.speedup, 1);
  EXPECT_EQ(whole.exchange_ns, 0);
}

}  // namespace
}  // namespace fredsim::test
