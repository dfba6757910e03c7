// SPDX-License-Identifier: Apache-2.0
// Time of each rank by cause: every cycle from the beginning of the run to its last task's end
// belongs to one part.
//
// compute, memory: the rank computes, or loads and stores.
// Exposed communication (all other categories): the rank does neither, since its next task, or its
//   end, waits for a communication of that category that it has reached. For a collective this
//   includes the time before it begins, while other members have not reached it.
// Bubble: the rank does neither, since it waits for data that is not in flight yet: a message, or a
//   transfer from one stage of a pipeline to the next, whose sender (or another of its receivers)
//   has not reached it.
// Cause of a wait: the communication whose end let the next computation begin; for the time before
//   the rank reached that one, the communication whose end let the rank reach it, and so on. A
//   communication that no rank waits for is not exposed, however long it takes.
// Units: cycles. The sum of all parts is the end; after it a rank has nothing to do.
#pragma once

#include <cstdint>
#include <numeric>

#include "workload/task_graph.h"

namespace fredsim {

struct RankTime {
  TimeBreakdown parts{};
  std::uint64_t bubble = 0;
  std::uint64_t end = 0;    // end of its last task
  std::uint64_t tasks = 0;  // number of tasks

  std::uint64_t of(TimeCategory category) const {
    return parts[static_cast<std::size_t>(category)];
  }
  std::uint64_t computing() const { return of(TimeCategory::kCompute) + of(TimeCategory::kMemory); }
  std::uint64_t exposed() const {
    return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0}) - computing();
  }
};

}  // namespace fredsim
