// SPDX-License-Identifier: Apache-2.0
// Conflicts: reported where, and only where, no colouring of all levels exists.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/error.h"
#include "base/random.h"
#include "routing/detail/flow_colouring.h"
#include "routing/fred_routing.h"
#include "routing/random_flows.h"
#include "support/fred_interpreter.h"

namespace fredsim {
namespace {

// The definition of §5 taken literally: try every colouring of this level, and for each of them
// route every sub-network on its own. No memory, no pruning beyond the µSwitch rule.
// `retries` counts the colourings that were right at their level and failed further in.
bool routing_exists(int ports, int middle, const std::vector<Flow>& flows, int& retries) {
  if (ports == 2) return true;
  const int pairs = ports / 2;
  std::vector<int> colour(flows.size(), 0);
  const std::function<bool(std::size_t)> choose = [&](std::size_t f) -> bool {
    if (f == flows.size()) {
      for (int j = 0; j < middle; ++j) {
        std::vector<Flow> inner;
        for (std::size_t g = 0; g < flows.size(); ++g) {
          if (colour[g] != j) continue;
          Flow flow;
          for (int p = 0; p < ports; ++p) {
            const int port = p < 2 * pairs ? p / 2 : pairs;
            if ((flows[g].inputs >> p & 1U) != 0) flow.inputs |= 1U << port;
            if ((flows[g].outputs >> p & 1U) != 0) flow.outputs |= 1U << port;
          }
          inner.push_back(flow);
        }
        if (!routing_exists(ports - pairs, middle, inner, retries)) {
          ++retries;
          return false;
        }
      }
      return true;
    }
    for (int j = 0; j < middle; ++j) {
      bool free = true;
      for (std::size_t g = 0; g < f && free; ++g) {
        if (colour[g] != j) continue;
        for (int i = 0; i < pairs; ++i) {
          const std::uint32_t pair = 3U << (2 * i);
          if (((flows[f].inputs & pair) != 0 && (flows[g].inputs & pair) != 0) ||
              ((flows[f].outputs & pair) != 0 && (flows[g].outputs & pair) != 0))
            free = false;
        }
      }
      colour[f] = j;
      if (free && choose(f + 1)) return true;
    }
    return false;
  };
  return choose(0);
}

bool routing_exists(int ports, int middle, const std::vector<Flow>& flows) {
  int retries = 0;
  return routing_exists(ports, middle, flows, retries);
}

// The message of the conflict; none where a routing was found.
std::optional<std::string> conflict(const FredSwitchShape& shape, const std::vector<Flow>& flows) {
  try {
    route_flows(shape, flows);
    return std::nullopt;
  } catch (const RoutingConflict& e) {
    return e.what();
  }
}

std::string describe(const std::vector<Flow>& flows) {
  std::string text;
  for (const Flow& flow : flows) text += fmt::format("{:b}:{:b} ", flow.inputs, flow.outputs);
  return text;
}

// Flows in a form that counts every set once: input port p opens at most one new flow.
void for_all_flow_sets(int ports, const std::function<void(const std::vector<Flow>&)>& visit) {
  std::vector<Flow> flows;
  const std::function<void(int)> outputs = [&](int p) {
    if (p == ports) {
      for (const Flow& flow : flows)
        if (flow.outputs == 0) return;
      visit(flows);
      return;
    }
    outputs(p + 1);
    for (Flow& flow : flows) {
      flow.outputs |= 1U << p;
      outputs(p + 1);
      flow.outputs &= ~(1U << p);
    }
  };
  const std::function<void(int)> inputs = [&](int p) {
    if (p == ports) {
      outputs(0);
      return;
    }
    inputs(p + 1);
    // NOLINTNEXTLINE(modernize-loop-convert): inputs() adds and removes flows, which may move them
    for (std::size_t f = 0; f < flows.size(); ++f) {
      flows[f].inputs |= 1U << p;
      inputs(p + 1);
      flows[f].inputs &= ~(1U << p);
    }
    flows.push_back({1U << p, 0});
    inputs(p + 1);
    flows.pop_back();
  };
  inputs(0);
}

TEST(FredConflict, ExhaustiveOnSmallSwitches) {
  for (int middle = 2; middle <= 3; ++middle) {
    for (int ports = 2; ports <= 5; ++ports) {
      int sets = 0;
      int conflicts = 0;
      for_all_flow_sets(ports, [&](const std::vector<Flow>& flows) {
        const bool refused = conflict({ports, middle}, flows).has_value();
        ASSERT_EQ(refused, !routing_exists(ports, middle, flows))
            << "Fred_" << middle << "(" << ports << ") " << describe(flows);
        ++sets;
        conflicts += refused;
      });
      EXPECT_GT(sets, 0);
      EXPECT_EQ(conflicts > 0, middle == 2 && ports >= 4) << ports;
    }
  }
}

TEST(FredConflict, RandomOnMiddlingSwitches) {
  int inner_conflicts = 0;
  for (int middle = 2; middle <= 3; ++middle) {
    for (int ports = 6; ports <= 10; ++ports) {
      int conflicts = 0;
      for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        Random random(seed);
        std::vector<Flow> slots(2 + random.below(5));
        for (int p = 0; p < ports; ++p) {
          slots[random.below(slots.size())].inputs |= 1U << p;
          slots[random.below(slots.size())].outputs |= 1U << p;
        }
        std::vector<Flow> flows;
        for (const Flow& flow : slots)
          if (flow.inputs != 0 && flow.outputs != 0) flows.push_back(flow);
        const std::optional<std::string> found = conflict({ports, middle}, flows);
        ASSERT_EQ(found.has_value(), !routing_exists(ports, middle, flows))
            << "Fred_" << middle << "(" << ports << ") seed " << seed << ": " << describe(flows);
        conflicts += found.has_value();
        if (found && found->find("at level 0") == std::string::npos) ++inner_conflicts;
      }
      EXPECT_GT(conflicts, 0);
      EXPECT_LT(conflicts, 1500);
    }
  }
  EXPECT_GT(inner_conflicts, 0);  // or the search across levels was not put to the test
}

TEST(FredConflict, EveryKindOnSmallSwitches) {
  for (const FlowKind kind : all_flow_kinds()) {
    int conflicts = 0;
    for (int middle = 2; middle <= 3; ++middle) {
      for (int ports = 2; ports <= 8; ++ports) {
        for (int count = 1; count <= max_flows(kind, ports); ++count) {
          for (std::uint64_t seed = 0; seed < 40; ++seed) {
            Random random(seed);
            const std::vector<Flow> flows = random_flows(random, kind, ports, count);
            const bool exists = routing_exists(ports, middle, flows);
            ASSERT_EQ(has_routing({ports, middle}, flows), exists)
                << fmt::format("Fred_{}({}), {} seed {}: ", middle, ports, to_string(kind), seed)
                << describe(flows);
            ASSERT_EQ(conflict({ports, middle}, flows).has_value(), !exists);
            conflicts += exists ? 0 : 1;
          }
        }
      }
    }
    // Unicasts always have a routing.
    EXPECT_EQ(conflicts > 0, kind != FlowKind::kUnicast) << to_string(kind);
  }
}

// The flows that a conflict names: none of them can be left out, and at the levels outside of the
// one that is named they could be coloured.
TEST(FredConflict, NamesAMinimalSet) {
  int conflicts = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const FredSwitchShape shape{5 + static_cast<int>(random.below(12)), 2};
    const std::vector<Flow> flows = random_flows(
        random, FlowKind::kAny, shape.ports, 3 + static_cast<int>(random.below(shape.ports - 2)));
    try {
      route_flows(shape, flows);
    } catch (const FlowConflict& error) {
      ++conflicts;
      std::vector<Flow> named;
      for (const int f : error.conflict().flows) named.push_back(flows[f]);
      EXPECT_FALSE(has_routing(shape, named)) << seed;
      for (std::size_t leave_out = 0; leave_out < named.size(); ++leave_out) {
        std::vector<Flow> fewer = named;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(leave_out));
        EXPECT_TRUE(has_routing(shape, fewer)) << seed;
      }
      const int level = error.conflict().level;
      const FlowSet all = ~0U >> (32 - named.size());
      EXPECT_TRUE(FlowColouring(shape, named, level).routable(0, all)) << seed;
      EXPECT_FALSE(FlowColouring(shape, named, level + 1).routable(0, all)) << seed;
    }
  }
  EXPECT_GT(conflicts, 100);
}

// Small flows, many of them free of each other: an outer colouring that fails further in often has
// an alternative that does not.
TEST(FredConflict, OuterLevelsAreRetried) {
  int rescued = 0;
  for (int ports = 7; ports <= 13; ++ports) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      Random random(seed);
      std::vector<int> in(ports);
      for (int p = 0; p < ports; ++p) in[p] = p;
      std::vector<int> out = in;
      for (int p = ports - 1; p > 0; --p) {
        std::swap(in[p], in[random.below(static_cast<std::uint64_t>(p) + 1)]);
        std::swap(out[p], out[random.below(static_cast<std::uint64_t>(p) + 1)]);
      }
      std::vector<Flow> flows(5 + random.below(3));
      for (Flow& flow : flows) {
        for (std::uint64_t n = random.below(2) + 1; n > 0 && !in.empty(); --n) {
          flow.inputs |= 1U << in.back();
          in.pop_back();
        }
        for (std::uint64_t n = random.below(2) + 1; n > 0 && !out.empty(); --n) {
          flow.outputs |= 1U << out.back();
          out.pop_back();
        }
      }
      std::erase_if(flows, [](const Flow& f) { return f.inputs == 0 || f.outputs == 0; });
      int retries = 0;
      const bool exists = routing_exists(ports, 2, flows, retries);
      ASSERT_EQ(conflict({ports, 2}, flows).has_value(), !exists)
          << "Fred_2(" << ports << ") seed " << seed << ": " << describe(flows);
      rescued += exists && retries > 0;
    }
  }
  EXPECT_GT(rescued, 100);
}

// §5: four all-reduce flows of which three conflict pairwise.
TEST(FredConflict, WorkedExampleOfThePaper) {
  const auto all_reduce = [](std::initializer_list<int> ports) {
    std::uint32_t mask = 0;
    for (const int p : ports) mask |= 1U << p;
    return Flow{mask, mask};
  };
  const std::vector<Flow> flows{all_reduce({0, 3}), all_reduce({1, 4}), all_reduce({2, 5}),
                                all_reduce({6, 7})};
  const std::optional<std::string> two = conflict({8, 2}, flows);
  ASSERT_TRUE(two.has_value());
  EXPECT_NE(two->find("level 0 (8 ports)"), std::string::npos) << *two;
  EXPECT_NE(two->find("flows 0 (0,3:0,3), 1 (1,4:1,4), 2 (2,5:2,5) share"), std::string::npos)
      << *two;
  EXPECT_FALSE(conflict({8, 3}, flows).has_value());
}

// Meaning of "conflict": one colour per flow and level, as §5 has it. The µSwitches themselves
// could serve this set by sending flow 0 through both sub-networks.
TEST(FredConflict, SplitMulticastIsNotLookedFor) {
  const std::vector<Flow> flows{{0b0001, 0b0101}, {0b0100, 0b0010}, {0b1000, 0b1000}};
  EXPECT_TRUE(conflict({4, 2}, flows).has_value());
  std::vector<bool> bits;
  for (const unsigned cell : {0b0101U, 0b0110U, 0b1001U, 0b0110U, 0b1001U, 0b0110U})
    for (int b = 0; b < 4; ++b) bits.push_back((cell >> b & 1U) != 0);
  EXPECT_EQ(test::interpret({4, 2}, bits, 0b1101),
            (std::vector<test::Expression>{{0}, {2}, {0}, {3}}));
}

}  // namespace
}  // namespace fredsim
