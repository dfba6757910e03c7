// SPDX-License-Identifier: Apache-2.0
// Schedules, simulated: algorithms of MSCCL written by hand are as fast as the program's own, their
// payload is exact on every kind of fabric, and a plan read back takes the same cycles.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collective/schedule_algorithm.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "schedule_files/schedule_file.h"
#include "schedule_files/schedule_text.h"
#include "support/schedule_texts.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

const std::vector<std::string>& schedule_machines() {
  static const std::vector<std::string> kFiles{"configs/mesh.yaml", "configs/torus.yaml",
                                               "configs/fred_d.yaml",
                                               "configs/systems/own_box.yaml"};
  return kFiles;
}

// Four ranks in a row of a grid.
CollectiveSpec all_reduce_by(const std::string& algorithm, std::uint64_t bytes) {
  CollectiveSpec spec;
  spec.group = {0, 1, 2, 3};
  spec.bytes = bytes;
  spec.algorithm = algorithm;
  return spec;
}

RunResult run_alone(Machine& machine, const Topology& topology, const CollectiveSpec& spec) {
  return run_plan(machine, make_plan(topology, {&spec, 1}));
}

TEST(Schedules, WrittenByHandAreAsFastAsOurs) {
  constexpr double kClose = 0.02;
  add_schedule_algorithm(schedule_of("hand-ring.xml", msccl_ring(4)));
  add_schedule_algorithm(schedule_of("hand-halving_doubling.xml", msccl_halving_doubling(4)));
  add_schedule_algorithm(schedule_of("hand-tree.xml", msccl_trees(4)));
  for (const std::string& file : schedule_machines()) {
    const Topology topology = load_config(file).topology;
    Simulation simulation;
    Machine machine("machine", topology, {});
    simulation.run([&] {
      for (const std::string name : {"ring", "halving_doubling", "tree"}) {
        for (const std::uint64_t bytes : {std::uint64_t{100'000}, std::uint64_t{4} << 20U}) {
          SCOPED_TRACE(fmt::format("{} of {} bytes on {}", name, bytes, file));
          const RunResult own = run_alone(machine, topology, all_reduce_by(name, bytes));
          const RunResult hand =
              run_alone(machine, topology, all_reduce_by("hand-" + name + ".xml", bytes));
          EXPECT_EQ(hand.payload, "exact");
          EXPECT_NEAR(hand.time_ns / own.time_ns, 1, kClose);
        }
      }
    });
  }
}

TEST(Schedules, PlansReadBackTakeTheSameCycles) {
  for (const std::string& file : schedule_machines()) {
    const Topology topology = load_config(file).topology;
    Simulation simulation;
    Machine machine("machine", topology, {});
    simulation.run([&] {
      for (const std::string name : {"ring", "direct", "one_shot", "halving_doubling"}) {
        SCOPED_TRACE(fmt::format("{} on {}", name, file));
        const CollectiveSpec spec = all_reduce_by(name, 123'456);
        const Plan plan = make_plan(topology, {&spec, 1});
        const std::string again = fmt::format("again-{}-{}.json", topology.name, name);
        add_schedule_algorithm(schedule_of(again, schedule_text(schedule_of(topology, plan))));
        const RunResult own = run_plan(machine, plan);
        const RunResult read = run_alone(machine, topology, all_reduce_by(again, 123'456));
        EXPECT_EQ(read.payload, "exact");
        EXPECT_EQ(read.cycles, own.cycles);
      }
    });
  }
}

}  // namespace
}  // namespace fredsim::test
