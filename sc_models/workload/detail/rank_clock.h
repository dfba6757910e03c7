// SPDX-License-Identifier: Apache-2.0
// Clock of one rank: accumulates its time by cause (rank_time.h) as its tasks begin and end.
//
// Waiting: the cause of a wait is known when a computation begins, or at the end of the run. Each
//   task therefore carries the waiting on the way to its end (WaitTime) and hands it on to the task
//   that it lets begin.
// Units: cycles since the beginning of the run.
#pragma once

#include <cstdint>

#include "workload/rank_time.h"
#include "workload/task_graph.h"

namespace fredsim {

// Waiting of a rank by cause on the way to the end of a communication, since the computation that
// ended last at `since`. A later computation makes it void.
struct WaitTime {
  std::uint64_t since = 0;
  TimeBreakdown exposed{};
  std::uint64_t bubble = 0;
};

class RankClock {
 public:
  struct Communication {
    std::uint64_t ready = 0;           // all dependencies of the rank's task are complete
    std::uint64_t start = 0, end = 0;  // times of the operation, and of the rank in it
    TimeCategory category = TimeCategory::kDp;
    bool is_bubble = false;  // until the start: its sender has not sent
  };

  std::uint64_t free() const { return free_; }  // end of the last computation

  // Adds a computation from `begin` on, not before free(). `waited`: waiting of the task that let
  // it begin.
  void compute(std::uint64_t begin, std::uint64_t cycles, TimeCategory category,
               const WaitTime& waited);
  // Adds the wait of the rank for a communication, if the rank does nothing else meanwhile.
  void wait_for(const Communication& communication, WaitTime& waited) const;
  void complete(std::uint64_t cycle, const WaitTime& waited);  // a task

  RankTime time() const;  // without the number of tasks; after complete() of all tasks

 private:
  std::uint64_t free_ = 0;
  RankTime time_{};
  WaitTime to_end_{};
};

}  // namespace fredsim
