// SPDX-License-Identifier: Apache-2.0
#include "runner/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <systemc>
#include <utility>

#include "base/error.h"
#include "report/json.h"
#include "report/network_table.h"
#include "report/optimum_table.h"
#include "report/training_json.h"
#include "runner/detail/chunk_options.h"
#include "runner/detail/timeline_output.h"
#include "runner/interrupt.h"
#include "runner/job_runner.h"
#include "runner/machines.h"

namespace fredsim {
namespace {

template <class... Functions>
struct Cases : Functions... {
  using Functions::operator()...;
};

// Speed-up over the faster of the base, in `table`, and its best self, in `table` or `run`.
double over_best(const std::vector<ReportedRun>& table, const ReportedRun& run) {
  double speedup = run.comparison->speedup;
  if (table.size() > 1)
    speedup = std::min(speedup, compare_to_base(table[1].result, run.result).speedup);
  return run.is_best_base ? std::min(speedup, 1.0) : speedup;
}

// Runs all machines at one size before the next size, so that the first results come early. An
// interruption ends it early, with an incomplete run if one was in progress.
void run_jobs(const RunRequest& request, std::vector<ComparedMachine>& compared,
              RunObserver& observer) {
  for (std::size_t s = 0; s < request.work.sizes.size(); ++s) {
    std::vector<ReportedRun> table;
    for (ComparedMachine& entry : compared) {
      if (interrupt_flag()) break;
      ReportedRun run{.result = run_job(entry, s, request), .comparison = std::nullopt};
      run.result.workers = workers_of(entry.work, entry.config.topology);
      name_orders(request.work.chunking, run.result);
      run.is_best_base = entry.is_best_base;
      if (!table.empty() && !run.result.incomplete) {
        run.comparison = compare_to_base(table.front().result, run.result);
        if (request.best_base) run.speedup_best_base = over_best(table, run);
      }
      entry.runs.push_back(run);
      table.push_back(std::move(run));
    }
    if (!table.empty()) observer.on_runs(table);
  }
}

void finish_waves(std::vector<ComparedMachine>& compared) {
  for (ComparedMachine& entry : compared) {
    if (entry.machine == nullptr) continue;
    if (WaveRecorder* const wave = entry.machine->wave()) wave->finish();
  }
}

// Runs the jobs of a question in the kernel, once per process.
void simulate(const std::function<void()>& jobs, RunObserver& observer, const Results& results) {
  JobRunner runner("jobs", jobs);
  sc_core::sc_start();
  observer.on_end(results);
  runner.finish();
}

void check_elaborates() {
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION)
    throw BadInput(
        "run: found SystemC started before; allowed: one question of works or training in a "
        "process, and none beside a simulation");
}

Results answer(const RunRequest& request, RunObserver& observer, const FileUses& files) {
  check_elaborates();
  const std::optional<OutputFile> timeline_file = open_output("--timeline", request.timeline_file);
  const std::optional<OutputFile> series_file = open_output("--series-file", request.series.file);
  Results results = WorkResults{};
  auto& work = std::get<WorkResults>(results);
  work.machines = plan_work(request, files);
  work.asked = work.machines.size() * request.work.sizes.size();
  if (timeline_file) work.timeline = std::make_unique<Timeline>();
  const auto finish_timeline = [&] {
    if (timeline_file)
      write_timeline(*timeline_file, *work.timeline, ", half of them packets and additions",
                     "a smaller --size or --timeline-level shows all");
  };
  elaborate(request, files, work.machines, work.timeline.get());
  try {
    simulate([&] { run_jobs(request, work.machines, observer); }, observer, results);
  } catch (const Error& error) {
    if (error.code() == ExitCode::kFailed) finish_timeline();
    throw;
  }
  finish_waves(work.machines);
  for (ComparedMachine& entry : work.machines) {
    std::ranges::move(entry.runs, std::back_inserter(work.runs));
    entry.machine.reset();  // frees memory for the results' text
    entry.plans.clear();
  }
  finish_timeline();
  if (series_file) write_series(*series_file, work.runs);
  return results;
}

Results answer(const TrainRequest& request, RunObserver& observer, const FileUses& files) {
  check_elaborates();
  const std::optional<OutputFile> timeline_file = open_output("--timeline", request.timeline_file);
  const auto jobs = std::make_shared<TrainingJobs>(request, files);
  Results results = jobs;
  simulate([&] { jobs->run(); }, observer, results);
  if (timeline_file && !jobs->results().empty())
    write_timeline(*timeline_file, jobs->timeline(), "",
                   "fewer --iterations, or one machine by itself, show more");
  return results;
}

Results answer(const TrafficRequest& request, RunObserver& observer, const FileUses& /*files*/) {
  const std::optional<OutputFile> series_file = open_output("--series-file", request.series.file);
  const auto jobs = std::make_shared<TrafficJobs>(request);
  Results results = jobs;
  try {
    jobs->measure();
  } catch (const Error&) {
    observer.on_end(results);
    throw;
  }
  observer.on_end(results);
  jobs->finish_wave();
  if (series_file) write_series(*series_file, jobs->setup(), jobs->points());
  return results;
}

Results answer(const OptimizeRequest& request, RunObserver& observer, const FileUses& /*files*/) {
  const auto* const network = std::get_if<TopooptAsked>(&request.search);
  const std::optional<OutputFile> machine_file =
      open_output("--write", network != nullptr ? network->machine_file : "");
  const MachineConfig machine = std::move(load_machines(request, request.quiet).front());
  Results results = std::visit(
      Cases{
          [&](const BandwidthOptions& asked) -> Results { return find_bandwidths(machine, asked); },
          [&](const TopooptAsked& asked) -> Results { return find_network(machine, asked); }},
      request.search);
  if (machine_file) machine_file->write(std::get<FoundNetwork>(results).machine);
  observer.on_end(results);
  return results;
}

Results answer(const StrategiesRequest& request, RunObserver& observer, const FileUses&) {
  Results results = find_strategies(request);
  observer.on_end(results);
  return results;
}

Results answer(const ConflictsRequest& request, RunObserver& observer, const FileUses&) {
  Results results = find_conflicts(request);
  observer.on_end(results);
  return results;
}

}  // namespace

Results run(const Question& question, RunObserver& observer, const FileUses& files) {
  interrupt_flag();
  return std::visit([&](const auto& request) { return answer(request, observer, files); },
                    question);
}

std::string results_text(const Results& results, const Origin& origin) {
  return std::visit(
      Cases{[&](const WorkResults& work) { return results_json(origin, work.runs); },
            [&](const TrainResults& jobs) {
              return training_json(origin, jobs->asked(), jobs->workload(), jobs->results());
            },
            [&](const TrafficResults& jobs) {
              return traffic_json(origin, jobs->setup(), jobs->points());
            },
            [&](const FoundBandwidths& found) {
              return optimum_json(origin, found.setup, found.result);
            },
            [&](const FoundNetwork& found) {
              return network_json(origin, found.setup, found.result);
            },
            [&](const FoundStrategies& found) { return strategy_json(origin, found.report); },
            [&](const FoundConflicts& found) {
              return conflicts_json(origin, found.setup, found.points);
            }},
      results);
}

bool has_results(const Results& results) {
  return std::visit(Cases{[](const TrainResults& jobs) { return !jobs->results().empty(); },
                          [](const FoundStrategies& found) { return !found.report.runs.empty(); },
                          [](const FoundConflicts& found) { return !found.points.empty(); },
                          [](const auto& /*others*/) { return true; }},
                    results);
}

void check_complete(const Results& results) {
  const auto count = [](const auto& list, const auto& is_complete) {
    return static_cast<std::size_t>(std::ranges::count_if(list, is_complete));
  };
  std::visit(
      Cases{[&](const WorkResults& work) {
              const std::size_t complete =
                  count(work.runs, [](const ReportedRun& run) { return !run.result.incomplete; });
              if (complete < work.asked)
                throw Interrupted(
                    fmt::format("interrupted: {} of {} runs complete", complete, work.asked));
            },
            [&](const TrainResults& jobs) {
              const std::size_t complete = count(jobs->results(), [](const TrainingResult& result) {
                return !result.run.incomplete;
              });
              if (complete < jobs->machines().size())
                throw Interrupted(fmt::format("interrupted: {} of {} machines complete", complete,
                                              jobs->machines().size()));
            },
            [&](const TrafficResults& jobs) {
              if (jobs->is_complete()) return;
              throw Interrupted(fmt::format("interrupted: {} rates complete",
                                            count(jobs->points(), [](const TrafficPoint& point) {
                                              return !point.incomplete;
                                            })));
            },
            [](const FoundBandwidths&) {},
            [](const FoundNetwork& found) {
              if (found.is_interrupted) throw Interrupted("interrupted: the best network so far");
            },
            [](const FoundStrategies& found) {
              if (found.done < found.asked)
                throw Interrupted(fmt::format("interrupted: {} of {} strategies checked",
                                              found.done, found.asked));
            },
            [](const FoundConflicts& found) {
              if (found.done < found.asked)
                throw Interrupted(fmt::format("interrupted: {} of {} sets of flows tried",
                                              found.done, found.asked));
            }},
      results);
}

}  // namespace fredsim
