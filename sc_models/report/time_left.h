// SPDX-License-Identifier: Apache-2.0
// Estimate of the time that a run has left, from its progress and the time so far.
//
// Work: a first round, such as the first iteration of training or the first of the repetitions of a
//   step, and later rounds like it. A unit of either costs as much as it has so far; skipped
//   periods (engine/memo/recurrence.h) make it cheaper.
// Later rounds may be replayed (engine/memo/memoisation.h), from the second one on or later, or not
//   at all. If they may, each is assumed to cost a fraction of the one before it: a half during the
//   first round, k / (k + 1) after the time of k first rounds. So many future rounds count as few,
//   and as more the longer rounds are simulated in full.
// Time with work on both rounds is divided by their costs so far.
// Times are arguments, in seconds since the beginning of the run.
#pragma once

#include <optional>

namespace fredsim {

// Work in any unit.
struct WorkDone {
  double done = 0, total = 0;
};

class TimeLeft {
 public:
  explicit TimeLeft(bool may_replay) : may_replay_(may_replay) {}

  // Records the work so far, which never decreases.
  void note(double seconds, const WorkDone& first, const WorkDone& repeated = {});
  // Estimate at the last note(); no value: no work is done yet.
  std::optional<double> seconds() const;

 private:
  // Completed work, and the time that it took.
  struct Cost {
    double done = 0, seconds = 0;
    double per_unit() const { return done > 0 ? seconds / done : 0; }
  };

  double repeated_seconds() const;

  bool may_replay_;
  Cost first_{}, repeated_{};
  double first_total_ = 0, repeated_total_ = 0;
  double noted_ = 0;  // seconds that are divided between the two
};

}  // namespace fredsim
