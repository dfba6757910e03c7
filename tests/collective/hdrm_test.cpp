// SPDX-License-Identifier: Apache-2.0
// hdrm: flows per pair of switches and step, counted on the routes of its plans; its results;
// bytes; refused input.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "plan_evaluator.h"
#include "support/collective_specs.h"
#include "systems/make_plan.h"
#include "topology/unicast_paths.h"

namespace fredsim::test {
namespace {

// n switches in all.
Topology bigraph(int npus_per_switch, int switches, int pair_links = 1) {
  return load_config(
             "configs/systems/bigraph.yaml",
             std::vector<std::string>{fmt::format("fabric.upper={}", switches / 2),
                                      fmt::format("fabric.lower={}", switches / 2),
                                      fmt::format("fabric.npus_per_switch={}", npus_per_switch),
                                      fmt::format("fabric.pair_links={}", pair_links)})
      .topology;
}

std::vector<int> all_npus(const Topology& topology) {
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  return group;
}

Plan all_reduce(const Topology& topology, const std::string& algorithm,
                std::uint64_t flits_per_rank = 1) {
  return make_plan(topology, Collective::kAllReduce, all_npus(topology),
                   512 * flits_per_rank * topology.npus.size(), algorithm);
}

// Pairs of ranks that exchange data in each step: sums 0 … k - 1, each after the previous sums of
// other ranks, then results.
using Step = std::set<std::pair<int, int>>;
std::vector<Step> steps_of(const Plan& plan) {
  const int each_way = std::countr_zero(plan.parts[0].members.size());
  std::vector<Step> steps(static_cast<std::size_t>(2 * each_way));
  for (const Tree& tree : plan.trees) {
    for (const TreeRank& rank : tree.ranks) {
      const int step = static_cast<int>(rank.reduce_from.size());
      for (const Send& to : rank.reduce_to) {
        steps[step].insert({rank.rank, to.rank});
        steps[2 * each_way - 1 - step].insert({to.rank, rank.rank});
      }
    }
  }
  return steps;
}

// Flows of a step by link between switches; flows within one switch at -1.
std::map<int, int> flows_by_link(const Topology& topology, const Plan& plan, const Step& step) {
  std::map<int, int> flows;
  for (const auto& [from, to] : step) {
    const NodeId end = plan.parts[0].members[to];
    const Link& first = topology.first_link_out(plan.parts[0].members[from]);
    NodeId at = first.to;
    if (at == topology.first_link_out(end).to) ++flows[-1];
    for (;;) {
      const int link = topology.link_out(at, topology.paths->port(at, topology.nodes[end].address));
      at = topology.links[link].to;
      if (at == end) break;
      ++flows[link];
    }
  }
  return flows;
}

int most_flows(const Topology& topology, const Plan& plan) {
  int most = 0;
  for (const Step& step : steps_of(plan))
    for (const auto& [link, flows] : flows_by_link(topology, plan, step))
      if (link >= 0) most = std::max(most, flows);
  return most;
}

// Likewise, flows from a partner's switch to the other partner's switch.
int most_of_a_pair(const Topology& topology, const Plan& plan) {
  int most = 0;
  for (const Step& step : steps_of(plan)) {
    std::map<std::pair<NodeId, NodeId>, int> flows;
    for (const auto& [from, to] : step) {
      const NodeId at = topology.first_link_out(plan.parts[0].members[from]).to;
      const NodeId end = topology.first_link_out(plan.parts[0].members[to]).to;
      if (at != end) most = std::max(most, ++flows[{at, end}]);
    }
  }
  return most;
}

constexpr std::pair<int, int> kContentionFree[] = {{2, 4}, {4, 8}, {8, 16}, {16, 32}};

TEST(Hdrm, HasOneFlowPerPairOfSwitchesInEveryStepAndNoneWithinASwitch) {
  for (const auto& [m, n] : {std::pair{2, 4}, {4, 8}, {8, 16}, {16, 32}, {1, 2}, {1, 8}, {2, 16}}) {
    SCOPED_TRACE(fmt::format("m {}, n {}", m, n));
    const Topology topology = bigraph(m, n);
    const Plan plan = all_reduce(topology, "hdrm");
    const std::vector<Step> steps = steps_of(plan);
    ASSERT_EQ(steps.size(), 2U * std::countr_zero(static_cast<unsigned>(m * n)));
    for (std::size_t s = 0; s < steps.size(); ++s) {
      ASSERT_EQ(steps[s].size(), static_cast<std::size_t>(m * n)) << "step " << s;
      const std::map<int, int> flows = flows_by_link(topology, plan, steps[s]);
      // m of n/2 links of each switch have one.
      EXPECT_EQ(flows.size(), static_cast<std::size_t>(m * n)) << "step " << s;
      for (const auto& [link, count] : flows) {
        EXPECT_GE(link, 0) << "step " << s << ": within a switch";
        EXPECT_EQ(count, 1) << "step " << s << ", link " << topology.links[link].name;
      }
    }
  }
}

// Paths between switches of a layer turn at a switch of the other layer, on links that have flows
// of their own.
TEST(Hdrm, WithoutTheMapAllFlowsOfASwitchGoToOneOther) {
  for (const auto& [m, n] : kContentionFree) {
    SCOPED_TRACE(fmt::format("m {}, n {}", m, n));
    const Topology topology = bigraph(m, n);
    const Plan plan = all_reduce(topology, "halving_doubling");
    EXPECT_EQ(most_of_a_pair(topology, plan), m);
    EXPECT_EQ(most_flows(topology, plan), m + (m == 2 ? 1 : 2));
    int within = 0;
    for (const Step& step : steps_of(plan))
      within += flows_by_link(topology, plan, step).contains(-1) ? 1 : 0;
    EXPECT_EQ(within, 2 * std::countr_zero(static_cast<unsigned>(m)));
    EXPECT_EQ(most_of_a_pair(topology, all_reduce(topology, "hdrm")), 1);
  }
}

// Fewer flows are impossible: the m flows of a switch go to n/2 switches.
TEST(Hdrm, WithMoreNpusThanPartnersItHasTheFewestFlowsThereCanBe) {
  for (const auto& [m, n, links] :
       {std::tuple{4, 4, 1}, {8, 4, 1}, {8, 4, 2}, {8, 4, 4}, {8, 8, 2}, {4, 2, 4}}) {
    SCOPED_TRACE(fmt::format("m {}, n {}, {} links per pair", m, n, links));
    const Topology topology = bigraph(m, n, links);
    const Plan plan = all_reduce(topology, "hdrm");
    EXPECT_EQ(most_flows(topology, plan), std::max(1, 2 * m / n / links));
    ASSERT_EQ(plan.notes.size(), 1U);
    EXPECT_NE(plan.notes[0].find(fmt::format("hdrm: {} flows between each two", 2 * m / n)),
              std::string::npos)
        << plan.notes[0];
  }
  EXPECT_TRUE(all_reduce(bigraph(4, 8), "hdrm").notes.empty());
}

// 2 (N - 1) / N of the vector leave each NPU, and enter it; each link between switches that is used
// has as much.
TEST(Hdrm, MovesNoMoreThanAnyAllReduceHasTo) {
  for (const auto& [m, n] : kContentionFree) {
    SCOPED_TRACE(fmt::format("m {}, n {}", m, n));
    const Topology topology = bigraph(m, n);
    const Plan plan = all_reduce(topology, "hdrm", 3);
    const auto ranks = static_cast<std::uint64_t>(m * n);
    for (const std::uint64_t flits : flits_sent(plan)) EXPECT_EQ(flits, 2 * 3 * (ranks - 1));
    // The busiest links are the links of the NICs, at their rate.
    const double bytes = 2.0 * 3 * 512 * static_cast<double>(ranks - 1);
    EXPECT_NEAR(plan.bound_ns, bytes / 12.5, plan.bound_ns * 1e-9);
  }
}

// Members on some of the switches, some of the NPUs there, in any order of ranks.
TEST(Hdrm, GivesEveryRankItsResult) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const int side = 1 << random.below(3), on_each = 1 << random.below(3);
    const int lower = side + static_cast<int>(random.below(3));
    const int upper = side + static_cast<int>(random.below(3));
    const int npus = on_each + static_cast<int>(random.below(3));
    const Topology topology =
        load_config("configs/systems/bigraph.yaml",
                    std::vector<std::string>{fmt::format("fabric.upper={}", upper),
                                             fmt::format("fabric.lower={}", lower),
                                             fmt::format("fabric.npus_per_switch={}", npus)})
            .topology;
    std::vector<int> group;
    const auto shuffled = [&](int first, int count) {
      std::vector<int> numbers(static_cast<std::size_t>(count));
      std::iota(numbers.begin(), numbers.end(), first);
      for (std::size_t i = numbers.size() - 1; i > 0; --i)
        std::swap(numbers[i], numbers[random.below(i + 1)]);
      return numbers;
    };
    for (const auto& [first, count] : {std::pair{0, lower}, {lower, upper}}) {
      const std::vector<int> switches = shuffled(first, count);
      for (int s = 0; s < side; ++s) {
        const std::vector<int> places = shuffled(switches[s] * npus, npus);
        group.insert(group.end(), places.begin(), places.begin() + on_each);
      }
    }
    for (std::size_t i = group.size() - 1; i > 0; --i)
      std::swap(group[i], group[random.below(i + 1)]);
    const std::uint64_t bytes = 1 + random.below(100'000);
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
      SCOPED_TRACE(fmt::format("seed {}: {} of {} bytes by {} of {} NPUs", seed,
                               to_string(collective), bytes, group.size(), topology.npus.size()));
      const std::vector<CollectiveSpec> work{
          spec_of(collective, group, bytes, {.algorithm = "hdrm"})};
      const Plan plan = make_plan(topology, work);
      EXPECT_EQ(plan.parts[0].algorithm, "hdrm");
      expect_plan(topology, work, plan);
      if (collective == Collective::kAllReduce && on_each <= side && bytes > 512 * group.size()) {
        EXPECT_EQ(most_flows(topology, plan), 1);
      }
    }
  }
}

std::string hdrm_refusal(const Topology& topology, std::vector<int> group = {}) {
  try {
    make_plan(topology, Collective::kAllReduce, group.empty() ? all_npus(topology) : group, 4096,
              "hdrm");
  } catch (const BadInput& error) {
    return error.what();
  }
  return "none";
}

TEST(Hdrm, SaysWhatItNeeds) {
  const auto expect = [](const std::string& said, const std::string& part) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_NE(said.find("hdrm needs"), std::string::npos) << said;
    EXPECT_NE(said.find("allowed: auto, paper, ring"), std::string::npos) << said;
  };
  expect(hdrm_refusal(bigraph(3, 4)), "has 3 on each of 2 upper and 2 lower ones");
  expect(hdrm_refusal(bigraph(2, 6)), "has 2 on each of 3 upper and 3 lower ones");
  expect(hdrm_refusal(bigraph(2, 4), {0, 1, 2, 3}), "has 2 on each of 0 upper and 2 lower ones");
  expect(hdrm_refusal(bigraph(2, 4), {0, 1, 4}),
         "has unequal numbers on each of 1 upper and 1 lower ones");
  expect(hdrm_refusal(load_config("configs/mesh.yaml").topology),
         "needs two layers of switches, as a bigraph has, mesh has none");
  EXPECT_THROW(make_plan(bigraph(2, 4), Collective::kBroadcast, {0, 1, 4, 5}, 4096, "hdrm"),
               BadInput);
}

TEST(Hdrm, IsNotTakenByAuto) {
  for (const std::uint64_t bytes : {512, 64 << 10, 4 << 20})
    EXPECT_NE(
        make_plan(bigraph(4, 8), Collective::kAllReduce, all_npus(bigraph(4, 8)), bytes, "auto")
            .parts[0]
            .algorithm,
        "hdrm");
}

}  // namespace
}  // namespace fredsim::test
