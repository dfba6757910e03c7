// SPDX-License-Identifier: Apache-2.0
// Figures of docs/studies/eflops.md, as flows without calibration offset: hdrm against its formula
// and without its map, rings over fat trees with hashed paths, shared NICs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "collective/plan_time.h"
#include "config/config.h"
#include "flow/flow_run.h"
#include "plan/link_walk.h"
#include "switch/node_shape.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

constexpr double kRate = 12.5;  // bytes/ns, every NIC
constexpr std::uint64_t kLarge = 64ULL << 20;

Topology network(const std::string& name, const std::vector<std::string>& settings) {
  return load_config("configs/systems/" + name + ".yaml", settings).topology;
}

Topology bigraph_of(int m, int n) {
  return network("bigraph",
                 {fmt::format("fabric.upper={}", n / 2), fmt::format("fabric.lower={}", n / 2),
                  fmt::format("fabric.npus_per_switch={}", m)});
}

// 128 NPUs, 4 on an edge switch.
Topology hashed_tree(std::uint64_t seed) {
  return network("fat_tree", {"fabric.port_bandwidth=12.5 GB/s", "fabric.paths=hashed",
                              fmt::format("fabric.path_seed={}", seed)});
}

// ns; of all NPUs where there is no group.
double time_of(const Topology& topology, const std::string& algorithm, std::uint64_t bytes,
               std::vector<int> group = {}) {
  if (group.empty()) {
    group.resize(topology.npus.size());
    std::iota(group.begin(), group.end(), 0);
  }
  const Plan plan = make_plan(topology, Collective::kAllReduce, std::move(group), bytes, algorithm);
  return run_flows(topology, plan).end * 1e9 / static_cast<double>(topology.clock_hz);
}

// Latency of a first flit between NPUs of both layers.
double latency_ns(const Topology& topology) {
  const Plan plan = make_plan(topology, Collective::kAllReduce, {0, 1}, 512, "ring");
  const LinkWalk walk(topology, plan, routes_by_table(topology));
  return unicast_cycles(topology, walk, topology.npus.front(), topology.npus.back()) * 1e9 /
         static_cast<double>(topology.clock_hz);
}

double at_full_rate(std::size_t ranks, std::uint64_t bytes) {
  return 2.0 * static_cast<double>(ranks - 1) / static_cast<double>(ranks) *
         static_cast<double>(bytes) / kRate;
}

TEST(Eflops, HdrmTakesBytesOverRateAndLatencies) {
  for (const auto& [m, n] : {std::pair{2, 4}, {4, 8}, {8, 16}, {16, 32}}) {
    const Topology topology = bigraph_of(m, n);
    const std::size_t ranks = topology.npus.size();
    const double latencies =
        2.0 * std::countr_zero(static_cast<unsigned>(ranks)) * latency_ns(topology);
    for (const std::uint64_t bytes : {kLarge / 4, kLarge, 16 * kLarge}) {
      SCOPED_TRACE(fmt::format("m {}, n {}, {} bytes", m, n, bytes));
      EXPECT_NEAR(time_of(topology, "hdrm", bytes) / (at_full_rate(ranks, bytes) + latencies), 1,
                  0.01);
    }
  }
}

// The paper has 6.08 for algorithm and topology together, at most.
TEST(Eflops, HdrmGainsMoreOfLargerBigraphs) {
  for (const auto& [m, n, gain] :
       {std::tuple{2, 4, 2.0}, {4, 8, 3.61}, {8, 16, 6.67}, {16, 32, 12.7}}) {
    SCOPED_TRACE(fmt::format("m {}, n {}", m, n));
    const Topology topology = bigraph_of(m, n);
    EXPECT_NEAR(time_of(topology, "halving_doubling", kLarge) / time_of(topology, "hdrm", kLarge),
                gain, gain * 0.005);
  }
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return (values[half - 1] + values[half]) / 2;
}

// Time relative to hdrm on a BiGraph with as many NPUs. A link shared by k flows of a ring makes
// the whole ring k times as slow.
TEST(Eflops, RingsOverHashedPathsTakeAsLongAsTheirWorstCollision) {
  const double mapped = time_of(bigraph_of(8, 16), "hdrm", kLarge);
  std::vector<int> in_order(128), across;
  std::iota(in_order.begin(), in_order.end(), 0);
  // One NPU of each edge switch in turn.
  for (int place = 0; place < 4; ++place)
    for (int edge = 0; edge < 32; ++edge) across.push_back(edge * 4 + place);
  std::vector<double> ordered, leaving, shuffled;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Topology tree = hashed_tree(seed);
    if (seed <= 10) ordered.push_back(time_of(tree, "ring", kLarge, in_order) / mapped);
    leaving.push_back(time_of(tree, "ring", kLarge, across) / mapped);
    std::vector<int> random_order = in_order;
    Random random(seed);
    for (std::size_t i = random_order.size() - 1; i > 0; --i)
      std::swap(random_order[i], random_order[random.below(i + 1)]);
    shuffled.push_back(time_of(tree, "ring", kLarge, random_order) / mapped);
  }
  EXPECT_NEAR(std::ranges::max(ordered), 1.016, 0.005);
  EXPECT_NEAR(median_of(leaving), 3.03, 0.03);
  EXPECT_NEAR(std::ranges::min(leaving), 3.03, 0.03);
  EXPECT_NEAR(std::ranges::max(leaving), 4.02, 0.04);
  EXPECT_NEAR(median_of(shuffled), 4.03, 0.04);
  EXPECT_EQ(time_of(hashed_tree(7), "ring", kLarge, across) / mapped, leaving[6]);
}

// Time relative to bytes / rate of a NIC for each NPU. With k NPUs per NIC, rings that pass through
// it once lose nothing; rings that put NPUs of other NICs between its own take k times as long;
// other algorithms scale with their bytes through it.
TEST(Eflops, SharedNicsCostFlatAlgorithmsTheirShare) {
  std::vector<int> across(32);
  for (const int k : {1, 2, 4, 8}) {
    SCOPED_TRACE(fmt::format("{} NPUs to a NIC", k));
    const Topology servers =
        network("shared_nic", {fmt::format("fabric.levels.1.below={}", k),
                               fmt::format("fabric.levels.2.below={}", 32 / k)});
    const auto over_rate = [&](const std::string& algorithm, const std::vector<int>& group = {}) {
      return time_of(servers, algorithm, kLarge, group) / at_full_rate(32, kLarge);
    };
    for (int r = 0; r < 32; ++r) across[r] = r % (32 / k) * k + r / (32 / k);
    EXPECT_NEAR(over_rate("ring"), 1, 0.01);
    EXPECT_NEAR(over_rate("ring", across), k, k * 0.01);
    // k NPUs send to the 32 - k NPUs behind other NICs.
    const double outwards = k * (32.0 - k) / 31;
    EXPECT_NEAR(over_rate("halving_doubling"), outwards, outwards * 0.01);
    EXPECT_NEAR(over_rate("direct"), outwards, outwards * 0.01);
    if (k == 1) continue;
    // NICs carry 2 (32/k - 1) / (32/k) of the vector, each NPU's PCIe link all of 2 * 31/32.
    const double by_level = std::max((32.0 - k) / 31, kRate / 16);
    EXPECT_NEAR(over_rate("hier_ring"), by_level, 0.01);
    EXPECT_NEAR(over_rate("hier_direct"), by_level, 0.01);
  }
}

}  // namespace
}  // namespace fredsim::test
