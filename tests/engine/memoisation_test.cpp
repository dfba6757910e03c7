// SPDX-License-Identifier: Apache-2.0
// Operations that are left out because they repeat the trajectory of earlier ones: everything is as
// in a run in full.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "engine/work_run.h"
#include "support/comparable_results.h"
#include "support/simulation.h"

namespace fredsim::test {
namespace {

std::vector<std::string> all_results(const RunResult& result) {
  std::vector<std::string> lines = comparable_results(result);
  for (const PartResult& part : result.parts)
    lines.push_back(fmt::format("part {}: {} operations, from {}, {} cycles", part.name,
                                part.operations, part.start_cycle, part.cycles));
  const OperationsResult& operations = *result.operations;
  lines.push_back(fmt::format(
      "{} complete, {} bytes, rows {} loaded, {} found, {} evicted, {} words, waited {} and {}",
      operations.complete, result.delivered_bytes, operations.rows.loaded, operations.rows.found,
      operations.rows.evicted, operations.rows.words_written, operations.waited_for_rows,
      operations.waited_for_others));
  return lines;
}

const std::array kMachines{"mesh_2x2", "fred_small", "torus", "mesh_reducing"};

WorkStep random_work_step(Random& random, int npus, int before) {
  constexpr std::array kCollectives{Collective::kAllReduce, Collective::kReduceScatter,
                                    Collective::kAllGather, Collective::kBroadcast,
                                    Collective::kAllToAll};
  WorkStep step{.name = fmt::format("step {}", before), .specs = {}, .after = {}};
  CollectiveSpec& spec = step.specs.emplace_back();
  spec.collective = kCollectives[random.below(kCollectives.size())];
  spec.group.resize(static_cast<std::size_t>(npus));
  std::iota(spec.group.begin(), spec.group.end(), 0);
  for (std::size_t i = spec.group.size(); i > 1; --i)
    std::swap(spec.group[i - 1], spec.group[random.below(i)]);
  spec.group.resize(2 + random.below(std::min<std::size_t>(spec.group.size(), 6) - 1));
  spec.bytes = 1 + random.below(20'000);
  spec.vc = std::array{kMp, kPp, kDp}[random.below(3)];
  step.repeat = random.below(3) == 0 ? 1 + random.below(5) : 20 + random.below(30);
  step.delay = random.below(2) * random.below(400);
  if (before > 0 && random.below(3) != 0)
    step.after.push_back({.step = static_cast<int>(random.below(static_cast<std::size_t>(before))),
                          .all_ranks = random.below(2) == 0});
  return step;
}

// Minimum with which an operation of the work can do.
int fewest_rows(const WorkPlan& work) {
  std::size_t rows = 1;
  for (const WorkPlan::Batch& batch : work.batches) rows = std::max(rows, batch.plan->rows.size());
  return static_cast<int>(rows);
}

class Repeating : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Repeating, GivesWhatARunInFullGives) {
  constexpr std::uint64_t kWorks = 4;
  int replayed = 0, written_over = 0;
  for (const char* const name : kMachines) {
    Simulation simulation;
    const Topology topology = load_config(fmt::format("configs/{}.yaml", name)).topology;
    const int npus = static_cast<int>(topology.npus.size());
    Machine skips("skips", topology, {});
    Machine full("full", topology, {.skip = false});
    simulation.run([&] {
      for (std::uint64_t seed = kWorks * GetParam(); seed < kWorks * (GetParam() + 1); ++seed) {
        SCOPED_TRACE(fmt::format("{}, seed {}", name, seed));
        Random random(seed);
        std::vector<WorkStep> steps;
        for (std::uint64_t n = 1 + random.below(3); n > 0; --n)
          steps.push_back(random_work_step(random, npus, static_cast<int>(steps.size())));
        const WorkPlan work = plan_steps(topology, steps, OnConflict::kUnicast);
        const int rows = seed % 2 == 0 ? 0 : fewest_rows(work);
        const RunResult complete = run_work(full, work, {}, rows);
        const RunResult skipped = run_work(skips, work, {}, rows);
        EXPECT_EQ(all_results(skipped), all_results(complete));
        written_over += complete.operations->rows.evicted > 0 ? 1 : 0;
        EXPECT_EQ(complete.repeated_cycles, 0U);
        replayed += skipped.repeated_cycles > 0 ? 1 : 0;
      }
    });
  }
  EXPECT_GE(replayed, static_cast<int>(kWorks));  // a quarter of all works
  RecordProperty("works_with_rows_written_over", written_over);
}

INSTANTIATE_TEST_SUITE_P(Works, Repeating, testing::Range<std::uint64_t>(0, 10));

// Few of a hundred thousand operations are simulated.
TEST(Memoisation, ManyAreSimulatedAsFew) {
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  WorkStep step{.name = "step", .specs = {}, .after = {}};
  CollectiveSpec& spec = step.specs.emplace_back();
  spec.group = {0, 1, 2, 3};
  spec.bytes = 10'000;
  spec.algorithm = "direct";
  step.repeat = 100'000;
  Simulation simulation;
  Machine machine("machine", topology, {});
  simulation.run([&] {
    const RunResult result = run_work(machine, plan_steps(topology, {step}, OnConflict::kRefuse));
    EXPECT_EQ(result.payload, "exact");
    EXPECT_EQ(result.operations->complete, 100'000U);
    EXPECT_EQ(result.delivered_bytes, 4'000'000'000U);
    EXPECT_LT(result.cycles - result.repeated_cycles, 100'000U);
  });
}

// Sources with a packet schedule keep it in replayed operations, too.
TEST(Memoisation, PacedOperationsGiveWhatARunInFullGives) {
  constexpr std::array kPaced{Collective::kAllReduce, Collective::kReduceScatter,
                              Collective::kAllGather, Collective::kBroadcast};
  int replayed = 0, paced = 0;
  Simulation simulation;
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  const int npus = static_cast<int>(topology.npus.size());
  Machine skips("skips", topology, {});
  Machine full("full", topology, {.skip = false});
  simulation.run([&] {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(fmt::format("seed {}", seed));
      Random random(seed);
      std::vector<WorkStep> steps;
      for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
        WorkStep& step =
            steps.emplace_back(random_work_step(random, npus, static_cast<int>(steps.size())));
        CollectiveSpec& spec = step.specs.front();
        spec.collective = kPaced[random.below(kPaced.size())];
        spec.group.resize(static_cast<std::size_t>(npus));
        std::iota(spec.group.begin(), spec.group.end(), 0);
        spec.bytes = 4'000'000 + random.below(2'000'000);
        spec.order = PacketOrder::kPaced;
        step.repeat = 3 + random.below(3);
      }
      const WorkPlan work = plan_steps(topology, steps, OnConflict::kUnicast);
      for (const WorkPlan::Batch& batch : work.batches)
        paced += batch.plan->plan.parts.front().frame != 0 ? 1 : 0;
      const RunResult complete = run_work(full, work);
      const RunResult skipped = run_work(skips, work);
      EXPECT_EQ(all_results(skipped), all_results(complete));
      replayed += skipped.repeated_cycles > 0 ? 1 : 0;
    }
  });
  EXPECT_GE(replayed, 6);
  EXPECT_GE(paced, 6);
}

// A run that ends inside a replay ends where a run in full does.
TEST(Memoisation, ATimeOutFindsTheMachineWhereItWouldBe) {
  struct Case {
    const char* machine;
    std::uint64_t bytes;
    PacketOrder order;
  };
  for (const auto& [name, bytes, order] : {Case{"mesh_2x2", 50'000, PacketOrder::kAuto},
                                           Case{"mesh_2x2", 3'000'000, PacketOrder::kPaced},
                                           Case{"fred_small", 50'000, PacketOrder::kAuto}}) {
    const Topology topology = load_config(fmt::format("configs/{}.yaml", name)).topology;
    WorkStep step{.name = "step", .specs = {}, .after = {}};
    CollectiveSpec& spec = step.specs.emplace_back();
    spec.group = {0, 1, 2, 3};
    spec.bytes = bytes;
    spec.order = order;
    step.repeat = 1000;
    const auto text = [&](bool skip) {
      Simulation simulation;
      Machine machine("machine", topology, {.timeout_cycles = 50'007, .skip = skip});
      const WorkPlan work = plan_steps(topology, {step}, OnConflict::kRefuse);
      return message_of<RunFailed>([&] { simulation.run([&] { run_work(machine, work); }); });
    };
    EXPECT_NE(text(true).find("time-out after 50007 cycles"), std::string::npos);
    EXPECT_EQ(text(true), text(false));
  }
}

}  // namespace
}  // namespace fredsim::test
