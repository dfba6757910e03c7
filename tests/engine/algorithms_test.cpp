// SPDX-License-Identifier: Apache-2.0
// Algorithms compared by simulation: `auto` takes one of the fastest, multi_tree comes close to the
// bound of any all-reduce, and completes with the smallest buffers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "collective/algorithm.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/random_range.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

constexpr const char* kAlgorithms[] = {"in_switch", "multi_tree", "hier_direct", "direct",
                                       "tree",      "hier_ring",  "ring",        "chain"};

std::vector<int> everyone(const Topology& topology) {
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  return group;
}

std::uint64_t cycles_of(Machine& machine, const Plan& plan) {
  const RunResult result = run_plan(machine, plan);
  EXPECT_EQ(result.payload, "exact");
  return result.cycles;
}

// A grid of works on five machines; scripts/reproduce algorithms prints a larger one.
TEST(Algorithms, AutoTakesOneOfTheFastest) {
  int lines = 0;
  int near = 0;
  for (const std::string name : {"mesh", "torus", "mesh_reducing", "fred_a", "fred_c", "fred_d"}) {
    const Topology topology = load_config("configs/" + name + ".yaml").topology;
    Simulation simulation;
    Machine machine("machine", topology, {});
    simulation.run([&] {
      for (const Collective collective :
           {Collective::kAllReduce, Collective::kReduceScatter, Collective::kBroadcast}) {
        for (const std::vector<int>& group :
             {everyone(topology), std::vector<int>{0, 4, 8, 12, 16}}) {
          for (const std::uint64_t bytes : {1, 64 << 10, 768 << 10}) {
            std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
            std::string others;
            for (const char* algorithm : kAlgorithms) {
              try {
                const Plan plan = make_plan(topology, collective, group, bytes, algorithm);
                const std::uint64_t cycles = cycles_of(machine, plan);
                others += fmt::format(" {} {}", algorithm, cycles);
                best = std::min(best, cycles);
              } catch (const BadInput&) {  // not on this machine
              }
            }
            const Plan plan = make_plan(topology, collective, group, bytes, "auto");
            const auto ratio =
                static_cast<double>(cycles_of(machine, plan)) / static_cast<double>(best);
            EXPECT_LE(ratio, 1.3) << name << " " << to_string(collective) << " of " << group.size()
                                  << ", " << bytes << " bytes: " << plan.parts[0].algorithm << " of"
                                  << others;
            ++lines;
            if (ratio <= 1.1) ++near;
          }
        }
      }
    });
  }
  EXPECT_GE(near, 0.95 * lines) << "of " << lines;
}

struct Grid {
  Grid(Random& random, int width, int height)
      : width(width),
        height(height),
        name(random.below(2) == 0 ? "mesh" : "torus"),
        topology(load_config("configs/" + name + ".yaml",
                             {fmt::format("npu.count={}", width * height),
                              fmt::format("fabric.width={}", width),
                              fmt::format("fabric.height={}", height), "io.count=0"})
                     .topology) {}
  int width, height;
  std::string name;
  Topology topology;
};

CollectiveSpec random_spec(Random& random, const Topology& topology, Collective collective) {
  CollectiveSpec spec;
  spec.collective = collective;
  spec.group = everyone(topology);
  if (random.below(2) == 0) {
    for (std::size_t k = spec.group.size(); k > 1; --k)
      std::swap(spec.group[k - 1], spec.group[random.below(k)]);
    spec.group.resize(random_between(random, std::size_t{2}, spec.group.size()));
  }
  spec.bytes = std::uint64_t{1} << random.below(19);
  if (collective == Collective::kReduce || collective == Collective::kBroadcast)
    spec.root = static_cast<int>(random.below(spec.group.size()));
  return spec;
}

// Cycles of the fastest of all algorithms and both lengths of packets.
std::uint64_t best_cycles(Machine& machine, const Topology& topology, CollectiveSpec spec,
                          std::string& all) {
  std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->is_in_switches()) continue;
    for (const int flits : {0, 2}) {
      spec.algorithm = algorithm->name();
      spec.packet_flits = flits;
      try {
        const std::uint64_t cycles = cycles_of(machine, make_plan(topology, {&spec, 1}));
        all += fmt::format(" {}/{} {}", spec.algorithm, flits, cycles);
        best = std::min(best, cycles);
      } catch (const BadInput&) {  // not for this group
      }
    }
  }
  return best;
}

// Any group, root and size on any grid, by packets of the machine's length and of 1 KiB.
TEST(Algorithms, AutoOnGridsIsWithinThreePercent) {
  constexpr std::uint64_t kSeeds = 16;
  int lines = 0;
  int near = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Random random(seed);
    const Grid grid(random, random_between(random, 2, 6), random_between(random, 2, 6));
    Simulation simulation;
    Machine machine("machine", grid.topology, {});
    simulation.run([&] {
      for (const Collective collective :
           {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather,
            Collective::kReduce, Collective::kBroadcast}) {
        const CollectiveSpec spec = random_spec(random, grid.topology, collective);
        std::string all;
        const std::uint64_t best = best_cycles(machine, grid.topology, spec, all);
        const Plan plan = make_plan(grid.topology, {&spec, 1});
        const auto ratio =
            static_cast<double>(cycles_of(machine, plan)) / static_cast<double>(best);
        EXPECT_LE(ratio, 1.1) << "seed " << seed << ", " << grid.name << " of " << grid.width
                              << " x " << grid.height << ", " << to_string(collective) << " of "
                              << spec.group.size() << ", " << spec.bytes
                              << " bytes: " << plan.parts[0].algorithm << "/"
                              << plan.parts[0].packet_flits << " of" << all;
        ++lines;
        if (ratio <= 1.03) ++near;
      }
    });
  }
  EXPECT_GE(near, 0.97 * lines) << "of " << lines;
}

TEST(Algorithms, MultiTreeReachesItsBound) {
  for (const std::string name : {"mesh", "torus"}) {
    const Topology topology = load_config("configs/" + name + ".yaml").topology;
    Simulation simulation;
    Machine machine("machine", topology, {});
    simulation.run([&] {
      constexpr std::uint64_t kBytes = 16 << 20;
      const RunResult result = run_plan(
          machine,
          make_plan(topology, Collective::kAllReduce, everyone(topology), kBytes, "multi_tree"));
      const double links = name == "mesh" ? 31 : 40;
      EXPECT_NEAR(result.bound_ns, 19 / links * kBytes / 750, 0.002 * result.bound_ns);
      EXPECT_LT(result.time_ns, 1.05 * result.bound_ns);
    });
  }
}

// Long blocks, whose packets have an order: it must not make channels wait for each other.
TEST(Algorithms, AllToAllOnAMeshReachesItsBound) {
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  Simulation simulation;
  Machine machine("machine", topology, {});
  simulation.run([&] {
    const Plan plan =
        make_plan(topology, Collective::kAllToAll, everyone(topology), 4 << 20, "paper");
    const RunResult result = run_plan(machine, plan);
    EXPECT_LT(result.time_ns, 1.05 * result.bound_ns);
  });
}

// A source that sends copies by several ports goes on as soon as there is room for a packet more at
// each.
TEST(Algorithms, CopiesBySeveralPortsKeepTheirLinksBusy) {
  for (const std::string name : {"mesh", "torus"}) {
    const Topology topology = load_config("configs/" + name + ".yaml").topology;
    Simulation simulation;
    Machine machine("machine", topology, {});
    simulation.run([&] {
      const auto cycles = [&](const char* algorithm) {
        return cycles_of(machine, make_plan(topology, Collective::kAllGather, {0, 4, 8, 12, 16},
                                            1 << 20, algorithm));
      };
      EXPECT_LT(10 * cycles("direct"), 12 * cycles("ring")) << name;
    });
  }
}

// Buffers of one packet on a mesh and of little more on a torus, which needs that for its rings.
TEST(Algorithms, RunThroughWithTheSmallestBuffers) {
  const std::vector<std::string> small{"switch.input_buffer=4KiB", "npu.receive_buffer=4KiB"};
  const std::vector<std::string> rings{"switch.input_buffer=8KiB", "npu.receive_buffer=8KiB"};
  for (const std::string name : {"mesh", "torus"}) {
    const Topology topology =
        load_config("configs/" + name + ".yaml", name == "mesh" ? small : rings).topology;
    Simulation simulation;
    Machine machine("machine", topology, {});
    simulation.run([&] {
      for (const char* algorithm : {"multi_tree", "tree", "direct"}) {
        for (const Collective collective :
             {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
          SCOPED_TRACE(fmt::format("{} {} {}", name, algorithm, to_string(collective)));
          cycles_of(machine,
                    make_plan(topology, collective, everyone(topology), 300'000, algorithm));
        }
      }
    });
  }
}

}  // namespace
}  // namespace fredsim::test
