// SPDX-License-Identifier: Apache-2.0
#include "runner/detail/job_progress.h"

#include <chrono>

namespace fredsim {
namespace {

using WallClock = std::chrono::steady_clock;

}  // namespace

JobProgress::JobProgress(const OutputOptions& options, const std::string& job, bool may_replay)
    : start_(WallClock::now()), left_(may_replay), log_(options.progress_log.get()) {
  if (!options.quiet) line_.emplace(stderr, progress_style(stderr), job, start_);
  if (log_ != nullptr) log_->begin(job, start_);
}

void JobProgress::update(ProgressState state, const WorkDone& first, const WorkDone& repeated) {
  const auto now = WallClock::now();
  left_.note(std::chrono::duration<double>(now - start_).count(), first, repeated);
  state.left_s = left_.seconds();
  if (line_) line_->update(state, now);
  if (log_ != nullptr) log_->update(state, now);
}

void JobProgress::say(const std::string& text) {
  if (line_) line_->say(text);
}

void JobProgress::complete(ProgressState state) {
  state.share = 1;
  if (log_ != nullptr) log_->complete(state, WallClock::now());
}

}  // namespace fredsim
