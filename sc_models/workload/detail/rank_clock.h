// SPDX-License-Identifier: Apache-2.0
// Time of one rank by cause (rank_time.h), as its tasks begin and end.
//
// Waiting: what the rank waited for is known when a computation begins, or at the end of the run.
//   Each task therefore carries the waiting on the way to its end (WaitTime) and hands it on to the
//   task that it lets begin.
// Units: cycles since the beginning of the run.
#pragma once

#include <cstdint>

#include "workload/rank_time.h"
#include "workload/task_graph.h"

namespace fredsim {

// Waiting of a rank, by cause, on the way to the end of a communication, since the computation that
// was over last at `since`: void once a later one has been.
struct WaitTime {
  std::uint64_t since = 0;
  TimeBreakdown exposed{};
  std::uint64_t bubble = 0;
};

class RankClock {
 public:
  struct Communication {
    std::uint64_t ready = 0;           // the rank's task waits for nothing any more
    std::uint64_t start = 0, end = 0;  // times of the operation; of the rank in it
    TimeCategory category = TimeCategory::kDp;
    bool is_bubble = false;  // until the start: what it waits for is not on its way
  };

  std::uint64_t free() const { return free_; }  // end of the last computation

  // From `begin` on, not before free(); `waited`: of the task that let it begin.
  void compute(std::uint64_t begin, std::uint64_t cycles, TimeCategory category,
               const WaitTime& waited);
  // Adds what the rank waits for a communication, if it does nothing else meanwhile.
  void wait_for(const Communication& communication, WaitTime& waited) const;
  void complete(std::uint64_t cycle, const WaitTime& waited);  // a task

  RankTime time() const;  // without the number of tasks; complete() of all

 private:
  std::uint64_t free_ = 0;
  RankTime time_{};
  WaitTime to_end_{};
};

}  // namespace fredsim
