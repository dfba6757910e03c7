// SPDX-License-Identifier: Apache-2.0
// Operations of conflicting groups, planned as waves (OnConflict::kLater): in any order, with any
// repetitions and dependencies, no two of them deadlock in the switches.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "engine/communicator.h"
#include "engine/joint_plans.h"
#include "engine/open_links.h"
#include "engine/work_run.h"
#include "plan/link_walk.h"
#include "support/collective_specs.h"
#include "support/simulation.h"

namespace fredsim::test {
namespace {

using PlanPointer = std::shared_ptr<const PreparedPlan>;

struct LaterMachine {
  const char* name;
  const char* config;
  std::vector<std::string> settings;
  Topology topology() const { return load_config(config, settings).topology; }
};

const std::vector<LaterMachine>& later_machines() {
  static const std::vector<LaterMachine> kMachines{
      {"Fred", "configs/fred_small.yaml", {"switch.input_buffer=4 KiB"}},
      {"FredOfTwoPhases",
       "configs/fred_small.yaml",
       {"switch.phases_in_use=2", "npu.count=6", "fabric.npus_per_l1=3"}},
      {"FredOfTwoChiplets",
       "configs/fred_small.yaml",
       {"npu.count=6", "fabric.l1_switches=3", "fabric.l2_chiplets_per_slice=2"}},
      {"ReducingCrossbar",
       "configs/fred_small.yaml",
       {"switch.kind=reducing_crossbar", "switch.input_buffer=4 KiB"}},
      {"Aggregator", "configs/fred_small.yaml", {"switch.kind=aggregator"}},
      {"ReducingMesh", "configs/mesh_2x2.yaml", {"switch.kind=mesh_reducing"}}};
  return kMachines;
}

CollectiveSpec random_later_spec(Random& random, int npus) {
  constexpr std::array kCollectives{Collective::kAllReduce, Collective::kAllReduce,
                                    Collective::kReduce,    Collective::kReduceScatter,
                                    Collective::kAllGather, Collective::kBroadcast};
  std::vector<int> group(static_cast<std::size_t>(npus));
  std::iota(group.begin(), group.end(), 0);
  for (std::size_t i = group.size() - 1; i > 0; --i)
    std::swap(group[i], group[random.below(i + 1)]);
  group.resize(2 + random.below(std::min(3, npus - 1)));
  CollectiveSpec spec = spec_of(kCollectives[random.below(kCollectives.size())], std::move(group),
                                1 + random.below(random.below(3) == 0 ? 16'000 : 4'500),
                                {.algorithm = "paper", .vc = random.below(3) == 0 ? kMp : kDp});
  spec.root = static_cast<int>(random.below(spec.group.size()));
  return spec;
}

std::vector<CollectiveSpec> random_later_specs(Random& random, int npus, std::uint64_t max) {
  std::vector<CollectiveSpec> specs;
  for (std::uint64_t n = 1 + random.below(max); n > 0; --n)
    specs.push_back(random_later_spec(random, npus));
  return specs;
}

RunResult run_later(const Topology& topology, const std::vector<WorkStep>& steps,
                    const FabricOptions& options = {}) {
  Simulation simulation;
  Machine machine("machine", topology, options);
  const WorkPlan work = plan_steps(topology, steps, OnConflict::kLater);
  RunResult result;
  simulation.run([&] { result = run_work(machine, work); });
  return result;
}

std::vector<WorkStep> repeated_waves() {
  return {{.name = "waves",
           .specs = {spec_of(Collective::kAllReduce, {1, 3}, 4096),
                     spec_of(Collective::kAllReduce, {1, 2}, 4096)},
           .after = {},
           .repeat = 2}};
}

// The second wave of the first repetition and the first one of the second join the same uplink.
TEST(LaterWorks, ARepetitionWaitsForTheWavesOfTheOneBefore) {
  for (const char* kind : {"fred", "reducing_crossbar", "aggregator"}) {
    SCOPED_TRACE(kind);
    const Topology topology =
        load_config("configs/fred_small.yaml", {fmt::format("switch.kind={}", kind)}).topology;
    const RunResult twins = run_later(topology, repeated_waves());
    EXPECT_EQ(twins.payload, "exact");
    EXPECT_EQ(run_later(topology, repeated_waves(), {.model = SwitchModel::kLockstep}).cycles,
              twins.cycles);
    if (std::string(kind) == "fred") {
      EXPECT_EQ(twins.cycles, 675U);
    }
  }
}

class RandomLaterWorks : public testing::TestWithParam<LaterMachine> {};

TEST_P(RandomLaterWorks, ComeToAnEnd) {
  const Topology topology = GetParam().topology();
  const int npus = static_cast<int>(topology.npus.size());
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    std::vector<WorkStep> steps;
    for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
      WorkStep& step = steps.emplace_back(WorkStep{.name = fmt::format("s{}", steps.size()),
                                                   .specs = random_later_specs(random, npus, 3),
                                                   .after = {},
                                                   .delay = random.below(2) * random.below(300),
                                                   .repeat = 1 + random.below(4)});
      if (steps.size() > 1 && random.below(3) == 0)
        step.after.push_back({.step = static_cast<int>(random.below(steps.size() - 1)),
                              .all_ranks = random.below(4) == 0});
    }
    EXPECT_EQ(run_later(topology, steps).payload, "exact");
  }
}

// Parts of a work that are planned together with the remaining parts, but run without them.
struct CutWork {
  std::vector<CollectiveSpec> specs;
  std::vector<ApartWork> works;
};

CutWork random_cut(Random& random, int npus) {
  CutWork cut{.specs = random_later_specs(random, npus, 6), .works = {}};
  for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
    const auto all = static_cast<std::ptrdiff_t>(cut.specs.size());
    const auto begin = static_cast<std::ptrdiff_t>(random.below(cut.specs.size()));
    const auto end =
        begin + 1 +
        static_cast<std::ptrdiff_t>(random.below(static_cast<std::uint64_t>(all - begin)));
    const auto first = cut.specs.begin();
    cut.works.push_back({.before = {first, first + begin},
                         .work = {first + begin, first + end},
                         .beside = {first + end, cut.specs.end()}});
  }
  return cut;
}

// True if `later` waits for `earlier`, directly or indirectly.
bool waits_for(const Plan& plan, int later, int earlier) {
  return std::ranges::any_of(plan.parts[later].after, [&](int before) {
    return before == earlier || waits_for(plan, before, earlier);
  });
}

void expect_order_on_links(const Topology& topology, const Plan& plan) {
  std::map<std::pair<int, int>, std::set<int>> parts;  // by VC and link
  const LinkWalk walk(topology, plan, false);
  for (const Tree& tree : plan.trees)
    walk.walk_in_switch(tree, [&](int link) {
      parts[{plan.parts[tree.part].vc, link}].insert(tree.part);
    });
  for (const auto& [place, of_link] : parts) {
    for (const int a : of_link)
      for (const int b : of_link)
        EXPECT_TRUE(a == b || waits_for(plan, a, b) || waits_for(plan, b, a))
            << topology.links[place.second].name << ": parts " << a << " and " << b;
  }
}

class RandomCuts : public testing::TestWithParam<LaterMachine> {};

TEST_P(RandomCuts, KeepTheirWavesApart) {
  const Topology topology = GetParam().topology();
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const CutWork cut = random_cut(random, static_cast<int>(topology.npus.size()));
    const auto plans = plan_apart(topology, cut.works, OnConflict::kLater);
    for (std::size_t w = 0; w < plans.size(); ++w) {
      const Plan& plan = plans[w]->plan;
      ASSERT_EQ(plan.parts.size(), cut.works[w].work.size());
      for (const Part& part : plan.parts)
        for (const int before : part.after) {
          ASSERT_GE(before, 0);
          ASSERT_LT(before, std::ssize(plan.parts));
        }
      expect_order_on_links(topology, plan);
    }
  }
}

TEST_P(RandomCuts, ComeToAnEndInAnyOrder) {
  const Topology topology = GetParam().topology();
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const CutWork cut = random_cut(random, static_cast<int>(topology.npus.size()));
    const auto plans = plan_apart(topology, cut.works, OnConflict::kLater);
    Simulation simulation;
    Machine machine("machine", topology, {});
    simulation.run([&] {
      Communicator communicator(machine);
      communicator.begin();
      for (OperationHandle issued = 0; issued < 12; ++issued) {
        IssueOptions options{.seed = random.next(), .delay = random.below(2) * random.below(200)};
        if (issued > 0 && random.below(2) == 0)
          options.after.push_back({.operation = 1 + random.below(issued)});
        communicator.issue(plans[random.below(plans.size())], {}, options);
      }
      communicator.start();
      communicator.finish();
      EXPECT_EQ(communicator.totals().operations, 12U);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, RandomLaterWorks, testing::ValuesIn(later_machines()),
                         [](const auto& one) { return std::string(one.param.name); });
INSTANTIATE_TEST_SUITE_P(Machines, RandomCuts, testing::ValuesIn(later_machines()),
                         [](const auto& one) { return std::string(one.param.name); });

PlanPointer plan_of_waves(const Topology& topology) {
  return plan_steps(topology, repeated_waves(), OnConflict::kLater).batches.front().plan;
}

TEST(OpenLinks, RefuseOperationsOfDifferentWaves) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  const PlanPointer waves = plan_of_waves(topology);
  const std::vector<ApartWork> pairs{{.work = {spec_of(Collective::kAllReduce, {0, 1}, 4096)}},
                                     {.work = {spec_of(Collective::kAllReduce, {0, 1}, 100)}}};
  const auto plans = plan_apart(topology, pairs, OnConflict::kRefuse);
  OpenLinks links(topology);
  links.open(*plans[0]);
  EXPECT_NO_THROW(links.open(*plans[1]));
  EXPECT_THROW(links.open(*waves), std::logic_error);
  links.close(*plans[0]);
  links.close(*plans[1]);
  OpenLinks others(topology);
  others.open(*waves);
  EXPECT_THROW(others.open(*waves), std::logic_error);
}

// A plan that does not state its switch resources overlaps with itself.
TEST(WaitCircle, NamesInputsPacketsAndOperations) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  const auto blind = std::make_shared<PreparedPlan>(*plan_of_waves(topology));
  blind->links.clear();
  for (const SwitchModel model : {SwitchModel::kTlm, SwitchModel::kLockstep}) {
    Simulation simulation;
    Machine machine("machine", topology, {.model = model});
    const std::string what = message_of<RunFailed>([&] {
      simulation.run([&] {
        Communicator communicator(machine);
        communicator.begin();
        const OperationHandle first = communicator.issue(blind, {}, {});
        communicator.issue(blind, {}, {.after = {{.operation = first}}});
        communicator.start();
        communicator.finish();
      });
    });
    for (const char* word :
         {"deadlock", "circle: l2.s0.c0 input", "waits for the same at input", "is first at",
          "packet 0 of tree 1 of operation 1, group 1,2 (all_reduce at priority dp),",
          "packet 0 of tree 0 of operation 2, group 1,3 (all_reduce at priority dp),"})
      EXPECT_NE(what.find(word), std::string::npos) << word << "\n" << what;
  }
}

}  // namespace
}  // namespace fredsim::test
