// SPDX-License-Identifier: Apache-2.0
#include "engine/communicator_run.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "base/error.h"
#include "engine/detail/run_observers.h"
#include "engine/gathered.h"
#include "engine/run_counts.h"
#include "engine/window_counts.h"
#include "trace/wave_recorder.h"

namespace fredsim {
namespace {

void wait_timed(Communicator& communicator, RunResult& result) {
  const auto wall_start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  communicator.wait_all();
  result.cpu_s = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;
  result.wall_s = wall.count();
}

}  // namespace

RunResult run_to_end(Machine& machine, Communicator& communicator, const SimulatedPlans& plans,
                     const RunSteps& steps,
                     const std::function<void(const Progress&)>& on_progress) {
  RunObservers& observers = machine.observers();
  try {
    communicator.begin(steps.routes);
    communicator.observe(steps.parts);
    for (std::size_t p = 0; p < steps.first_issues.size(); ++p)
      communicator.expect_first(*steps.expected[p], steps.first_issues[p]);
    steps.issue();
    for (const auto& plan : steps.expected) communicator.expect(plan);
    communicator.skip_idle(steps.memoises);
    communicator.start();
    communicator.report_to(on_progress, steps.total_bytes);
    RunResult result;
    wait_timed(communicator, result);
    result.incomplete = communicator.stopped();
    result.cycles = result.incomplete ? communicator.cycle()
                    : steps.cycles    ? steps.cycles()
                                      : communicator.totals().last_end;
    observers.end_run(result.cycles);
    if (!result.incomplete) communicator.finish();
    fill_run(machine, communicator, plans, result);
    steps.fill(result);
    observers.fill(plans.slices, result);
    return result;
  } catch (const RunFailed& failed) {
    observers.run_failed(failed.what());
    throw;
  }
}

bool ExactRun::is_observed() const { return !machine_.observers().empty(); }

RunResult run_for_wave(Machine& machine, const std::function<RunResult()>& run) {
  bool is_again = false;
  return run_recorded(machine.wave(), [&] {
    if (std::exchange(is_again, true)) machine.observers().drop_run();
    return run();
  });
}

void fill_run(Machine& machine, const Communicator& communicator, const SimulatedPlans& plans,
              RunResult& result) {
  const Topology& topology = machine.topology();
  result.fabric = topology.name;
  Ranks* const ranks = machine.fabric().core().all_ranks();
  const SwitchModels models = switch_models(machine.fabric().switches(), ranks);
  result.model = model_names(models);
  result.lanes = machine.options().lanes;
  result.clock_ghz = static_cast<double>(topology.clock_hz) / 1e9;
  result.seed = machine.options().seed;
  result.time_ns = static_cast<double>(result.cycles) / result.clock_ghz;
  result.payload = result.incomplete ? "incomplete" : "exact";
  result.delivered_bytes = communicator.delivered_bytes();
  result.additions = communicator.additions();
  result.words_written = communicator.words_written();
  result.idle_cycles = communicator.idle_cycles();
  result.repeated_cycles = communicator.repeated_cycles();
  result.repeated_flit_hops = summed({communicator.repeated_flit_hops()}, ranks).front();
  const std::uint64_t skipped = result.idle_cycles + result.repeated_cycles;
  const std::uint64_t simulated = communicator.cycle() - std::min(communicator.cycle(), skipped);
  result.sim_cycles_per_s = static_cast<double>(simulated) / result.wall_s;
  result.slices = plans.all;
  result.slices_simulated = plans.simulated;
  fill_counts(plans.slices, machine.fabric(), machine.control(), models,
              summed(machine.acknowledgements(), ranks), result.cycles, result);
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
