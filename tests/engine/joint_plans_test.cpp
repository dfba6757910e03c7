// SPDX-License-Identifier: Apache-2.0
// Operations that are issued separately: operations without a common port have one phase and run
// side by side.
#include "engine/joint_plans.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "engine/work_run.h"
#include "support/collective_specs.h"
#include "support/comparable_results.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

CollectiveSpec of_group(std::vector<int> group, std::uint64_t bytes, int vc = kMp,
                        Collective collective = Collective::kAllReduce) {
  return spec_of(collective, std::move(group), bytes, {.vc = vc});
}

std::vector<std::shared_ptr<const PreparedPlan>> plans_of(
    const Topology& topology, const std::vector<CollectiveSpec>& specs) {
  std::vector<ApartWork> works;
  for (const CollectiveSpec& spec : specs) works.push_back({.work = {spec}});
  return plan_apart(topology, works, OnConflict::kRefuse);
}

std::vector<WorkStep> steps_apart(const std::vector<CollectiveSpec>& specs) {
  std::vector<WorkStep> steps;
  for (const CollectiveSpec& spec : specs)
    steps.push_back({.name = fmt::format("s{}", steps.size()),
                     .specs = {spec},
                     .after = {},
                     .delay = 7 * (1 + steps.size())});
  return steps;
}

RunResult run_steps(const Topology& topology, const std::vector<WorkStep>& steps,
                    const FabricOptions& options = {}) {
  Simulation simulation;
  Machine machine("machine", topology, options);
  const WorkPlan work = plan_steps(topology, steps, OnConflict::kRefuse);
  RunResult result;
  simulation.run([&] { result = run_work(machine, work); });
  EXPECT_EQ(result.payload, "exact");
  return result;
}

// Five pairs, two in each of two L1 switches.
TEST(JointPlans, PairsApartTakeWhatOneOperationTakes) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  std::vector<CollectiveSpec> pairs;
  for (int pair = 0; pair < 5; ++pair)
    pairs.push_back(of_group({2 * pair, 2 * pair + 1}, 1'000'000));
  const auto plans = plans_of(topology, pairs);
  for (const auto& plan : plans) {
    EXPECT_EQ(plan->rows, plans.front()->rows);
    EXPECT_EQ(plan->plan.parts.size(), 1U);
  }
  const RunResult apart = run_steps(topology, steps_apart(pairs));
  const RunResult together = run_steps(topology, {{.name = "all", .specs = pairs, .after = {}}});
  EXPECT_EQ(apart.operations->rows.preloaded, 1U);
  EXPECT_EQ(apart.operations->waited_for_others, 0U);
  ASSERT_EQ(apart.parts.size(), together.parts.size());
  for (std::size_t p = 0; p < pairs.size(); ++p)
    EXPECT_LE(apart.parts[p].cycles, together.parts[p].cycles + 4);
}

// Planned separately, all groups would take the same uplinks.
TEST(JointPlans, GroupsAcrossSwitchesTakeUplinksOfTheirOwn) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  std::vector<CollectiveSpec> groups;
  for (int first = 0; first < 4; ++first)
    groups.push_back(of_group({first, first + 4, first + 8, first + 12, first + 16}, 200'000, kDp));
  const auto plans = plans_of(topology, groups);
  for (const auto& a : plans)
    for (const auto& b : plans) EXPECT_FALSE(in_conflict(*a, *b));
  const auto alone = plans_of(topology, {groups[0]});
  const auto other = plans_of(topology, {groups[1]});
  EXPECT_TRUE(in_conflict(*alone.front(), *other.front()));
  const RunResult apart = run_steps(topology, steps_apart(groups));
  EXPECT_EQ(apart.operations->waited_for_others, 0U);
  const RunResult one = run_steps(topology, steps_apart({groups[0]}));
  EXPECT_LE(apart.cycles, one.cycles + 7 * 4);
}

TEST(JointPlans, BytesOfAGroupAreNoMatter) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  const auto plans = plans_of(
      topology, {of_group({0, 1}, 400), of_group({2, 3}, 50'000), of_group({0, 1}, 2'000'000)});
  EXPECT_EQ(plans[0]->rows, plans[1]->rows);
  EXPECT_EQ(plans[2]->rows, plans[1]->rows);
  EXPECT_FALSE(in_conflict(*plans[0], *plans[1]));
}

TEST(JointPlans, WhatSharesAnEndpointOrNoChannelStaysApart) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  const std::vector<CollectiveSpec> specs{of_group({0, 1}, 50'000), of_group({1, 2}, 50'000),
                                          of_group({4, 5}, 50'000, kPp)};
  const auto plans = plans_of(topology, specs);
  for (std::size_t k = 0; k < specs.size(); ++k)
    EXPECT_EQ(plans[k]->rows, plans_of(topology, {specs[k]}).front()->rows) << k;
  EXPECT_TRUE(in_conflict(*plans[0], *plans[1]));
  EXPECT_FALSE(in_conflict(*plans[0], *plans[2]));
}

// Uplinks of Fred-B are slow: a group by itself takes all four.
TEST(JointPlans, NoGroupGivesUpUplinks) {
  const Topology topology = load_config("configs/fred_b.yaml").topology;
  const std::vector<CollectiveSpec> groups{of_group({0, 4, 8, 12, 16}, 500'000),
                                           of_group({1, 5, 9, 13, 17}, 500'000)};
  const auto plans = plans_of(topology, groups);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const auto alone = plans_of(topology, {groups[k]}).front();
    EXPECT_EQ(plans[k]->rows, alone->rows);
    EXPECT_EQ(plans[k]->plan.trees.size(), alone->plan.trees.size());
  }
}

// Plans at the endpoints are unchanged.
TEST(JointPlans, OtherMachinesPlanEachByItself) {
  for (const char* config : {"configs/mesh.yaml", "configs/fred_c.yaml"}) {
    const Topology topology = load_config(config).topology;
    const std::vector<CollectiveSpec> specs{of_group({0, 1}, 50'000), of_group({2, 3}, 50'000)};
    const auto plans = plans_of(topology, specs);
    for (std::size_t k = 0; k < specs.size(); ++k) {
      EXPECT_TRUE(plans[k]->rows.empty());
      const Plan alone = make_plan(topology, {&specs[k], 1});
      EXPECT_EQ(plans[k]->plan.trees.size(), alone.trees.size());
      EXPECT_EQ(plans[k]->plan.bound_ns, alone.bound_ns);
    }
  }
}

std::vector<WorkStep> random_steps(Random& random) {
  const std::vector<std::vector<int>> groups{{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}};
  constexpr std::array kCollectives{Collective::kAllReduce, Collective::kReduceScatter,
                                    Collective::kAllGather, Collective::kBroadcast,
                                    Collective::kReduce};
  std::vector<CollectiveSpec> specs;
  for (std::uint64_t n = 2 + random.below(7); n > 0; --n) {
    specs.push_back(of_group(groups[random.below(groups.size())], 1 + random.below(30'000),
                             random.below(3) == 0 ? kDp : kMp,
                             kCollectives[random.below(3) == 0 ? random.below(5) : 0]));
  }
  std::vector<WorkStep> steps = steps_apart(specs);
  for (WorkStep& step : steps) {
    step.delay = random.below(300);
    step.repeat = 1 + random.below(3);
  }
  return steps;
}

struct SmallSwitches {
  const char* name;
  std::vector<std::string> settings;
};

class RandomWorksApart : public testing::TestWithParam<SmallSwitches> {};

TEST_P(RandomWorksApart, AreTheSameInEveryImplementation) {
  const Topology topology = load_config("configs/fred_small.yaml", GetParam().settings).topology;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const std::vector<WorkStep> steps = random_steps(random);
    const RunResult twins = run_steps(topology, steps);
    EXPECT_EQ(comparable_results(run_steps(topology, steps, {.skip = false})),
              comparable_results(twins));
    if (seed > 4) continue;
    const RunResult rtl = run_steps(topology, steps, {.model = SwitchModel::kRtl});
    EXPECT_EQ(comparable_results(rtl), comparable_results(twins));
    EXPECT_EQ(run_steps(topology, steps, {.model = SwitchModel::kLockstep}).cycles, twins.cycles);
  }
}

INSTANTIATE_TEST_SUITE_P(Switches, RandomWorksApart,
                         testing::Values(SmallSwitches{"Fred", {}},
                                         SmallSwitches{"ReducingCrossbar",
                                                       {"switch.kind=reducing_crossbar"}},
                                         SmallSwitches{"Aggregator", {"switch.kind=aggregator"}}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace fredsim::test
