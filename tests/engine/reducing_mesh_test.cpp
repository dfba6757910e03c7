// SPDX-License-Identifier: Apache-2.0
// Meshes whose routers add and multicast: any collectives on random sets of groups, at once and on
// all priorities, run to their end with exact payload, the same in every implementation.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/comparable_results.h"
#include "support/random_work.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

// Routers of the size that is Verilated.
Topology reducing_mesh(int width, int height, const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings{fmt::format("fabric.width={}", width),
                                    fmt::format("fabric.height={}", height),
                                    fmt::format("npu.count={}", width * height), "io.count=0"};
  settings.insert(settings.end(), more.begin(), more.end());
  return load_config("configs/mesh_reducing.yaml", settings).topology;
}

void expect_reduced(const Plan& plan, const RunResult& r) {
  EXPECT_EQ(r.payload, "exact");
  EXPECT_GE(r.time_ns, r.bound_ns);
  ASSERT_EQ(r.parts.size(), plan.parts.size());
}

class RandomGroupSets : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomGroupSets, EndAndAreExactOnTwins) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Random random(GetParam());
  const int width = 2 + static_cast<int>(random.below(5));
  const int height = 1 + static_cast<int>(random.below(5));
  const Topology topology =
      reducing_mesh(width, height,
                    {fmt::format("fabric.link_bandwidth={} GB/s", 100 + random.below(668)),
                     fmt::format("fabric.link_latency={} ns", 1 + random.below(40)),
                     fmt::format("switch.input_buffer={} KiB", random.below(2) == 0 ? 4 : 40)});
  Simulation simulation;
  Machine tlm("tlm", topology, {});
  simulation.run([&] {
    for (int run = 0; run < 3; ++run) {
      const Plan plan = make_plan(topology, random_work(random, width * height, 8, 60'000),
                                  random.below(2) == 0 ? OnConflict::kLater : OnConflict::kUnicast);
      expect_reduced(plan, run_plan(tlm, plan));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGroupSets, testing::Range<std::uint64_t>(1, 61));

class RandomGroupSetsInLockstep : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomGroupSetsInLockstep, AreTheSame) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Random random(GetParam());
  const int width = 2 + static_cast<int>(random.below(2));
  const int height = 1 + static_cast<int>(random.below(3));
  const Topology topology = reducing_mesh(
      width, height, {fmt::format("fabric.link_latency={} ns", 1 + random.below(40))});
  Simulation simulation;
  Machine tlm("tlm", topology, {});
  Machine lockstep("lockstep", topology, {.model = SwitchModel::kLockstep});
  simulation.run([&] {
    for (int run = 0; run < 2; ++run) {
      const Plan plan =
          make_plan(topology, random_work(random, width * height, 5, 20'000), OnConflict::kLater);
      const RunResult r = run_plan(tlm, plan);
      expect_reduced(plan, r);
      EXPECT_EQ(comparable_results(r), comparable_results(run_plan(lockstep, plan)));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGroupSetsInLockstep, testing::Range<std::uint64_t>(1, 13));

// However long the path through the tree, links set the pace: twice the data takes no more time
// than the links need for it.
TEST(ReducingMeshRate, IsThatOfTheLinksOnALongRow) {
  constexpr int kNpus = 24;
  const Topology topology = reducing_mesh(kNpus, 1);
  std::vector<int> all(kNpus);
  std::iota(all.begin(), all.end(), 0);
  Simulation simulation;
  Machine tlm("tlm", topology, {});
  simulation.run([&] {
    std::vector<RunResult> results;
    for (const std::uint64_t bytes : {1U << 20, 2U << 20}) {
      const Plan plan = make_plan(topology, Collective::kAllReduce, all, bytes, "in_switch");
      results.push_back(run_plan(tlm, plan));
      expect_reduced(plan, results.back());
    }
    EXPECT_LT(results[1].time_ns - results[0].time_ns,
              1.01 * (results[1].bound_ns - results[0].bound_ns));
  });
}

}  // namespace
}  // namespace fredsim::test
