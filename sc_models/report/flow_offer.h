// SPDX-License-Identifier: Apache-2.0
// Offer of `--engine flow` during a long exact run of training: what flows of the same run cost,
// and how far they are off the exact run so far.
//
// When: once, as soon as the whole run is estimated to take more than kLongRun seconds, from its
//   progress in the first kSettled seconds or more (report/time_left.h).
// Cost and deviation: measured by a trial, a run of the same tasks as flows without calibration
//   offsets, which the caller supplies. The deviation is the difference between the cycles in which
//   the same number of operations was complete. Times are arguments: no hidden clock.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/time_left.h"

namespace fredsim {

struct OperationsDone {
  double operations = 0;  // operations that are complete
  double cycle = 0;       // cycle in which the last of them ended
};

struct FlowTrial {
  std::vector<OperationsDone> progress{};  // ascending; interpolated
  double seconds = 0;                      // processor time
  bool is_complete = true;                 // false: stopped early
};

// Cycle in which the trial had as many operations complete; none: it was stopped before.
std::optional<double> cycle_of(const FlowTrial& trial, double operations);

class FlowOffer {
 public:
  static constexpr double kLongRun = 120, kSettled = 5;  // seconds

  explicit FlowOffer(bool may_replay) : left_(may_replay) {}

  // Records the progress of the exact run after so many seconds. True, once, if the run is long and
  // a trial is due.
  bool is_due(double seconds, const WorkDone& first, const WorkDone& repeated);
  // Estimate of the whole run in seconds, at the last is_due().
  double estimate_s() const { return estimate_s_; }
  // The offer as one sentence; empty if the trial was stopped before it got so far.
  std::string text(const FlowTrial& trial, const OperationsDone& exact) const;

 private:
  TimeLeft left_;
  double estimate_s_ = 0;
  bool was_due_ = false;
};

}  // namespace fredsim
