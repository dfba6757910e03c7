#include "engine/simulated_plans.h"

#include <algorithm>

#include "engine/run_counts.h"
#include "engine/window_counts.h"

namespace fredsim {
namespace {

int most_slices(const Topology& topology,
                std::span<const std::shared_ptr<const PreparedPlan>> plans) {
  int most = 0;
  for (const auto& plan : plans) most = std::max(most, slices_used(topology, plan->plan));
  return most;
}

std::shared_ptr<const PreparedPlan> simulated_part(const PreparedPlan& whole,
                                                   const EqualSlices& slices) {
  auto some = std::make_shared<PreparedPlan>(whole);
  some->plan = slices.simulated(whole.plan);
  some->copies = slices.copies(some->plan);
  some->missing_bytes = missing_bytes(some->plan);
  return some;
}

}  // namespace

SimulatedPlans plans_to_simulate(const Machine& machine,
                                 std::span<const std::shared_ptr<const PreparedPlan>> plans) {
  SimulatedPlans result;
  std::vector<const Plan*> whole;
  for (const auto& plan : plans) whole.push_back(&plan->plan);
  const Topology& topology = machine.topology();
  result.all = most_slices(topology, plans);
  result.slices =
      machine.leaves_slices_out() ? find_equal_slices(topology, whole) : all_slices(topology);
  for (const auto& plan : plans) {
    result.plans.push_back(result.slices.port_like.empty() ? plan
                                                           : simulated_part(*plan, result.slices));
  }
  result.simulated = most_slices(topology, result.plans);
  return result;
}

// Nothing waits for the streams and rows of what is left out.
SimulatedPlans plan_to_simulate(const Machine& machine, const Plan& plan) {
  const Topology& topology = machine.topology();
  SimulatedPlans result;
  result.slices =
      machine.leaves_slices_out() ? find_equal_slices(topology, plan) : all_slices(topology);
  Plan some = result.slices.simulated(plan);
  std::vector<int> copies = result.slices.copies(some);
  result.all = slices_used(topology, plan);
  result.simulated = slices_used(topology, some);
  result.plans.push_back(prepare(topology, std::move(some), std::move(copies)));
  return result;
}

std::uint64_t result_bytes(const PreparedPlan& plan) {
  std::uint64_t bytes = 0;
  for (std::size_t t = 0; t < plan.plan.trees.size(); ++t) {
    const Tree& tree = plan.plan.trees[t];
    bytes += plan.copies_of(t) * tree.bytes *
             static_cast<std::uint64_t>(std::ranges::count_if(tree.ranks, &TreeRank::receives));
  }
  return bytes;
}

void fill_run(Machine& machine, const Communicator& communicator, const SimulatedPlans& plans,
              RunResult& result) {
  const Topology& topology = machine.topology();
  result.fabric = topology.name;
  result.model = model_names(machine.fabric().switches());
  result.lanes = machine.options().lanes;
  result.clock_ghz = static_cast<double>(topology.clock_hz) / 1e9;
  result.seed = machine.options().seed;
  result.time_ns = static_cast<double>(result.cycles) / result.clock_ghz;
  result.payload = result.incomplete ? "incomplete" : "exact";
  result.delivered_bytes = communicator.delivered_bytes();
  result.idle_cycles = communicator.idle_cycles();
  result.repeated_cycles = communicator.repeated_cycles();
  result.repeated_flit_hops = communicator.repeated_flit_hops();
  const std::uint64_t skipped = result.idle_cycles + result.repeated_cycles;
  const std::uint64_t simulated = communicator.cycle() - std::min(communicator.cycle(), skipped);
  result.sim_cycles_per_s = static_cast<double>(simulated) / result.wall_s;
  result.slices = plans.all;
  result.slices_simulated = plans.simulated;
  fill_counts(plans.slices, machine.fabric(), machine.control(), machine.acknowledgements(),
              result.cycles, result);
}

void fill_operations(const Communicator& communicator, RunResult& result) {
  OperationsResult& operations = result.operations.emplace();
  const Communicator::Totals& totals = communicator.totals();
  operations.complete = totals.operations;
  operations.rows = {static_cast<std::uint64_t>(totals.preloaded), totals.rows_loaded,
                     totals.rows_found, totals.rows_evicted, communicator.words_written()};
  operations.waited_for_rows = totals.waited_for_rows;
  operations.waited_for_others = totals.waited_for_others;
}

}  // namespace fredsim
