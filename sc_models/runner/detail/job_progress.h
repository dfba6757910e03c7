// SPDX-License-Identifier: Apache-2.0
// Progress of a job: a line on standard error, and the file of --progress.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "report/progress.h"
#include "report/progress_log.h"
#include "report/time_left.h"
#include "runner/run_options.h"

namespace fredsim {

class JobProgress {
 public:
  // `job`: name of the job. With --quiet there is no line. `may_replay`: the run may replay
  // repeated work.
  JobProgress(const OutputOptions& options, const std::string& job, bool may_replay);

  bool is_wanted() const { return line_.has_value() || log_ != nullptr; }
  // `first`, `repeated`: work of the first round and of later ones (report/time_left.h).
  void update(ProgressState state, const WorkDone& first, const WorkDone& repeated = {});
  // Prints a line on standard error that stays; not with --quiet.
  void say(const std::string& text);
  // `state` at the end of the job.
  void complete(ProgressState state);

 private:
  std::chrono::steady_clock::time_point start_;
  TimeLeft left_;
  std::optional<ProgressLine> line_;
  ProgressLog* log_;  // null: none
};

}  // namespace fredsim
