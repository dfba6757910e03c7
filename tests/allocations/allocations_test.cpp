// SPDX-License-Identifier: Apache-2.0
// Allocation tests: in steady state no flit, packet or cycle allocates memory, and a complete
// operation leaves none behind. Every operator new and delete of this program is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <numeric>

#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "engine/work_run.h"
#include "support/simulation.h"
#include "systems/make_plan.h"
#include "traffic/traffic_run.h"

namespace {

std::uint64_t allocations = 0;
std::uint64_t blocks = 0;  // blocks in use

void* counted(std::size_t bytes, std::size_t alignment) noexcept {
  ++allocations;
  ++blocks;
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void freed(void* memory) noexcept {
  if (memory != nullptr) --blocks;
  std::free(memory);
}

void* made(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return made(counted(bytes, alignof(std::max_align_t))); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return made(counted(bytes, static_cast<std::size_t>(alignment)));
}
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return counted(bytes, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept { freed(memory); }
void operator delete(void* memory, std::size_t) noexcept { freed(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { freed(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { freed(memory); }

namespace fredsim::test {
namespace {

constexpr int kCycles = 10'000;

Topology machine(const std::string& name) {
  return load_config("configs/" + name + ".yaml").topology;
}

TEST(Allocations, AreCounted) {
  const std::uint64_t before = allocations;
  const std::vector<int> some(100);
  EXPECT_GT(allocations, before);
  EXPECT_EQ(some.size(), 100U);
}

struct Load {
  const char* config;
  double rate;
  int packet_flits;
};

void PrintTo(const Load& load, std::ostream* out) {
  *out << load.config << " at " << load.rate << ", packets of " << load.packet_flits;
}

class SteadyTraffic : public testing::TestWithParam<Load> {};

TEST_P(SteadyTraffic, AllocatesNothing) {
  const Topology topology = machine(GetParam().config);
  const TrafficOptions options{.packet_flits = GetParam().packet_flits, .warmup_cycles = 0};
  TrafficRun run(topology, options, factory_for({}));
  run.start(GetParam().rate);
  for (int cycle = 0; cycle < 1000; ++cycle) run.tick();
  std::uint64_t flits = 0;
  for (int l = 0; l < std::ssize(topology.links); ++l) flits += run.core().count(l).flits;
  const std::uint64_t before = allocations;
  for (int cycle = 0; cycle < kCycles; ++cycle) run.tick();
  EXPECT_EQ(allocations - before, 0U);
  for (int l = 0; l < std::ssize(topology.links); ++l) flits -= run.core().count(l).flits;
  EXPECT_GT(-flits, 10'000U) << "flits have moved";
}

// The second mesh is saturated: queues at the sources grow all the time.
INSTANTIATE_TEST_SUITE_P(Loads, SteadyTraffic,
                         testing::Values(Load{"mesh", 0.4, 1}, Load{"mesh", 0.8, 8},
                                         Load{"fred_d", 1, 1}, Load{"fred_d", 2, 8}));

// Allocations are read at every progress report, every 4096 cycles; the intervals before the first
// and after the last report are not steady state.
TEST(SteadyCollective, InFredSwitchesAllocatesNothing) {
  const Topology topology = machine("fred_d");
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  const Plan plan = make_plan(topology, Collective::kAllReduce, group, 32 << 20, "auto");
  Simulation simulation;
  Machine all_reduce("machine", topology, {.skip = false});
  std::vector<std::uint64_t> seen;
  seen.reserve(1000);
  simulation.run(
      [&] { run_plan(all_reduce, plan, [&](const Progress&) { seen.push_back(allocations); }); });
  ASSERT_GT(seen.size(), 3U);
  EXPECT_EQ(seen.back() - seen.front(), 0U);
}

// Two thousand operations of a work, some of which reuse the rows of earlier ones: the number of
// heap blocks never grows in the second half.
TEST(Operations, LeaveNothingOnTheHeap) {
  const Topology topology = machine("fred_small");
  std::vector<WorkStep> steps;
  for (const std::vector<int>& group : {std::vector{0, 1, 2, 3}, {0, 2}, {1, 3}}) {
    WorkStep& step = steps.emplace_back();
    CollectiveSpec& spec = step.specs.emplace_back();
    spec.group = group;
    spec.bytes = 4096;
    spec.vc = kMp;
    step.repeat = steps.size() == 1 ? 2000 : 1000;
  }
  const WorkPlan work = plan_steps(topology, steps, OnConflict::kRefuse);
  for (const int rows : {0, 2}) {
    Simulation simulation;
    Machine run("machine", topology, {.skip = false});
    std::vector<std::uint64_t> seen;
    seen.reserve(10'000);
    RunResult result;
    simulation.run([&] {
      result = run_work(
          run, work, [&](const Progress&) { seen.push_back(blocks); }, rows);
    });
    ASSERT_TRUE(result.operations.has_value());
    EXPECT_EQ(result.operations->complete, 4000U);
    ASSERT_GT(seen.size(), 20U);
    const auto middle = seen.begin() + std::ssize(seen) / 2;
    EXPECT_LE(*std::max_element(middle, seen.end()), *std::max_element(seen.begin(), middle));
  }
}

}  // namespace
}  // namespace fredsim::test
