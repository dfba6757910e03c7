// SPDX-License-Identifier: Apache-2.0
// Cost of the search for a colouring, in steps, so that no flow set keeps a user waiting.
#include "routing/detail/flow_colouring.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "base/random.h"
#include "routing/random_flows.h"

namespace fredsim {
namespace {

struct Search {
  bool routable = false;
  int reason = 0;  // flows in it
  std::uint64_t steps = 0;
};

Search search(const FredSwitchShape& shape, const std::vector<Flow>& flows) {
  FlowColouring colouring(shape, flows, coloured_levels(shape.ports));
  const FlowSet reason = colouring.conflict(0, ~0U >> (32 - flows.size()));
  return {reason == 0, std::popcount(reason), colouring.steps()};
}

TEST(FlowColouring, FullSizePermutationsTakeAFewStepsPerFlow) {
  std::uint64_t worst = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Search result = search({32, 2}, random_flows(random, FlowKind::kUnicast, 32, 32));
    EXPECT_TRUE(result.routable) << "seed " << seed;
    worst = std::max(worst, result.steps);
  }
  fmt::print("32 unicasts on Fred_2(32): {} steps at most\n", worst);
  EXPECT_LT(worst, 4000U);
}

TEST(FlowColouring, RandomSetsOnAFullSizeSwitchAreCheap) {
  for (const FlowKind kind : all_flow_kinds()) {
    for (int middle = 2; middle <= 4; ++middle) {
      std::uint64_t worst = 0;
      for (int count = 1; count <= max_flows(kind, 32); ++count) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
          Random random(seed);
          const Search result = search({32, middle}, random_flows(random, kind, 32, count));
          worst = std::max(worst, result.steps);
        }
      }
      fmt::print("{} on Fred_{}(32): {} steps at most\n", to_string(kind), middle, worst);
      EXPECT_LT(worst, 4000U) << to_string(kind) << " " << middle;
    }
  }
}

// A flow set evolved to be hard: four flows conflict pairwise (in the reason below), and the
// constraints lead a search from the outside through all others first. Without restarts it takes
// millions of steps.
TEST(FlowColouring, AHiddenCliqueIsFound) {
  const std::vector<Flow> flows{
      {0x80000000, 0x40000}, {0x8000100, 0x2000000},  {0x10040000, 0x5},
      {0x80000, 0x4000000},  {0x10000, 0x2000},       {0x80, 0x80},
      {0x800, 0x800000},     {0x1000000, 0x20000000}, {0x200000, 0x10000000},
      {0x400000, 0x4200},    {0x2000000, 0x200000},   {0x20000, 0x2},
      {0x100000, 0x10},      {0x400, 0x40000000},     {0x20, 0x1000800},
      {0x4000004, 0x400},    {0x8000, 0x40},          {0x2, 0x10008},
      {0x1, 0x81000},        {0x20000000, 0x8000000}, {0x4000, 0x80000000},
      {0x1000, 0x20},        {0x40000000, 0x400000},  {0x218, 0x100000},
      {0x2000, 0x8000},      {0x800040, 0x100}};
  const Search result = search({32, 3}, flows);
  EXPECT_FALSE(result.routable);
  EXPECT_EQ(result.reason, 4);
  EXPECT_LT(result.steps, 2000U);
}

// Sets bred to be hard, from random ones: a change stays where it does not make the search shorter.
TEST(FlowColouring, BredSetsStayAffordable) {
  constexpr int kPorts = 32;
  std::uint64_t worst = 0;
  for (int middle = 2; middle <= 3; ++middle) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Random random(seed);
      const std::uint64_t slots = 20 + random.below(13);
      // Flow of each input port, then of each output port.
      std::vector<std::uint64_t> owner(2 * kPorts);
      for (std::uint64_t& flow : owner) flow = random.below(slots);
      std::uint64_t steps = 0;
      for (int round = 0; round < 400; ++round) {
        std::vector<std::uint64_t> changed = owner;
        for (int n = 0; n < 2; ++n) changed[random.below(changed.size())] = random.below(slots);
        std::swap(changed[random.below(kPorts)], changed[random.below(kPorts)]);
        std::vector<Flow> flows(slots);
        for (int p = 0; p < kPorts; ++p) {
          flows[changed[p]].inputs |= 1U << p;
          flows[changed[kPorts + p]].outputs |= 1U << p;
        }
        std::erase_if(flows, [](const Flow& f) { return f.inputs == 0 || f.outputs == 0; });
        const std::uint64_t cost = search({kPorts, middle}, flows).steps;
        if (cost < steps) continue;
        steps = cost;
        owner = changed;
      }
      worst = std::max(worst, steps);
    }
  }
  fmt::print("bred sets: {} steps at most\n", worst);
  EXPECT_LT(worst, 20'000U);
}

}  // namespace
}  // namespace fredsim
