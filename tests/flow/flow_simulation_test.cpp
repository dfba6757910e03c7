// SPDX-License-Identifier: Apache-2.0
#include "flow/flow_simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "base/error.h"

namespace fredsim {
namespace {

using Flow = FlowSimulation::Flow;

// Times at which flows end.
struct Ends {
  explicit Ends(FlowSimulation& simulation) {
    simulation.on_end([this, &simulation](Flow flow) { at[flow] = simulation.now(); });
  }
  std::map<Flow, double> at;
};

TEST(FlowSimulation, AFlowTakesItsAmountOverTheRate) {
  FlowSimulation simulation({0.5, 2});
  const Ends ends(simulation);
  const Flow flow = simulation.begin({0, 1, {{0}, {1}}}, 100);
  simulation.run();
  EXPECT_DOUBLE_EQ(ends.at.at(flow), 200);
}

// 100 alone for 50, then two at half the rate: 50 are left, so the first ends at 150; the second
// has 50 left and the link for itself.
TEST(FlowSimulation, RatesChangeWithWhatComesAndGoes) {
  FlowSimulation simulation({1});
  const Ends ends(simulation);
  const Flow first = simulation.begin({0, 1, {{0}}}, 100);
  Flow second = 0;
  simulation.call_at(50, [&] { second = simulation.begin({0, 1, {{0}}}, 100); });
  simulation.run();
  EXPECT_DOUBLE_EQ(ends.at.at(first), 150);
  EXPECT_DOUBLE_EQ(ends.at.at(second), 200);
}

TEST(FlowSimulation, AnEarlierPriorityStopsALaterOne) {
  FlowSimulation simulation({1});
  const Ends ends(simulation);
  const Flow later = simulation.begin({1, 1, {{0}}}, 100);
  simulation.call_at(50, [&] { simulation.begin({0, 1, {{0}}}, 30); });
  simulation.run();
  EXPECT_DOUBLE_EQ(ends.at.at(later), 130);
}

TEST(FlowSimulation, WhatHasNothingToMoveEndsAtOnce) {
  FlowSimulation simulation({1});
  const Ends ends(simulation);
  const Flow nothing = simulation.begin({0, 1, {{0}}}, 0);
  const Flow nowhere = simulation.begin({0, 1, {}}, 10);
  simulation.run();
  EXPECT_EQ(ends.at.at(nothing), 0);
  EXPECT_EQ(ends.at.at(nowhere), 0);
}

// Sends that begin together over equal links end together, with one computation of rates for all of
// them.
TEST(FlowSimulation, AlikeFlowsAreOneEvent) {
  FlowSimulation simulation({7, 3});
  const Ends ends(simulation);
  for (int n = 0; n < 1000; ++n) simulation.begin({0, 1, {{0}, {1}}}, 0.3);
  simulation.run();
  EXPECT_EQ(simulation.flows(), 1000U);
  EXPECT_EQ(simulation.updates(), 1U);
  for (const auto& [flow, time] : ends.at) EXPECT_DOUBLE_EQ(time, 100);
}

TEST(FlowSimulation, CallsComeByTimeThenByOrder) {
  FlowSimulation simulation({1});
  std::vector<int> order;
  simulation.call_at(2, [&] { order.push_back(3); });
  simulation.call_at(1, [&] {
    order.push_back(1);
    simulation.call_at(0, [&] { order.push_back(2); });  // has passed: now
  });
  simulation.run();
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(FlowSimulation, FlowsThatNothingLetsMoveAreAnError) {
  FlowSimulation simulation({0});
  simulation.begin({0, 1, {{0}}}, 1);
  EXPECT_THROW(simulation.run(), RunFailed);
}

// Ends by small steps of time, at the rates of networks that are made anew at each: they owe
// nothing to classes and events.
TEST(FlowSimulation, RandomNetworksMoveWhatTheyAreGiven) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const auto pick = [&](int min, int max) {
      return std::uniform_int_distribution<int>(min, max)(random);
    };
    std::vector<double> capacities(pick(1, 6));
    for (double& capacity : capacities) capacity = pick(1, 8) * 0.125;
    struct Planned {
      FairRates::Demand demand;
      double start = 0, amount = 0, end = 0;
    };
    std::vector<Planned> planned(pick(1, 12));
    for (Planned& flow : planned) {
      flow.demand.priority = pick(0, 1);
      for (int link = 0; link < std::ssize(capacities); ++link)
        if (pick(0, 2) == 0) flow.demand.uses.push_back({link, static_cast<double>(pick(1, 2))});
      if (flow.demand.uses.empty()) flow.demand.uses.push_back({0, 1});
      flow.start = pick(0, 50);
      flow.amount = pick(1, 40);
    }

    FlowSimulation simulation(capacities);
    std::map<Flow, Planned*> by_number;
    simulation.on_end([&](Flow flow) { by_number.at(flow)->end = simulation.now(); });
    for (Planned& flow : planned)
      simulation.call_at(flow.start,
                         [&] { by_number[simulation.begin(flow.demand, flow.amount)] = &flow; });
    simulation.run();

    // Rates are constant between events: steps from event to event, with the rates of a network of
    // the current flows.
    std::vector<double> left;
    for (const Planned& flow : planned) left.push_back(flow.amount);
    std::vector<double> events;
    for (const Planned& flow : planned) events.insert(events.end(), {flow.start, flow.end});
    std::ranges::sort(events);
    for (std::size_t e = 0; e + 1 < events.size(); ++e) {
      FairRates rates(capacities);
      std::map<std::size_t, FairRates::FlowClass> there;
      for (std::size_t f = 0; f < planned.size(); ++f)
        if (planned[f].start <= events[e] && events[e] < planned[f].end)
          there[f] = rates.add(planned[f].demand);
      rates.update();
      for (const auto& [f, number] : there)
        left[f] -= rates.rate(number) * (events[e + 1] - events[e]);
    }
    for (const double rest : left) EXPECT_NEAR(rest, 0, 1e-6);
    if (HasFailure()) return;
  }
}

// With demands that are found once, and with recomputed ones; at the original rates, and at twice
// the rates.
TEST(FlowSimulation, TwiceTheRatesHalveTheTimes) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto ends_with = [&](double rates, bool are_kept) {
      std::mt19937 random(seed);
      const auto pick = [&](int min, int max) {
        return std::uniform_int_distribution<int>(min, max)(random);
      };
      std::vector<double> capacities(pick(1, 20));
      for (double& capacity : capacities) capacity = rates * pick(1, 1000) / 1000;
      FlowSimulation simulation(capacities);
      std::map<int, double> ends;
      std::map<Flow, int> number;
      simulation.on_end([&](Flow flow) { ends[number.at(flow)] = simulation.now(); });
      const int flows = pick(1, 60);
      for (int f = 0; f < flows; ++f) {
        FairRates::Demand demand{.priority = pick(0, 1), .share = pick(1, 3) * 0.5};
        for (int link = 0; link < std::ssize(capacities); ++link)
          if (pick(0, 5) == 0) demand.uses.push_back({link, static_cast<double>(pick(1, 2))});
        if (demand.uses.empty()) demand.uses.push_back({0});
        const double amount = pick(0, 1000);
        const double start = pick(0, 1000) / rates;
        simulation.call_at(start, [&simulation, &number, are_kept, f, demand, amount] {
          number[are_kept ? simulation.begin(simulation.keep(demand), amount)
                          : simulation.begin(demand, amount)] = f;
        });
      }
      simulation.run();
      EXPECT_EQ(std::ssize(ends), flows);
      return ends;
    };
    const std::map<int, double> ends = ends_with(1, false);
    const std::map<int, double> kept = ends_with(1, true);
    const std::map<int, double> faster = ends_with(2, true);
    for (const auto& [flow, end] : ends) {
      EXPECT_NEAR(kept.at(flow), end, 1e-9 * end);
      EXPECT_NEAR(2 * faster.at(flow), end, 1e-9 * end);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace fredsim
