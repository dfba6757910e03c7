// SPDX-License-Identifier: Apache-2.0
// Clock of a rank whose computations run in lanes, several at a time: its time by cause
// (rank_time.h).
//
// A cycle belongs to the first of these that covers it: a computation of the accelerator; a load or
//   store; a communication that the rank has reached, by category; a CPU. So exposed communication
//   is time in which the accelerator is idle and a communication is not complete, as ASTRA-sim
//   counts it, and a CPU counts where it alone holds the rank up. Other cycles are a bubble.
// Memory: joined intervals, few where lanes are busy.
// Units: cycles since the beginning of the run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

#include "workload/detail/rank_clock.h"
#include "workload/rank_time.h"

namespace fredsim {

// Union of intervals [begin, end).
class Intervals {
 public:
  void add(std::uint64_t begin, std::uint64_t end);
  void add(const Intervals& other);
  std::uint64_t length() const;

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // by begin
};

class LaneClock {
 public:
  void compute(std::uint64_t begin, std::uint64_t cycles, TimeCategory category, bool on_cpu);
  void wait_for(const RankClock::Communication& communication);
  void complete(std::uint64_t cycle) { end_ = std::max(end_, cycle); }
  RankTime time() const;  // without the number of tasks

 private:
  Intervals on_cpu_;
  std::array<Intervals, kTimeCategories.size()> parts_{};
  std::uint64_t end_ = 0;
};

}  // namespace fredsim
