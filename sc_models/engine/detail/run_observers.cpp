// SPDX-License-Identifier: Apache-2.0
#include "engine/detail/run_observers.h"

#include <utility>

#include "engine/machine.h"

namespace fredsim {

RunObservers::RunObservers(const FabricOptions& options, Fabric& fabric) : fabric_(fabric) {
  if (options.timeline != nullptr) {
    recorder_ = std::make_unique<TimelineRecorder>(
        *options.timeline, options.timeline_level,
        options.timeline_name.empty() ? fabric.topology().name : options.timeline_name, fabric);
    npus_.add(*recorder_);
  }
  if (options.breakdown.is_on) {
    breakdown_ = std::make_unique<CollectiveBreakdown>(options.breakdown, fabric);
    npus_.add(*breakdown_);
  }
  if (options.series_cycles > 0)
    series_ = std::make_unique<LinkSeriesRecorder>(fabric.topology(), fabric.core(),
                                                   fabric.switches(), options.series_cycles);
}

void RunObservers::start(std::uint64_t first_edge, std::span<const Part* const> work) {
  is_running_ = has_run_ = true;
  if (breakdown_ != nullptr) breakdown_->begin_run(work.size());
  if (recorder_ != nullptr) recorder_->begin_run(first_edge, work);
  if (series_ != nullptr) series_->begin(0);
  first_edge_ = first_edge;
}

// Skips a job without trees: it sends no packet, and its number may belong to another job.
void RunObservers::add(const ObservedJob& job, std::span<const PhaseProgram> programs) {
  if (!is_running_ || job.job->plan().trees.empty()) return;
  if (recorder_ != nullptr) recorder_->add(job);
  if (breakdown_ != nullptr) breakdown_->add(job, programs);
}

void RunObservers::edge() {
  if (!is_running_) return;
  if (recorder_ != nullptr) recorder_->edge();
  if (breakdown_ != nullptr) breakdown_->edge_of_run();
  if (series_ != nullptr) series_->edge(fabric_.core().edge() - first_edge_);
}

void RunObservers::remove(const CollectiveJob& job) {
  if (!is_running_ || job.plan().trees.empty()) return;
  if (recorder_ != nullptr) recorder_->remove(job);
  if (breakdown_ != nullptr) breakdown_->remove(job);
}

void RunObservers::end_run(std::uint64_t cycles) {
  is_running_ = false;
  if (recorder_ != nullptr) recorder_->end_run(cycles);
}

void RunObservers::run_failed(const std::string& message) {
  is_running_ = has_run_ = false;
  if (recorder_ != nullptr) recorder_->run_failed(message);
}

void RunObservers::drop_run() {
  if (recorder_ != nullptr) recorder_->drop_run();
}

void RunObservers::fill(const EqualSlices& slices, RunResult& result) {
  if (!std::exchange(has_run_, false)) return;
  if (breakdown_ != nullptr) breakdown_->fill(result);
  if (series_ != nullptr)
    result.series = series_->result(result.cycles, result.links, result.switches, slices.link_like,
                                    slices.switch_like);
}

}  // namespace fredsim
