// SPDX-License-Identifier: Apache-2.0
// Answers a question: the one way from what a user asks to results.
//
//   fredsim::TrainRequest request;
//   request.machines = {{.path = "configs/mesh.yaml"}, {.path = "configs/fred_d.yaml"}};
//   request.is_flow = true;
//   request.train = fredsim::train_options(texts, {});
//   fredsim::RunObserver nobody;
//   const fredsim::Results results = fredsim::run(request, nobody);
//   std::cout << fredsim::results_text(results, {.command = "mine"});
//
// SystemC: works and training, by flits or by flows, whose calibration runs flits, are elaborated
//   and simulated here, once in a process; traffic and searches need no SystemC and may be run as
//   often as one likes.
// Files: those that the question names beside its results are tried first and written here; after a
//   failed run the timeline until then.
// Interrupted (runner/interrupt.h): results so far, with an incomplete run.
// Errors: BadInput and RoutingConflict before the first cycle, RunFailed; BadInput where SystemC
//   has been started before.
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
  std::vector<ComparedMachine> machines;  // with their runs until nothing more comes
  std::vector<ReportedRun> runs;          // in the order of machines, then sizes: from then on
  std::size_t asked = 0;                  // runs; fewer are complete where it was interrupted
  std::unique_ptr<Timeline> timeline;     // where the question names a file for it
};
using TrainResults = std::shared_ptr<TrainingJobs>;
using TrafficResults = std::shared_ptr<TrafficJobs>;
using Results = std::variant<WorkResults, TrainResults, TrafficResults, FoundBandwidths,
                             FoundNetwork, FoundStrategies, FoundConflicts>;

// Looks at results while they come.
class RunObserver {
 public:
  RunObserver() = default;
  virtual ~RunObserver() = default;
  RunObserver(const RunObserver&) = delete;
  RunObserver& operator=(const RunObserver&) = delete;
  // A work at one size, on all machines.
  virtual void on_runs(std::span<const ReportedRun> /*runs*/) {}
  // Nothing more comes; before an error is thrown, too.
  virtual void on_end(const Results& /*results*/) {}
};

// `files`: files that the caller reads and writes, which no placement or trace of the question may
// overwrite.
Results run(const Question& question, RunObserver& observer, const FileUses& files = {});

// Results in the form of --json.
std::string results_text(const Results& results, const Origin& origin);

// Interrupted, where the results are not complete.
void check_complete(const Results& results);

}  // namespace fredsim
