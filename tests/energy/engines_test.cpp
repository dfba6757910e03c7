// SPDX-License-Identifier: Apache-2.0
// Energy of a run does not depend on how it was simulated: in full, skipped, by one slice for all,
// or as flows. Random machines of every kind of switch, groups, collectives and sizes, from seeds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "config/config.h"
#include "energy/run_energy.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "engine/work_run.h"
#include "flow/flow_traffic.h"
#include "runner/flow_results.h"
#include "support/random_machine.h"
#include "support/random_work.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

constexpr int kSeeds = 400;

EnergyFigures all_figures() {
  return {.link = 0.063,
          .io_link = 0.063,
          .memory_read = 0.018,
          .memory_write = 0.026,
          .npu_memory = 3.9,
          .npu_compute = 0.7};
}

void expect_sums_up(const EnergyResult& energy) {
  double sum = 0;
  for (const EnergyPart& part : kEnergyParts) sum += (energy.parts.*part.value).value_or(0);
  EXPECT_NEAR(energy.total, sum, 1e-9 * sum);
}

void expect_same(const EnergyResult& a, const EnergyResult& b, bool is_flow = false) {
  EXPECT_EQ(a.missing, b.missing);
  EXPECT_EQ(a.events, b.events);
  for (const EnergyPart& part : kEnergyParts) {
    if (is_flow && part.name == "tables_pj") continue;
    EXPECT_EQ(a.parts.*part.value, b.parts.*part.value) << part.name;
  }
  EXPECT_EQ(a.bits, b.bits);
}

// Aggregators beyond the measured ones have no energy.
Topology measured_machine(Random& random) {
  while (true) {
    Topology topology = random_machine(random);
    RunResult none;
    none.links.resize(topology.links.size());
    if (energy_of(topology, {}, none).missing.empty()) return topology;
  }
}

TEST(EnergyOfEngines, IsThatOfARunInFull) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(static_cast<std::uint64_t>(seed));
    const Topology topology = measured_machine(random);
    const int npus = static_cast<int>(topology.npus.size());
    const Plan plan =
        make_plan(topology, random_work(random, npus, 2, 60'000), OnConflict::kUnicast);
    Topology whole = topology;
    whole.simulate_all_slices = true;
    Simulation simulation;
    Machine skipping("skipping", topology, {.seed = 1});
    Machine full("full", whole, {.seed = 1, .skip = false});
    simulation.run([&] {
      const RunResult expected = run_plan(full, plan);
      const EnergyResult energy = energy_of(topology, all_figures(), expected);
      ASSERT_EQ(energy.missing, "");
      expect_sums_up(energy);
      expect_same(energy_of(topology, all_figures(), run_plan(skipping, plan)), energy);
      RunResult flow;
      flow.flow.emplace();
      fill_flow_run(topology, static_cast<double>(expected.cycles), flow);
      fill_flow_links(topology, flow_traffic(topology, plan), flow);
      flow.parts = expected.parts;
      expect_same(energy_of(topology, all_figures(), flow), energy, true);
    });
  }
}

// Repetitions of an operation, which are replayed.
TEST(EnergyOfEngines, IsThatOfRepetitionsOneByOne) {
  for (int seed = 0; seed < kSeeds / 4; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(static_cast<std::uint64_t>(1000 + seed));
    const Topology topology = measured_machine(random);
    CollectiveSpec spec = random_spec(random, static_cast<int>(topology.npus.size()), 20'000);
    spec.start_cycle = 0;
    WorkStep step;
    step.specs = {spec};
    step.repeat = 12;
    const WorkPlan work = plan_steps(topology, {step}, OnConflict::kUnicast);
    Simulation simulation;
    Machine replaying("replaying", topology, {.seed = 1});
    Machine full("full", topology, {.seed = 1, .skip = false});
    simulation.run([&] {
      const EnergyResult energy = energy_of(topology, all_figures(), run_work(full, work));
      expect_sums_up(energy);
      expect_same(energy_of(topology, all_figures(), run_work(replaying, work)), energy);
      FlowTraffic traffic = no_traffic(topology);
      add_traffic(flow_traffic(topology, work.batches.front().plan->plan), 12, traffic);
      RunResult flow;
      flow.flow.emplace();
      fill_flow_links(topology, traffic, flow);
      EXPECT_EQ(energy_of(topology, all_figures(), flow).events, energy.events);
    });
  }
}

}  // namespace
}  // namespace fredsim::test
