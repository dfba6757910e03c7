// SPDX-License-Identifier: Apache-2.0
// Routing of feasible flow sets: the bits implement the sums that the flows ask for.
#include "routing/fred_routing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "routing/random_flows.h"
#include "support/fred_interpreter.h"

namespace fredsim {
namespace {

using test::Expression;
using test::interpret;

std::uint32_t mask_of(const Expression& postfix) {
  std::uint32_t mask = 0;
  for (const int n : postfix)
    if (n >= 0) mask |= 1U << n;
  return mask;
}

void expect_flows_served(const FredSwitchShape& shape, const std::vector<Flow>& flows,
                         const FredRoute& route) {
  ASSERT_EQ(static_cast<int>(route.bits.size()), fred_config_bits(shape));
  ASSERT_EQ(route.order.size(), flows.size());
  std::uint32_t driven = 0;
  for (const Flow& flow : flows) driven |= flow.inputs;
  const std::vector<Expression> out = interpret(shape, route.bits, driven);
  std::vector<Expression> wanted(shape.ports);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    EXPECT_EQ(mask_of(route.order[f].postfix), flows[f].inputs);
    EXPECT_EQ(std::ssize(route.order[f].postfix), 2 * std::popcount(flows[f].inputs) - 1);
    for (int p = 0; p < shape.ports; ++p)
      if ((flows[f].outputs >> p & 1U) != 0) wanted[p] = route.order[f].postfix;
  }
  EXPECT_EQ(out, wanted);
}

// True if the set has a routing, which then is looked at.
bool route_and_check(const FredSwitchShape& shape, const std::vector<Flow>& flows) {
  try {
    expect_flows_served(shape, flows, route_flows(shape, flows));
    return true;
  } catch (const RoutingConflict&) {
    return false;
  }
}

TEST(FredRouting, ServesRandomFlowSetsOfEveryKind) {
  for (int middle = 2; middle <= 4; ++middle) {
    for (const FlowKind kind : all_flow_kinds()) {
      int routed = 0;
      for (int ports = 2; ports <= 32; ++ports) {
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
          Random random(seed);
          const int count = 1 + static_cast<int>(random.below(max_flows(kind, ports)));
          SCOPED_TRACE(fmt::format("Fred_{}({}), {} flows, {}, seed {}", middle, ports, count,
                                   to_string(kind), seed));
          routed +=
              route_and_check({ports, middle}, random_flows(random, kind, ports, count)) ? 1 : 0;
        }
      }
      EXPECT_GT(routed, 100) << "m = " << middle << ", " << to_string(kind);
    }
  }
}

// Flows of all kinds side by side: every port belongs to one of up to `most` flows on each side, or
// to none, which `idle` ports of 8 do on average.
std::vector<Flow> random_mix(Random& random, int ports, int max, std::uint64_t idle) {
  std::vector<Flow> flows(max);
  for (int p = 0; p < ports; ++p) {
    if (random.below(8) >= idle) flows[random.below(max)].inputs |= 1U << p;
    if (random.below(8) >= idle) flows[random.below(max)].outputs |= 1U << p;
  }
  std::erase_if(flows, [](const Flow& f) { return f.inputs == 0 || f.outputs == 0; });
  return flows;
}

TEST(FredRouting, ServesRandomFlowSetsOfMixedKinds) {
  for (int middle = 2; middle <= 4; ++middle) {
    for (int ports = 2; ports <= 32; ++ports) {
      int routed = 0;
      for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(fmt::format("Fred_{}({}) seed {}", middle, ports, seed));
        Random random(seed);
        const int max = 1 + static_cast<int>(random.below(ports));
        const std::uint64_t idle = random.below(7);
        routed += route_and_check({ports, middle}, random_mix(random, ports, max, idle)) ? 1 : 0;
      }
      EXPECT_GT(routed, 10) << "Fred_" << middle << "(" << ports << ")";
    }
  }
}

std::vector<Flow> permutation_flows(const std::vector<int>& to) {
  std::vector<Flow> flows;
  flows.reserve(to.size());
  for (std::size_t p = 0; p < to.size(); ++p) flows.push_back({1U << p, 1U << to[p]});
  return flows;
}

// Rearrangeably non-blocking for unicasts from m = 2 on (§5.3).
TEST(FredRouting, RoutesRandomPermutations) {
  for (int middle = 2; middle <= 4; ++middle) {
    for (int ports = 2; ports <= 32; ++ports) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(fmt::format("Fred_{}({}) seed {}", middle, ports, seed));
        Random random(seed);
        EXPECT_TRUE(route_and_check({ports, middle},
                                    random_flows(random, FlowKind::kUnicast, ports, ports)));
      }
    }
  }
}

TEST(FredRouting, RoutesEveryPermutationOfSmallSwitches) {
  for (int ports = 2; ports <= 6; ++ports) {
    std::vector<int> to(ports);
    std::iota(to.begin(), to.end(), 0);
    do {
      EXPECT_TRUE(route_and_check({ports, 2}, permutation_flows(to)))
          << fmt::format("{} ports, to {}", ports, fmt::join(to, ","));
    } while (std::ranges::next_permutation(to).found);
  }
}

TEST(FredRouting, OneFlowOverAllPorts) {
  for (int middle = 2; middle <= 4; ++middle) {
    for (int ports = 2; ports <= 32; ++ports) {
      SCOPED_TRACE(fmt::format("Fred_{}({})", middle, ports));
      const std::uint32_t all = ~0U >> (32 - ports);
      const std::vector<Flow> flows{{all, all}};
      const FredSwitchShape shape{ports, middle};
      expect_flows_served(shape, flows, route_flows(shape, flows));
    }
  }
}

TEST(FredRouting, OrderOfAdditionsIsTheTreeOfMicroSwitches) {
  constexpr int kAdd = SumOrder::kAdd;
  const std::vector<Flow> flows{{0b11111, 0b00001}};
  EXPECT_EQ(route_flows({5, 3}, flows).order[0].postfix,
            (std::vector<int>{0, 1, kAdd, 2, 3, kAdd, kAdd, 4, kAdd}));
  const std::vector<Flow> sparse{{0b1010010, 0b1}};
  EXPECT_EQ(route_flows({8, 2}, sparse).order[0].postfix, (std::vector<int>{1, 4, 6, kAdd, kAdd}));
}

TEST(FredRouting, LevelsReadFromTheOutside) {
  const std::vector<Flow> flows{{0b0001, 0b0100}, {0b0010, 0b1000}, {0b1100, 0b0011}};
  const FredRoute route = route_flows({4, 2}, flows);
  ASSERT_EQ(route.levels.size(), 3U);
  const RouteLevel& outer = route.levels[0];
  EXPECT_EQ(outer.ports, 4);
  EXPECT_TRUE(outer.path.empty());
  EXPECT_EQ(outer.flows, (std::vector<int>{0, 1, 2}));
  ASSERT_EQ(outer.colours.size(), 3U);
  EXPECT_NE(outer.colours[0], outer.colours[1]);
  for (int j = 0; j < 2; ++j) {
    const RouteLevel& base = route.levels[j + 1];
    EXPECT_EQ(base.depth, 1);
    EXPECT_EQ(base.path, std::vector<int>{j});
    EXPECT_EQ(base.ports, 2);
    EXPECT_TRUE(base.colours.empty());
    for (const int f : base.flows) EXPECT_EQ(outer.colours[f], j);
  }
}

TEST(FredRouting, NoFlowsNoBits) {
  const FredRoute route = route_flows({12, 3}, {});
  EXPECT_EQ(std::ranges::count(route.bits, true), 0);
  EXPECT_TRUE(route.levels.empty());
}

TEST(FredRouting, SizesOfTheWafersChiplets) {
  EXPECT_EQ(fred_stages(2), 1);
  EXPECT_EQ(fred_stages(3), 3);
  EXPECT_EQ(fred_stages(12), 7);
  EXPECT_EQ(fred_stages(32), 9);
  // Adders of two stages; levels of D-µSwitches share stages by threes.
  EXPECT_EQ(fred_stages(2, 2), 2);
  EXPECT_EQ(fred_stages(3, 2), 5);
  EXPECT_EQ(fred_stages(12, 2), 9);
  EXPECT_EQ(fred_stages(32, 2), 12);
  EXPECT_EQ(fred_levels(2), 0);
  EXPECT_EQ(fred_levels(12), 3);
  EXPECT_EQ(fred_config_bits({2, 3}), 4);
  EXPECT_EQ(fred_config_bits({3, 3}), 6 + 2 + 12 + 4 + 2);
  EXPECT_EQ(fred_config_bits({6, 3}), 18 + 3 * 26 + 12);
  EXPECT_EQ(fred_config_bits({12, 3}), 36 + 3 * 108 + 24);
}

TEST(FredRouting, RejectsWhatIsNotAFlowSet) {
  const auto route = [](const FredSwitchShape& shape, const std::vector<Flow>& flows) {
    route_flows(shape, flows);
  };
  EXPECT_THROW(route({1, 2}, {}), BadInput);
  EXPECT_THROW(route({33, 2}, {}), BadInput);
  EXPECT_THROW(route({8, 1}, {}), BadInput);
  EXPECT_THROW(route({8, 5}, {}), BadInput);
  EXPECT_THROW(route({8, 2}, {{0, 1}}), BadInput);
  EXPECT_THROW(route({8, 2}, {{1, 0}}), BadInput);
  EXPECT_THROW(route({8, 2}, {{1U << 8, 1}}), BadInput);
  EXPECT_THROW(route({8, 2}, {{1, 1}, {1, 2}}), BadInput);
  EXPECT_THROW(route({8, 2}, {{1, 1}, {2, 1}}), BadInput);
  EXPECT_NO_THROW(route({32, 4}, {{1U << 31, 1U << 31}}));
}

}  // namespace
}  // namespace fredsim
