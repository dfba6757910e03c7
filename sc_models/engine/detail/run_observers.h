// SPDX-License-Identifier: Apache-2.0
// Observers of the runs of a machine, if any: its timeline, its breakdown of latencies and the series
// of its links. Jobs come and go during a run; a run of one plan is one job.
//
// Use: start() before the first edge, add() before a job's NPUs are released, edge() after every
//   edge, remove() when a job is complete, end_run(), fill(), which does nothing without start().
//   Remaining jobs stay until end_run().
// Errors: an error found by a breakdown ends a job in flight (CollectiveJob::fail()); fill(),
//   remove(): RunFailed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "npu/npu_observer.h"
#include "operations/equal_slices.h"
#include "trace/collective_breakdown.h"
#include "trace/link_series_recorder.h"
#include "trace/observed_job.h"
#include "trace/timeline_recorder.h"

namespace fredsim {

struct FabricOptions;

class RunObservers {
 public:
  RunObservers(const FabricOptions& options, Fabric& fabric);

  bool empty() const { return npus_.empty() && series_ == nullptr; }
  NpuObserver& npus() { return npus_; }  // observer that the NPUs call

  void start(std::uint64_t first_edge, std::span<const Part* const> work);  // parts of its result
  void add(const ObservedJob& job, std::span<const PhaseProgram> programs);
  void edge();
  void remove(const CollectiveJob& job);
  void end_run(std::uint64_t cycles);
  void run_failed(const std::string& message);
  void drop_run();  // undoes the last run, which is made again
  // `slices`: slices of the run, whose counters the result has.
  void fill(const EqualSlices& slices, RunResult& result);

 private:
  std::unique_ptr<TimelineRecorder> recorder_;
  std::unique_ptr<CollectiveBreakdown> breakdown_;
  std::unique_ptr<LinkSeriesRecorder> series_;
  Fabric& fabric_;
  std::uint64_t first_edge_ = 0;
  NpuObservers npus_;
  bool is_running_ = false, has_run_ = false;
};

}  // namespace fredsim
