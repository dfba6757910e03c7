// SPDX-License-Identifier: Apache-2.0
// Operations as flows: begin and completion of each rank, by the dependencies; all without SystemC.
#include "flow/flow_operations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "flow/flow_run.h"
#include "systems/make_plan.h"
#include "topology/faults.h"

namespace fredsim::test {
namespace {

using PlanPointer = std::shared_ptr<const PreparedPlan>;

PlanPointer prepared_plan(const Topology& topology, std::vector<int> group, std::uint64_t bytes,
                          Collective collective = Collective::kAllReduce, int vc = kDp) {
  CollectiveSpec spec;
  spec.collective = collective;
  spec.group = std::move(group);
  spec.bytes = bytes;
  spec.vc = vc;
  return prepare(topology, make_plan(topology, {&spec, 1}));
}

Topology topology_of(const std::string& machine) {
  return load_config("configs/" + machine + ".yaml").topology;
}

TEST(FlowOperations, AnOperationAloneTakesWhatItsPlanDoes) {
  for (const std::string machine : {"mesh", "torus", "fred_a", "fred_d", "mesh_reducing"}) {
    SCOPED_TRACE(machine);
    const Topology topology = topology_of(machine);
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kAllGather, Collective::kBroadcast}) {
      const PlanPointer plan = prepared_plan(topology, npus_left(topology), 1 << 20, collective);
      FlowOperations operations(topology);
      operations.set_offset(
          plan, {std::vector<RankOffset>(plan->plan.parts[0].members.size(), {.cycles = 100})});
      operations.issue(plan, {50}, {});
      operations.wait_all();
      const double alone = run_flows(topology, plan->plan).end + 100;
      EXPECT_EQ(operations.totals().last_end, 50 + static_cast<std::uint64_t>(std::ceil(alone)));
    }
  }
}

// In-switch trees leave a port in the order of their operations, so the second of two equal ones
// moves behind the first.
TEST(FlowOperations, OperationsOfEqualPhasesFollowEachOtherWithoutAGap) {
  const Topology topology = topology_of("fred_d");
  const PlanPointer plan = prepared_plan(topology, npus_left(topology), 16 << 20);
  FlowOperations operations(topology);
  std::vector<OperationReport> reports;
  operations.on_complete([&](const OperationReport& report) { reports.push_back(report); });
  for (int i = 0; i < 2; ++i) operations.issue(plan, {}, {});
  operations.wait_all();
  ASSERT_EQ(reports.size(), 2U);
  const double alone = run_flows(topology, plan->plan).end;
  double fill = 0;
  for (const TreeFlow& flow : flows_of(topology, plan->plan)) fill = std::max(fill, flow.fill);
  EXPECT_NEAR(static_cast<double>(reports[0].ended), alone, 1);
  EXPECT_NEAR(static_cast<double>(reports[1].ended), 2 * alone - fill, 2);
}

// Operations in conflict take turns, whichever is issued first; without one they share links.
TEST(FlowOperations, OperationsInConflictWaitForEachOther) {
  const Topology topology = topology_of("fred_small");
  const PlanPointer first = prepared_plan(topology, {0, 1, 2, 3}, 1 << 20);
  const PlanPointer second = prepared_plan(topology, {0, 1}, 1 << 20);
  ASSERT_TRUE(in_conflict(*first, *second));
  FlowOperations operations(topology);
  std::vector<OperationReport> reports;
  operations.on_complete([&](const OperationReport& report) { reports.push_back(report); });
  operations.issue(first, {}, {});
  operations.issue(second, {}, {});
  operations.wait_all();
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_GT(reports[1].started, reports[0].ended);
  EXPECT_EQ(reports[1].waited_for_others, reports[1].started);
}

// Repetitions of a plan with waves too, as in exact runs.
TEST(FlowOperations, RepetitionsOfWavesWaitForEachOther) {
  const Topology topology = topology_of("fred_small");
  std::vector<CollectiveSpec> work(2);
  work[0].group = {1, 3};
  work[1].group = {1, 2};
  for (CollectiveSpec& spec : work) spec.bytes = 4096;
  const PlanPointer waves = prepare(topology, make_plan(topology, work, OnConflict::kLater));
  FlowOperations operations(topology);
  std::vector<OperationReport> reports;
  operations.on_complete([&](const OperationReport& report) { reports.push_back(report); });
  const OperationHandle first = operations.issue(waves, {}, {});
  operations.issue(waves, {}, {.after = {{.operation = first}}});
  operations.wait_all();
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_GT(reports[1].started, reports[0].ended);
  EXPECT_GT(reports[1].waited_for_others, 0U);
}

TEST(FlowOperations, SayWhatWaitsWhereNothingGoesOn) {
  const Topology topology = topology_of("mesh_2x2");
  FlowOperations operations(topology);
  operations.issue(prepared_plan(topology, {0, 1}, 4096), {}, {.held = true});
  try {
    operations.wait_all();
    FAIL() << "it came to an end";
  } catch (const RunFailed& failed) {
    EXPECT_EQ(failed.cause(), FailureCause::kDeadlock);
    EXPECT_NE(std::string(failed.what()).find("operation 1, all_reduce of 4096 bytes: no rank may"),
              std::string::npos)
        << failed.what();
  }
  EXPECT_THROW(
      operations.issue(prepared_plan(topology, {0, 1}, 4096), {}, {.after = {{.operation = 9}}}),
      BadInput);
}

TEST(FlowOperations, EndOnceTheyAreStopped) {
  const Topology topology = topology_of("mesh_2x2");
  const std::atomic<bool> stop = true;
  FlowOperations operations(topology, {}, &stop);
  operations.issue(prepared_plan(topology, {0, 1}, 4096), {}, {});
  EXPECT_THROW(operations.wait_all(), Interrupted);
}

// ---- random operations

struct Issued {
  PlanPointer plan;
  IssueOptions options{};
  std::uint64_t start = 0, at = 0;  // cycles: after the issue, of the issue
};

using Completion =
    std::tuple<std::uint64_t, OperationHandle, int, int>;  // cycle, operation, part, rank

struct RandomOutcome {
  std::vector<Issued> issued{};
  std::vector<OperationReport> reports{};  // by operation
  std::vector<Completion> completions{};   // ranks in the order of callbacks
};

std::vector<int> random_group(Random& random, int npus) {
  std::vector<int> group(static_cast<std::size_t>(npus));
  std::iota(group.begin(), group.end(), 0);
  for (std::size_t i = group.size(); i > 1; --i) std::swap(group[i - 1], group[random.below(i)]);
  group.resize(1 + random.below(group.size()));
  return group;
}

// Some are issued before the run, some in callbacks, some at cycles of their own; some are held and
// released rank by rank.
RandomOutcome run_random(const Topology& topology, std::uint64_t seed, int count) {
  constexpr std::array kCollectives{Collective::kAllReduce, Collective::kBroadcast,
                                    Collective::kAllToAll, Collective::kReduce,
                                    Collective::kUnicast};
  constexpr std::array kVcs{kMp, kPp, kDp};
  Random random(seed);
  RandomOutcome outcome;
  outcome.reports.resize(static_cast<std::size_t>(count));
  FlowOperations operations(topology);
  int left = count;
  const auto issue = [&] {
    if (left-- <= 0) return;
    std::vector<int> group = random_group(random, static_cast<int>(topology.npus.size()));
    const Collective collective = kCollectives[random.below(kCollectives.size())];
    if (collective == Collective::kUnicast) {
      if (group.size() < 2) group = {0, 1};
      group.resize(2);
    }
    Issued one{.plan = prepared_plan(topology, group, 1 + random.below(200'000), collective,
                                     kVcs[random.below(kVcs.size())])};
    for (auto n = random.below(3); n > 0 && !outcome.issued.empty(); --n)
      one.options.after.push_back({.operation = 1 + random.below(outcome.issued.size()),
                                   .all_ranks = random.below(3) == 0});
    one.options.delay = random.below(2) * random.below(300);
    one.options.held = random.below(4) == 0;
    one.start = random.below(3) == 0 ? random.below(2000) : 0;
    one.at = operations.cycle();
    const OperationHandle handle = operations.issue(one.plan, {one.start}, one.options);
    for (int r = 0; one.options.held && r < std::ssize(group); ++r)
      operations.call_at(one.at + random.below(500),
                         [&operations, handle, r] { operations.release(handle, 0, r, 0); });
    outcome.issued.push_back(std::move(one));
  };
  operations.on_rank_complete([&](OperationHandle handle, int part, int rank) {
    outcome.completions.emplace_back(operations.cycle(), handle, part, rank);
    if (random.below(8) == 0) issue();
  });
  operations.on_complete([&](const OperationReport& report) {
    EXPECT_TRUE(outcome.reports[report.handle - 1].parts.empty()) << "twice";
    outcome.reports[report.handle - 1] = report;
  });
  for (int i = 0; i < count / 2; ++i) issue();
  for (int i = 0; i < count; ++i) operations.call_at(random.below(5000), issue);
  operations.wait_all();
  EXPECT_EQ(operations.totals().operations, static_cast<std::uint64_t>(count));
  EXPECT_EQ(operations.in_flight(), 0U);
  return outcome;
}

// Cycle of a rank's completion callback.
std::map<std::pair<OperationHandle, int>, std::uint64_t> completions(const RandomOutcome& outcome) {
  std::map<std::pair<OperationHandle, int>, std::uint64_t> cycles;
  for (const auto& [cycle, handle, part, rank] : outcome.completions) {
    const bool is_new = cycles.emplace(std::pair(handle, rank), cycle).second;
    EXPECT_TRUE(is_new) << "operation " << handle << ", rank " << rank << " twice";
  }
  return cycles;
}

class FlowOperationsOn : public testing::TestWithParam<const char*> {};

TEST_P(FlowOperationsOn, KeepTheOrderOfTheirDependencies) {
  const Topology topology = topology_of(GetParam());
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const RandomOutcome outcome = run_random(topology, seed, 30);
    const auto cycles = completions(outcome);
    for (std::size_t i = 0; i < outcome.issued.size(); ++i) {
      const Issued& issued = outcome.issued[i];
      const OperationReport& report = outcome.reports[i];
      SCOPED_TRACE(fmt::format("operation {}", i + 1));
      ASSERT_EQ(report.parts.size(), 1U);
      const auto& members = issued.plan->plan.parts[0].members;
      EXPECT_GE(report.parts[0].start, issued.at + issued.start);
      EXPECT_LE(report.started, report.parts[0].start);
      for (const Dependency& dependency : issued.options.after) {
        const Issued& earlier = outcome.issued[dependency.operation - 1];
        const auto& others = earlier.plan->plan.parts[0].members;
        const auto all = outcome.reports[dependency.operation - 1].ended + 1;
        std::uint64_t first = ~std::uint64_t{0};  // cycle at which some rank may begin
        for (const NodeId member : members) {
          const auto at = std::ranges::find(others, member);
          const bool waits_for_all = dependency.all_ranks || at == others.end();
          const std::uint64_t since =
              waits_for_all
                  ? all
                  : cycles.at({dependency.operation, static_cast<int>(at - others.begin())});
          first = std::min(first, since + issued.options.delay);
          const int rank = static_cast<int>(std::ranges::find(members, member) - members.begin());
          EXPECT_GE(cycles.at({i + 1, rank}), std::max(since, issued.at) + issued.options.delay);
        }
        EXPECT_GE(report.parts[0].start, first);
      }
      std::uint64_t last = 0;
      for (int r = 0; r < std::ssize(members); ++r) last = std::max(last, cycles.at({i + 1, r}));
      EXPECT_LE(last, report.ended + 1);
    }
  }
}

TEST_P(FlowOperationsOn, AreTheSameEveryTime) {
  const Topology topology = topology_of(GetParam());
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    EXPECT_EQ(run_random(topology, seed, 30).completions,
              run_random(topology, seed, 30).completions)
        << "seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Machines, FlowOperationsOn,
                         testing::Values("fred_small", "fred_a", "mesh", "mesh_reducing"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace fredsim::test
