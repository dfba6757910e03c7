// SPDX-License-Identifier: Apache-2.0
// Series of links by window: sums equal the counters of the run, and the run stays as it is.
// Random machines, works and windows, from seeds.

#include "results/link_series.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/flit.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/comparable_results.h"
#include "support/random_machine.h"
#include "support/random_work.h"
#include "support/simulation.h"
#include "systems/make_plan.h"
#include "traffic/traffic_run.h"

namespace fredsim::test {
namespace {

template <class Value>
Value sum_of(const std::vector<Value>& values) {
  return std::accumulate(values.begin(), values.end(), Value{});
}

void expect_sums(const LinkSeries& series, const std::vector<LinkResult>& links,
                 const std::vector<SwitchResult>& switches) {
  ASSERT_EQ(series.links.size(), links.size());
  for (std::size_t l = 0; l < links.size(); ++l) {
    const LinkSeries::OfLink& link = series.links[l];
    SCOPED_TRACE(link.name);
    EXPECT_EQ(link.name, links[l].name);
    EXPECT_EQ(link.flits.size(), series.windows());
    EXPECT_EQ(sum_of(link.flits), links[l].flits);
    EXPECT_EQ(sum_of(link.bytes), links[l].bytes);
    EXPECT_EQ(sum_of(link.busy_cycles), links[l].busy_cycles);
    double used = 0;
    std::uint64_t cycles = 0;
    for (std::uint64_t w = 0; w < series.windows(); ++w) {
      EXPECT_LE(link.flits[w], links[l].flits) << "window " << w;
      EXPECT_LE(link.bytes[w], link.flits[w] * kFlitBytes) << "window " << w;
      const bool is_last = w + 1 == series.windows();
      EXPECT_TRUE(is_last || link.utilization[w] <= 1 + 1e-9) << "window " << w;
      used += link.utilization[w] * static_cast<double>(series.length(w));
      cycles += series.length(w);
    }
    EXPECT_EQ(cycles, series.cycles);
    EXPECT_NEAR(used, links[l].utilization * static_cast<double>(series.cycles), 1e-6);
  }
  ASSERT_EQ(series.switches.size(), switches.size());
  for (std::size_t s = 0; s < switches.size(); ++s) {
    ASSERT_EQ(series.switches[s].stall_cycles.size(), switches[s].stall_cycles.size());
    for (std::size_t r = 0; r < switches[s].stall_cycles.size(); ++r) {
      const auto& [reason, total] = switches[s].stall_cycles[r];
      EXPECT_EQ(series.switches[s].stall_cycles[r].first, reason);
      EXPECT_EQ(sum_of(series.switches[s].stall_cycles[r].second), total) << reason;
    }
  }
}

TEST(LinkSeries, WindowsCoverTheCycles) {
  for (const std::uint64_t cycles : {1, 7, 8, 9, 16, 100}) {
    LinkSeries series;
    series.window_cycles = 8;
    series.cycles = cycles;
    std::uint64_t sum = 0;
    for (std::uint64_t w = 0; w < series.windows(); ++w) {
      EXPECT_EQ(series.begin(w), 8 * w);
      EXPECT_GT(series.length(w), 0U);
      EXPECT_LE(series.length(w), 8U);
      sum += series.length(w);
    }
    EXPECT_EQ(sum, cycles);
  }
}

TEST(LinkSeries, OfCollectivesAddUpToTheRun) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology topology = random_machine(random);
    const std::vector<CollectiveSpec> work =
        random_work(random, static_cast<int>(topology.npus.size()), 3, 20'000);
    Plan plan;
    try {
      plan = make_plan(topology, work);
    } catch (const Error&) {
      continue;  // switches cannot route the groups together
    }
    const auto run = [&](std::uint64_t window, bool skip) {
      Simulation simulation;
      Machine machine("machine", topology, {.skip = skip, .series_cycles = window});
      RunResult result;
      simulation.run([&] { result = run_plan(machine, plan); });
      return result;
    };
    const RunResult plain = run(0, true);
    EXPECT_FALSE(plain.series);
    const std::uint64_t window = 1 + random.below(plain.cycles + 10);
    const RunResult with_series = run(window, random.below(2) == 0);
    EXPECT_EQ(results_and_parts(with_series), results_and_parts(plain));
    ASSERT_TRUE(with_series.series);
    EXPECT_EQ(with_series.series->cycles, plain.cycles);
    EXPECT_EQ(with_series.series->window_cycles, window);
    expect_sums(*with_series.series, with_series.links, with_series.switches);
  }
}

TEST(LinkSeries, OfTrafficAddUpToTheWindow) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology topology = random_machine(random);
    TrafficOptions options{.warmup_cycles = 200, .window_cycles = 700, .seed = seed};
    const auto measure = [&](std::uint64_t window, int threads) {
      options.threads = threads;
      TrafficRun run(topology, options, factory_for({.own_contexts = true}));
      if (window > 0) run.record_series(window);
      run.measure(0.9);
      return run.measure(0.3);
    };
    const std::uint64_t window = 1 + random.below(900);
    const TrafficPoint plain = measure(0, 1);
    const TrafficPoint one = measure(window, 1);
    ASSERT_TRUE(one.series);
    EXPECT_EQ(one.series->begin_cycle, 200U);
    EXPECT_EQ(one.series->cycles, 700U);
    expect_sums(*one.series, one.links, one.switches);
    for (std::size_t l = 0; l < plain.links.size(); ++l)
      EXPECT_EQ(one.links[l].flits, plain.links[l].flits);
    if (max_partitions(topology) < 2) continue;
    const TrafficPoint two = measure(window, 2);
    for (std::size_t l = 0; l < one.series->links.size(); ++l) {
      EXPECT_EQ(two.series->links[l].flits, one.series->links[l].flits);
      EXPECT_EQ(two.series->links[l].utilization, one.series->links[l].utilization);
    }
  }
}

TEST(LinkSeries, MoreWindowsThanThereIsRoomForAreRefused) {
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  const std::uint64_t cycles = LinkSeries::kMaxValues / topology.links.size() + 10;
  TrafficRun run(topology, {.warmup_cycles = 0, .window_cycles = cycles}, factory_for({}));
  run.record_series(1);
  EXPECT_TRUE(message_of<BadInput>([&] { run.measure(0.01); }).starts_with("--series: found 1, "));
}

}  // namespace
}  // namespace fredsim::test
