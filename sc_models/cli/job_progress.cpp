// SPDX-License-Identifier: Apache-2.0
#include "cli/job_progress.h"

#include <chrono>

namespace fredsim {
namespace {

using WallClock = std::chrono::steady_clock;

}  // namespace

JobProgress::JobProgress(const OutputOptions& options, const std::string& job)
    : log_(options.progress_log.get()) {
  const auto now = WallClock::now();
  if (!options.quiet) line_.emplace(stderr, progress_style(stderr), job, now);
  if (log_ != nullptr) log_->begin(job, now);
}

void JobProgress::update(const ProgressState& state) {
  const auto now = WallClock::now();
  if (line_) line_->update(state, now);
  if (log_ != nullptr) log_->update(state, now);
}

void JobProgress::complete(ProgressState state) {
  state.share = 1;
  if (log_ != nullptr) log_->complete(state, WallClock::now());
}

}  // namespace fredsim
