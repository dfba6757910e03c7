// SPDX-License-Identifier: Apache-2.0
// Works whose NPUs come late: overhead is a start and a delay of each step, skew is the same in
// every implementation, however much is skipped.
#include "operations/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "engine/communicator.h"
#include "engine/work_run.h"
#include "support/comparable_results.h"
#include "support/simulation.h"

namespace fredsim::test {
namespace {

constexpr std::uint64_t kMicrosecondPs = 1'000'000;

WorkStep late_step(std::vector<int> group, std::uint64_t bytes, Collective collective,
                   std::uint64_t repeat = 1) {
  WorkStep step;
  step.repeat = repeat;
  CollectiveSpec& spec = step.specs.emplace_back();
  spec.collective = collective;
  spec.group = std::move(group);
  spec.bytes = bytes;
  return step;
}

// Steps in order: a repeated one, two concurrent ones, one after either.
std::vector<WorkStep> late_steps(Random& random) {
  const auto bytes = [&] { return 512 + random.below(20'000); };
  const std::vector<int> all{0, 1, 2, 3};
  std::vector<WorkStep> steps{late_step(all, bytes(), Collective::kAllReduce, 4),
                              late_step({0, 1}, bytes(), Collective::kAllGather),
                              late_step({2, 3}, bytes(), Collective::kAllReduce),
                              late_step(all, bytes(), Collective::kAllToAll)};
  steps[0].specs[0].start_cycle = random.below(200);
  steps[1].after = steps[2].after = {{.step = 0}};
  steps[2].delay = random.below(100);
  steps[3].after = {{.step = 1}, {.step = 2, .all_ranks = true}};
  return steps;
}

RunResult run_late(const Topology& topology, const std::vector<WorkStep>& steps,
                   const Arrivals& arrivals, const FabricOptions& options = {}) {
  Simulation simulation;
  Machine machine("machine", topology, options);
  const WorkPlan work = plan_steps(topology, steps, OnConflict::kRefuse);
  RunResult result;
  simulation.run([&] { result = run_work(machine, work, {}, 0, arrivals); });
  EXPECT_EQ(result.payload, "exact");
  return result;
}

class LateWorks : public testing::TestWithParam<const char*> {};

TEST_P(LateWorks, OverheadIsAStartAndADelayOfEachStep) {
  const Topology topology = load_config(GetParam()).topology;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::vector<WorkStep> steps = late_steps(random);
    const Arrivals arrivals(kMicrosecondPs, {}, 1, topology.clock_hz);
    std::vector<WorkStep> delayed = steps;
    for (WorkStep& step : delayed) {
      step.delay += arrivals.lag(0, 0);
      if (step.after.empty()) step.specs[0].start_cycle += arrivals.lag(0, 0);
    }
    const RunResult late = run_late(topology, steps, arrivals);
    EXPECT_EQ(results_and_parts(late), results_and_parts(run_late(topology, delayed, {})));
    EXPECT_GT(late.cycles, run_late(topology, steps, {}).cycles + 5 * arrivals.lag(0, 0));
  }
}

TEST_P(LateWorks, SkewIsTheSameHoweverMuchIsSkipped) {
  const Topology topology = load_config(GetParam()).topology;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::vector<WorkStep> steps = late_steps(random);
    const Arrivals arrivals(0, {SkewKind::kNormal, kMicrosecondPs}, seed, topology.clock_hz);
    const auto all = [&](const FabricOptions& options) {
      return results_and_parts(run_late(topology, steps, arrivals, options));
    };
    const std::vector<std::string> skipped = all({});
    EXPECT_EQ(skipped, all({.skip = false}));
    EXPECT_EQ(skipped, all({.model = SwitchModel::kRtl}));
    const Arrivals others(0, {SkewKind::kNormal, kMicrosecondPs}, seed + 9, topology.clock_hz);
    EXPECT_NE(run_late(topology, steps, others).cycles, run_late(topology, steps, arrivals).cycles);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, LateWorks,
                         testing::Values("configs/mesh_2x2.yaml", "configs/fred_small.yaml"));

// A late rank delays all slices equally: one stands for all, as without lag.
TEST(LateArrivals, SlicesAreAlike) {
  std::vector<std::vector<std::string>> results;
  for (const char* slices : {"distinct", "all"}) {
    const Topology topology =
        load_config("configs/fred_small.yaml",
                    {"fabric.slices=3", std::string("fabric.simulate_slices=") + slices})
            .topology;
    const Arrivals arrivals(kMicrosecondPs, {SkewKind::kUniform, kMicrosecondPs}, 5,
                            topology.clock_hz);
    results.push_back(results_and_parts(run_late(
        topology, {late_step({0, 1, 2, 3}, 60'000, Collective::kAllReduce, 3)}, arrivals)));
  }
  EXPECT_EQ(results[0], results[1]);
}

// An all-reduce in the switches, whose sums wait for the last: it ends as much after the last
// arrival as it takes without skew.
TEST(LateArrivals, TheLastOneDecides) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  const std::vector<WorkStep> step{late_step({0, 1, 2, 3}, 512, Collective::kAllReduce)};
  const Arrivals arrivals(0, {SkewKind::kNormal, kMicrosecondPs}, 3, topology.clock_hz);
  const std::vector<std::uint64_t> lags = arrivals.lags(0, topology);
  const std::uint64_t last = std::ranges::max(lags);
  const std::uint64_t alone = run_late(topology, step, {}).cycles;
  EXPECT_NEAR(static_cast<double>(run_late(topology, step, arrivals).cycles),
              static_cast<double>(last + alone), 12);
  EXPECT_GT(last, alone);
}

// Sequential operations from an idle fabric, in every order of two lags: lags seen before are
// replayed, new ones are simulated.
TEST(LateArrivals, AReplayTakesEqualLags) {
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  const Arrivals arrivals(0, {SkewKind::kNormal, kMicrosecondPs}, 6, topology.clock_hz);
  const WorkPlan work = plan_steps(
      topology, {late_step({0, 1, 2, 3}, 9'000, Collective::kAllReduce)}, OnConflict::kRefuse);
  constexpr std::uint64_t kApart = 20'000;
  constexpr std::array<std::uint64_t, 10> kOrder{0, 0, 1, 1, 0, 0, 1, 0, 1, 1};
  const auto ends_of = [&](bool skips, std::uint64_t& replayed) {
    Simulation simulation;
    Machine machine("machine", topology, {.skip = skips});
    std::vector<std::uint64_t> ends;
    simulation.run([&] {
      Communicator communicator(machine);
      communicator.on_complete(
          [&](const OperationReport& report) { ends.push_back(report.ended % kApart); });
      communicator.begin();
      communicator.expect(work.batches[0].plan);
      communicator.skip_idle();
      communicator.start();
      for (std::uint64_t i = 0; i < kOrder.size(); ++i) {
        communicator.call_at(kApart * (i + 1), [&, i] {
          communicator.issue(work.batches[0].plan, {},
                             {.lags = arrivals.lags(kOrder[i], topology)});
        });
      }
      communicator.finish();
      replayed = communicator.replayed_cycles();
    });
    return ends;
  };
  std::uint64_t replayed = 0, none = 0;
  const std::vector<std::uint64_t> ends = ends_of(true, replayed);
  EXPECT_EQ(ends, ends_of(false, none));
  ASSERT_EQ(ends.size(), kOrder.size());
  EXPECT_NE(ends[1], ends[2]);
  EXPECT_GT(replayed, 0U);
  EXPECT_EQ(none, 0U);
}

}  // namespace
}  // namespace fredsim::test
