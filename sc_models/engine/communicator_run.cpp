#include "engine/communicator_run.h"

#include <algorithm>

#include "engine/run_counts.h"
#include "engine/window_counts.h"

namespace fredsim {

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
