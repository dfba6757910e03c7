// SPDX-License-Identifier: Apache-2.0
// Answers a question: the single path from a user's question to results.
//
//   fredsim::TrainRequest request;
//   request.machines = {{.path = "configs/mesh.yaml"}, {.path = "configs/fred_d.yaml"}};
//   request.is_flow = true;
//   request.train = fredsim::train_options(texts, {});
//   fredsim::RunObserver nobody;
//   const fredsim::Results results = fredsim::run(request, nobody);
//   std::cout << fredsim::results_text(results, {.command = "mine"});
//
// SystemC: works and training, by flits or by flows (whose calibration runs flits), are elaborated
//   and simulated here, once per process. Traffic and searches need no SystemC and may run any
//   number of times.
// Files: output files that the question names, other than its results, are opened first and written
//   here; after a failed run, the timeline up to the failure.
// Interrupted (runner/interrupt.h): results so far, with an incomplete run.
// Errors: BadInput and RoutingConflict before the first cycle, RunFailed; BadInput if SystemC has
//   been started before.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "results/document.h"
#include "runner/bandwidth_jobs.h"
#include "runner/file_uses.h"
#include "runner/question.h"
#include "runner/routability.h"
#include "runner/topoopt_run.h"

namespace fredsim {

struct WorkResults {
  std::vector<ComparedMachine> machines;  // with their runs until the end
  std::vector<ReportedRun> runs;          // at the end: by machine, then size
  std::size_t asked = 0;               // number of runs; fewer are complete after an interruption
  std::unique_ptr<Timeline> timeline;  // present if the question names a file
};
using TrainResults = std::shared_ptr<TrainingJobs>;
using TrafficResults = std::shared_ptr<TrafficJobs>;
using Results = std::variant<WorkResults, TrainResults, TrafficResults, FoundBandwidths,
                             FoundNetwork, FoundStrategies, FoundConflicts>;

// Observer of results as they arrive.
class RunObserver {
 public:
  RunObserver() = default;
  virtual ~RunObserver() = default;
  RunObserver(const RunObserver&) = delete;
  RunObserver& operator=(const RunObserver&) = delete;
  // Called with a work at one size, on all machines.
  virtual void on_runs(std::span<const ReportedRun> /*runs*/) {}
  // Called at the end, also before an error is thrown.
  virtual void on_end(const Results& /*results*/) {}
};

// Answers the question. `files`: files that the caller reads and writes; no placement or trace of
// the question may overwrite them.
Results run(const Question& question, RunObserver& observer, const FileUses& files = {});

// Results in the form of --json.
std::string results_text(const Results& results, const Origin& origin);

// False if an interruption left nothing to report.
bool has_results(const Results& results);

// Throws Interrupted if the results are not complete.
void check_complete(const Results& results);

}  // namespace fredsim
