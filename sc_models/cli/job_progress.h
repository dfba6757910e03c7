// SPDX-License-Identifier: Apache-2.0
// Progress of a job for whoever wants it: a line on standard error, and the file of --progress.
#pragma once

#include <optional>
#include <string>

#include "cli/option_groups.h"
#include "report/progress.h"
#include "report/progress_log.h"

namespace fredsim {

class JobProgress {
 public:
  // `job` names it. With --quiet there is no line.
  JobProgress(const OutputOptions& options, const std::string& job);

  bool is_wanted() const { return line_.has_value() || log_ != nullptr; }
  void update(const ProgressState& state);
  // `state` at the end of the job.
  void complete(ProgressState state);

 private:
  std::optional<ProgressLine> line_;
  ProgressLog* log_;  // null: none
};

}  // namespace fredsim
