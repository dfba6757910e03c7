// SPDX-License-Identifier: Apache-2.0
#include "flow/fair_rates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace fredsim {
namespace {

using FlowClass = FairRates::FlowClass;

constexpr double kExact = 1e-9;  // relative error
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

TEST(FairRates, ALinkIsSharedEvenly) {
  FairRates rates({1});
  const FlowClass a = rates.add({0, 1, {{0}}});
  const FlowClass b = rates.add({0, 1, {{0}}});
  EXPECT_EQ(a, b);  // equal flows are one class
  rates.update();
  EXPECT_EQ(rates.count(a), 2U);
  EXPECT_DOUBLE_EQ(rates.rate(a), 0.5);
}

// Textbook case: bandwidth that one flow cannot use on a link, because another link limits it, goes
// to the other flows.
TEST(FairRates, WhatOneCannotUseOthersGet) {
  FairRates rates({1, 1, 2});
  const FlowClass longest = rates.add({0, 1, {{0}, {1}, {2}}});
  const FlowClass first = rates.add({0, 1, {{0}}});
  const FlowClass second = rates.add({0, 1, {{0}, {1}}});
  const FlowClass last = rates.add({0, 1, {{2}}});
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(longest), 1.0 / 3);
  EXPECT_DOUBLE_EQ(rates.rate(first), 1.0 / 3);
  EXPECT_DOUBLE_EQ(rates.rate(second), 1.0 / 3);
  EXPECT_DOUBLE_EQ(rates.rate(last), 5.0 / 3);
}

TEST(FairRates, ATreeThatCrossesALinkTwiceTakesTwiceItsRate) {
  FairRates rates({1});
  const FlowClass tree = rates.add({0, 1, {{0, 2}}});
  const FlowClass send = rates.add({0, 1, {{0, 1}}});
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(tree), 1.0 / 3);
  EXPECT_DOUBLE_EQ(rates.rate(send), 1.0 / 3);
}

TEST(FairRates, SharesAreOfTheRate) {
  FairRates rates({1, 0.5});
  const FlowClass small = rates.add({0, 1, {{0}}});
  const FlowClass large = rates.add({0, 3, {{0}}});
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(small), 0.25);
  EXPECT_DOUBLE_EQ(rates.rate(large), 0.75);
  const FlowClass held = rates.add({0, 9, {{0}, {1, 2}}});
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(held), 0.25);
  EXPECT_DOUBLE_EQ(rates.rate(large), 0.75 * 0.75);
}

TEST(FairRates, LaterPrioritiesGetWhatIsLeft) {
  FairRates rates({1, 0.25});
  const FlowClass first = rates.add({0, 1, {{0}, {1}}});
  const FlowClass later = rates.add({1, 1, {{0}}});
  const FlowClass none = rates.add({2, 1, {{0}}});
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(first), 0.25);
  EXPECT_DOUBLE_EQ(rates.rate(later), 0.75);
  EXPECT_EQ(rates.rate(none), 0);
  rates.remove(later);
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(none), 0.75);
}

// A priority gets no more of a link than its limit, and the other priorities get the remainder.
TEST(FairRates, APriorityKeepsToTheLimitOfALink) {
  FairRates rates({1, 1}, {0.3});
  const FlowClass a = rates.add({0, 1, {{0}}});
  const FlowClass b = rates.add({0, 2, {{0}, {1}}});
  const FlowClass later = rates.add({1, 1, {{0}}});
  const FlowClass beside = rates.add({0, 1, {{1}}});
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(a), 0.1);
  EXPECT_DOUBLE_EQ(rates.rate(b), 0.2);
  EXPECT_DOUBLE_EQ(rates.rate(later), 0.3);
  EXPECT_DOUBLE_EQ(rates.rate(beside), 0.8);
  rates.set_capacity(0, 0.5);
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(later), 0.2);
}

// A flow at its own limit leaves the remaining bandwidth of its links to other flows, and gets less
// if they have no more.
TEST(FairRates, AFlowKeepsToItsLimit) {
  FairRates rates({1});
  const FlowClass limited = rates.add({0, 1, {{0}}, 0.2});
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(limited), 0.2);
  const FlowClass other = rates.add({0, 1, {{0}}});
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(limited), 0.2);
  EXPECT_DOUBLE_EQ(rates.rate(other), 0.8);
  const FlowClass large = rates.add({0, 8, {{0}}});
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(limited), 0.1);
  EXPECT_DOUBLE_EQ(rates.rate(large), 0.8);
  rates.remove(large);
  rates.remove(other);
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(limited), 0.2);
}

TEST(FairRates, OnlyWhatIsNotFairIsComputedAgain) {
  FairRates rates({1, 1, 1, 1});
  const FlowClass a = rates.add({0, 1, {{0}, {1}}});
  const FlowClass b = rates.add({0, 1, {{1}, {2}}});
  const FlowClass apart = rates.add({0, 1, {{3}}});
  rates.update();
  const auto updated = [&] {
    const auto again = rates.update();
    std::vector all(again.begin(), again.end());
    std::ranges::sort(all);
    return all;
  };
  const FlowClass c = rates.add({0, 1, {{2}}});  // takes the remainder of b
  EXPECT_EQ(updated(), std::vector{c});
  const FlowClass d = rates.add({0, 1, {{2}}});  // takes some from b, which leaves it to a
  EXPECT_EQ(d, c);
  EXPECT_EQ(updated(), (std::vector{a, b, c}));
  EXPECT_DOUBLE_EQ(rates.rate(a), 2.0 / 3);
  rates.remove(c);
  rates.remove(c);
  EXPECT_EQ(updated(), (std::vector{a, b}));
  EXPECT_EQ(rates.rate(a), 0.5);
  EXPECT_EQ(rates.rate(apart), 1);
  EXPECT_TRUE(updated().empty());
  EXPECT_EQ(rates.add({0, 1, {{2}, {3}}}), c);  // a number that became free
}

// A random network with its current flows, by their handles.
struct Network {
  explicit Network(unsigned seed) : random(seed) {
    capacities.resize(pick(2, 30));
    for (double& capacity : capacities) capacity = pick(1, 4) * 0.25 + pick(0, 3) * 0.01;
    limits.resize(pick(0, static_cast<int>(capacities.size())));
    for (double& limit : limits) limit = pick(0, 2) == 0 ? 0.07 * pick(1, 9) : kNoLimit;
  }
  double limit() { return pick(0, 3) == 0 ? 0.05 * pick(1, 12) : kNoLimit; }
  int pick(int min, int max) { return std::uniform_int_distribution<int>(min, max)(random); }
  std::vector<LinkUse> uses() {
    std::map<int, double> by_link;
    const int links = static_cast<int>(capacities.size());
    for (int n = pick(1, 6); n > 0; --n) by_link[pick(0, links - 1)] += pick(1, 2);
    std::vector<LinkUse> all;
    for (const auto& [link, weight] : by_link) all.push_back({link, weight});
    return all;
  }

  std::mt19937 random;
  std::vector<double> capacities, limits;
};

struct AddedFlow {
  FairRates::Demand demand;
  FlowClass number = 0;
};

bool crosses(const AddedFlow& flow, int link) {
  return std::ranges::find(flow.demand.uses, link, &LinkUse::link) != flow.demand.uses.end();
}

// No link over its rate, no priority over its limit; and no flow could be faster unless one of its
// priority, or of one before, that is no faster by its share were slower: it is at its limit, or
// has a link without anything left on which no flow of its priority is faster.
void expect_fair(const FairRates& rates, const std::vector<double>& capacities,
                 const std::vector<double>& limits, const std::vector<AddedFlow>& flows) {
  const auto load_of = [&](int link, int first_priority, int last_priority) {
    double sum = 0;
    for (const AddedFlow& flow : flows)
      for (const LinkUse& use : flow.demand.uses)
        if (use.link == link && flow.demand.priority >= first_priority &&
            flow.demand.priority <= last_priority)
          sum += use.crossings * rates.rate(flow.number);
    return sum;
  };
  const auto limit_of = [&](int link) {
    return link < std::ssize(limits) ? limits[link] : kNoLimit;
  };
  const auto is_full = [&](int link, int priority) {
    return load_of(link, 0, priority) >= capacities[link] * (1 - kExact) ||
           load_of(link, priority, priority) >= limit_of(link) * (1 - kExact);
  };
  const auto level = [&](const AddedFlow& flow) {
    return rates.rate(flow.number) / flow.demand.share;
  };
  constexpr int kAll = 1000;
  for (int link = 0; link < std::ssize(capacities); ++link) {
    EXPECT_LE(load_of(link, 0, kAll), capacities[link] * (1 + kExact)) << "link " << link;
    for (int priority = 0; priority < 3; ++priority)
      EXPECT_LE(load_of(link, priority, priority), limit_of(link) * (1 + kExact)) << link;
  }
  for (const AddedFlow& flow : flows) {
    EXPECT_LE(rates.rate(flow.number), flow.demand.limit * (1 + kExact));
    if (rates.rate(flow.number) >= flow.demand.limit * (1 - kExact)) continue;
    const bool is_held_back = std::ranges::any_of(flow.demand.uses, [&](const LinkUse& use) {
      if (!is_full(use.link, flow.demand.priority)) return false;
      return std::ranges::none_of(flows, [&](const AddedFlow& other) {
        return other.demand.priority == flow.demand.priority && crosses(other, use.link) &&
               level(other) > level(flow) * (1 + kExact) + kExact;
      });
    });
    EXPECT_TRUE(is_held_back) << "rate " << rates.rate(flow.number);
  }
}

TEST(FairRates, RandomNetworksAreFairWhateverComesAndGoes) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Network network(seed);
    FairRates rates(network.capacities, network.limits);
    std::vector<AddedFlow> flows;
    for (int step = 0; step < 12; ++step) {
      for (int n = network.pick(0, 6); n > 0; --n) {
        AddedFlow flow{
            {network.pick(0, 2), network.pick(1, 3) * 0.5, network.uses(), network.limit()}, 0};
        flow.number = rates.add(flow.demand);
        flows.push_back(std::move(flow));
      }
      for (int n = network.pick(0, 4); n > 0 && !flows.empty(); --n) {
        const auto gone = flows.begin() + network.pick(0, static_cast<int>(flows.size()) - 1);
        rates.remove(gone->number);
        flows.erase(gone);
      }
      for (int n = network.pick(0, 2); n > 0; --n) {
        const int link = network.pick(0, static_cast<int>(network.capacities.size()) - 1);
        network.capacities[link] = network.pick(0, 8) * 0.25;
        rates.set_capacity(link, network.capacities[link]);
      }
      rates.update();
      expect_fair(rates, network.capacities, network.limits, flows);
      // Rates as if all flows had started at once.
      FairRates anew(network.capacities, network.limits);
      std::vector<FlowClass> numbers;
      for (const AddedFlow& flow : flows) numbers.push_back(anew.add(flow.demand));
      anew.update();
      for (std::size_t f = 0; f < flows.size(); ++f)
        EXPECT_NEAR(rates.rate(flows[f].number), anew.rate(numbers[f]), kExact);
      if (HasFailure()) return;
    }
  }
}

// A flow that ends where another one of its class begins: nothing is to be computed.
TEST(FairRates, ACountThatIsWhatItWasChangesNothing) {
  FairRates rates({1, 1});
  const FlowClass kept = rates.keep({0, 1, {{0}}});
  const FlowClass other = rates.add({0, 1, {{0}, {1}}});
  rates.add(kept);
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(kept), 0.5);
  rates.remove(kept);
  rates.add(kept);
  rates.remove(other);
  rates.add({0, 1, {{0}, {1}}});
  EXPECT_TRUE(rates.update().empty());
  EXPECT_DOUBLE_EQ(rates.rate(kept), 0.5);
  rates.remove(kept);
  rates.update();
  EXPECT_EQ(rates.count(kept), 0U);
  EXPECT_DOUBLE_EQ(rates.rate(other), 1);
  EXPECT_NE(rates.add({0, 1, {{1}}}), kept);  // its number is not free
  EXPECT_EQ(rates.add({0, 1, {{0}}}), kept);
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(kept), 0.5);
}

// Thousands of changes of a few flows: the links' lists of flows stay consistent.
TEST(FairRates, ManyChangesLeaveRatesFair) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Network network(seed);
    FairRates rates(network.capacities);
    std::vector<AddedFlow> flows;
    for (int step = 1; step <= 3000; ++step) {
      const bool is_full = flows.size() >= 60;
      for (int n = network.pick(1, 2); n > 0; --n) {
        if (!is_full) {
          AddedFlow flow{{network.pick(0, 2), network.pick(1, 3) * 0.3, network.uses()}, 0};
          flow.number = rates.add(flow.demand);
          flows.push_back(std::move(flow));
        } else {
          const auto gone = flows.begin() + network.pick(0, static_cast<int>(flows.size()) - 1);
          rates.remove(gone->number);
          flows.erase(gone);
        }
      }
      rates.update();
      if (step % 50 == 0) expect_fair(rates, network.capacities, {}, flows);
      if (HasFailure()) return;
    }
  }
}

// Flows of its priority on a full link on which none is faster per share.
TEST(FairRates, AFlowSpeedsUpNoneAtItsBottleneck) {
  int compared = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Network network(seed);
    FairRates rates(network.capacities);
    std::vector<AddedFlow> flows;
    const auto add = [&] {
      AddedFlow flow{{network.pick(0, 1), network.pick(1, 3) * 0.5, network.uses()}, 0};
      flow.number = rates.add(flow.demand);
      flows.push_back(std::move(flow));
      rates.update();
    };
    for (int n = network.pick(2, 30); n > 0; --n) add();
    std::vector<double> before;
    for (const AddedFlow& flow : flows) before.push_back(rates.rate(flow.number));
    const std::vector<AddedFlow> others = flows;
    add();
    const AddedFlow& added = flows.back();
    const double level = rates.rate(added.number) / added.demand.share;
    for (int link = 0; link < std::ssize(network.capacities); ++link) {
      double load = 0;
      bool is_highest = crosses(added, link);
      for (const AddedFlow& flow : flows) {
        if (!crosses(flow, link) || flow.demand.priority > added.demand.priority) continue;
        const double rate = rates.rate(flow.number);
        load += std::ranges::find(flow.demand.uses, link, &LinkUse::link)->crossings * rate;
        if (flow.demand.priority == added.demand.priority)
          is_highest = is_highest && rate / flow.demand.share <= level * (1 + kExact);
      }
      if (!is_highest || load < network.capacities[link] * (1 - kExact)) continue;
      for (std::size_t f = 0; f < others.size(); ++f) {
        if (others[f].demand.priority != added.demand.priority || !crosses(others[f], link))
          continue;
        ++compared;
        EXPECT_LE(rates.rate(others[f].number), before[f] + kExact) << "link " << link;
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, 300);
}

}  // namespace
}  // namespace fredsim
