// SPDX-License-Identifier: Apache-2.0
// Time that a run has left, from how far it is and how long that took.
//
// Work: that of a first round, such as the first iteration of training or the first of the repetitions of a step, and that of later
//   rounds like it. A unit of either costs what it has cost so far; what a run passes over (engine/memo/recurrence.h) makes it cheaper.
// Later rounds may be replayed (engine/memo/memoisation.h), from the second one on or later, or not at all. Where they may be, each is taken to
//   cost a part of the one before it: a half while the first is under way, k / (k + 1) when as much time has passed as k first rounds
//   take. So of many rounds that have not been seen few count, and more the longer they go on in full.
// Time in which work of both rounds was done is divided by what they cost so far.
// Time comes in from outside, in seconds since the beginning of the run.
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

  // Work only grows.
  void note(double seconds, const WorkDone& first, const WorkDone& repeated = {});
  // At the last note(); none: nothing is done yet.
  std::optional<double> seconds() const;

 private:
  // Work that is done, and the time that it took.
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
