// SPDX-License-Identifier: Apache-2.0
// Algorithm chosen by `auto`, on random machines, with and without failed components, for random
// collectives, groups and sizes.
//
// Near: it takes little longer than the fastest of all, simulated. Order: of two algorithms with
//   distant estimates, the predicted one is faster. Sizes: with increasing size the choice moves
//   from low latency to low load on the busiest link.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "collective/algorithm.h"
#include "collective/plan_time.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "plan/link_walk.h"
#include "support/random_range.h"
#include "support/simulation.h"
#include "switch/node_shape.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

struct RandomMachine {
  std::string text;
  Topology topology;
};

RandomMachine random_machine(Random& random) {
  const auto between = [&](int min, int max) { return random_between(random, min, max); };
  std::string base;
  std::vector<std::string> settings;
  switch (random.below(4)) {
    case 0: {
      base = random.below(2) == 0 ? "mesh" : "torus";
      const int width = between(2, 4), height = between(2, 4);
      settings = {fmt::format("npu.count={}", width * height),
                  fmt::format("fabric.width={}", width), fmt::format("fabric.height={}", height),
                  "io.count=0"};
      break;
    }
    case 1: {
      base = "mesh_reducing";
      const int width = between(2, 4), height = between(2, 4);
      settings = {fmt::format("npu.count={}", width * height),
                  fmt::format("fabric.width={}", width), fmt::format("fabric.height={}", height),
                  "io.count=0"};
      break;
    }
    default: {
      base = random.below(2) == 0 ? "fred_a" : "fred_b";
      const int l1 = between(2, 4), npus = between(2, 4), slices = between(2, 5);
      settings = {fmt::format("npu.count={}", l1 * npus),
                  fmt::format("fabric.l1_switches={}", l1),
                  fmt::format("fabric.npus_per_l1={}", npus),
                  fmt::format("fabric.slices={}", slices),
                  fmt::format("npu.bandwidth={} GB/s", 600 * slices),
                  fmt::format("fabric.uplink_bandwidth={} GB/s", 300 * slices * between(1, 4)),
                  fmt::format("io.bandwidth={} GB/s", 24 * slices),
                  "fabric.uplinks=4",
                  "fabric.l2_chiplets_per_slice=2",
                  "io.count=0"};
      if (random.below(3) == 0) settings.push_back("faults=['switch:l1_0.s0']");
    }
  }
  return {fmt::format("{} {}", base, fmt::join(settings, " ")),
          load_config("configs/" + base + ".yaml", settings).topology};
}

CollectiveSpec random_spec(Random& random, const Topology& topology) {
  constexpr Collective kCollectives[] = {Collective::kAllReduce, Collective::kReduceScatter,
                                         Collective::kAllGather, Collective::kBroadcast,
                                         Collective::kReduce};
  CollectiveSpec spec;
  spec.collective = kCollectives[random.below(std::size(kCollectives))];
  spec.group.resize(topology.npus.size());
  std::iota(spec.group.begin(), spec.group.end(), 0);
  if (random.below(2) == 0) {
    for (std::size_t k = spec.group.size(); k > 1; --k)
      std::swap(spec.group[k - 1], spec.group[random.below(k)]);
    spec.group.resize(random_between(random, std::size_t{2}, spec.group.size()));
  }
  return spec;
}

std::optional<Plan> plan_by(const Topology& topology, CollectiveSpec spec,
                            std::string_view algorithm) {
  spec.algorithm = algorithm;
  try {
    return make_plan(topology, {&spec, 1});
  } catch (const BadInput&) {  // not for this group
    return {};
  }
}

struct MeasuredAlgorithm {
  std::string algorithm;
  double estimated = 0;  // 0: it is not compared by that
  std::uint64_t cycles = 0;
};

std::string measured_text(const std::vector<MeasuredAlgorithm>& all) {
  std::string text;
  for (const MeasuredAlgorithm& one : all)
    text += fmt::format(" {} {} ({:.0f})", one.algorithm, one.cycles, one.estimated);
  return text;
}

// Measured: 1.147 at most, 93 of 96 within 1.1; in 509 pairs with such distant estimates the
// predicted one took up to 1.027 of the other.
TEST(ChoiceProperties, IsNearTheFastestAndEstimatesAreInOrder) {
  constexpr std::uint64_t kSeeds = 24;
  constexpr double kFarthest = 1.2, kNear = 1.1, kShareNear = 0.95;
  constexpr double kFarApart = 1.3, kOutOfOrder = 1.05;
  int works = 0, near = 0, pairs = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Random random(seed);
    const RandomMachine random_one = random_machine(random);
    const Topology& topology = random_one.topology;
    const Plan none;
    const LinkWalk walk(topology, none, routes_by_table(topology));
    Simulation simulation;
    Machine machine("machine", topology, {});
    simulation.run([&] {
      for (int work = 0; work < 4; ++work) {
        CollectiveSpec spec = random_spec(random, topology);
        spec.bytes = std::uint64_t{1} << random.below(19);
        std::vector<MeasuredAlgorithm> all;
        for (const Algorithm* algorithm : algorithms()) {
          const std::optional<Plan> plan = plan_by(topology, spec, algorithm->name());
          if (!plan || !algorithm->has(spec.collective)) continue;
          const bool is_estimated = !is_in_switches(plan->parts[0]) && algorithm->is_weighed() &&
                                    !algorithm->paces_by_window();
          all.push_back({.algorithm = std::string(algorithm->name()),
                         .estimated = is_estimated ? estimated_cycles(topology, *plan, walk) : 0,
                         .cycles = run_plan(machine, *plan).cycles});
        }
        const Plan chosen = *plan_by(topology, spec, "auto");
        const auto best = std::ranges::min(all, {}, &MeasuredAlgorithm::cycles).cycles;
        const double ratio =
            static_cast<double>(run_plan(machine, chosen).cycles) / static_cast<double>(best);
        const std::string what =
            fmt::format("seed {}, {}, {} of {}, {} bytes: {} of{}", seed, random_one.text,
                        to_string(spec.collective), spec.group.size(), spec.bytes,
                        chosen.parts[0].algorithm, measured_text(all));
        EXPECT_LE(ratio, kFarthest) << what;
        ++works;
        if (ratio <= kNear) ++near;
        for (const MeasuredAlgorithm& fast : all) {
          for (const MeasuredAlgorithm& slow : all) {
            if (fast.estimated == 0 || fast.estimated * kFarApart > slow.estimated) continue;
            ++pairs;
            EXPECT_LE(static_cast<double>(fast.cycles),
                      kOutOfOrder * static_cast<double>(slow.cycles))
                << fast.algorithm << " and " << slow.algorithm << ", " << what;
          }
        }
      }
    });
  }
  EXPECT_GE(near, kShareNear * works) << "of " << works;
  EXPECT_GE(pairs, 4 * works);
}

// In-switch algorithms have minimum load and latency together; the choices after them are not
// ordered relative to them.
TEST(ChoiceProperties, GoesToLessLoadWithSize) {
  constexpr std::uint64_t kSeeds = 60;
  constexpr int kLargest = 22;
  constexpr double kMore = 1.15;  // measured: 1.10
  int moves = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Random random(seed);
    const RandomMachine random_one = random_machine(random);
    const Topology& topology = random_one.topology;
    CollectiveSpec spec = random_spec(random, topology);
    double before = std::numeric_limits<double>::infinity();
    std::string last;
    for (int log = 0; log <= kLargest; ++log) {
      spec.bytes = std::uint64_t{1} << log;
      const Part chosen = plan_by(topology, spec, "auto")->parts[0];
      if (chosen.algorithm == last) continue;
      spec.bytes = std::uint64_t{1} << kLargest;
      const double bound = plan_by(topology, spec, chosen.algorithm)->bound_ns;
      EXPECT_LE(bound, kMore * before) << fmt::format(
          "seed {}, {}, {} of {}, 2^{} bytes: {} after {}", seed, random_one.text,
          to_string(spec.collective), spec.group.size(), log, chosen.algorithm, last);
      before = is_in_switches(chosen) ? std::numeric_limits<double>::infinity() : bound;
      if (!last.empty()) ++moves;
      last = chosen.algorithm;
    }
  }
  EXPECT_GE(moves, kSeeds);
}

}  // namespace
}  // namespace fredsim::test
