// Routing of flow sets that exist: what the bits make of the operands is what the flows ask for.
#include "routing/fred_routing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/random.h"
#include "fred_interpreter.h"

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

// Flows over random disjoint ports; `kinds` of them at most, `idle` of 8 ports left out on average.
std::vector<Flow> random_flows(Random& random, int ports, int kinds, int idle) {
  std::vector<Flow> slots(kinds);
  for (int p = 0; p < ports; ++p) {
    if (static_cast<int>(random.below(8)) >= idle) slots[random.below(kinds)].inputs |= 1U << p;
    if (static_cast<int>(random.below(8)) >= idle) slots[random.below(kinds)].outputs |= 1U << p;
  }
  std::vector<Flow> flows;
  for (const Flow& flow : slots)
    if (flow.inputs != 0 && flow.outputs != 0) flows.push_back(flow);
  return flows;
}

TEST(FredRouting, ServesRandomFlowSets) {
  for (int middle = 2; middle <= 4; ++middle) {
    for (int ports = 2; ports <= 32; ++ports) {
      const FredSwitchShape shape{ports, middle};
      int routed = 0;
      for (std::uint64_t trial = 0; trial < 60; ++trial) {
        const std::uint64_t seed = trial * 1000 + static_cast<std::uint64_t>(ports * 10 + middle);
        SCOPED_TRACE(fmt::format("Fred_{}({}) seed {}", middle, ports, seed));
        Random random(seed);
        const int kinds = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(ports)));
        const std::vector<Flow> flows =
            random_flows(random, ports, kinds, static_cast<int>(random.below(7)));
        try {
          expect_flows_served(shape, flows, route_flows(shape, flows));
          ++routed;
        } catch (const RoutingConflict&) {
        }
      }
      EXPECT_GT(routed, 10) << "Fred_" << middle << "(" << ports << ")";
    }
  }
}

// Rearrangeably non-blocking for unicasts from m = 2 on (§5.3).
TEST(FredRouting, RoutesEveryPermutation) {
  for (int middle = 2; middle <= 4; ++middle) {
    for (int ports = 2; ports <= 32; ++ports) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(fmt::format("Fred_{}({}) seed {}", middle, ports, seed));
        Random random(seed);
        std::vector<int> to(ports);
        for (int p = 0; p < ports; ++p) to[p] = p;
        for (int p = ports - 1; p > 0; --p)
          std::swap(to[p], to[random.below(static_cast<std::uint64_t>(p) + 1)]);
        std::vector<Flow> flows;
        flows.reserve(ports);
        for (int p = 0; p < ports; ++p) flows.push_back({1U << p, 1U << to[p]});
        const FredSwitchShape shape{ports, middle};
        expect_flows_served(shape, flows, route_flows(shape, flows));
      }
    }
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
