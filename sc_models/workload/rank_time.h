// SPDX-License-Identifier: Apache-2.0
// Time of each rank by cause: every cycle from the beginning of the run to its last task's end
// belongs to one part.
//
// compute, memory: the rank computes, or loads and stores.
// Exposed communication (all other categories): it does neither, since what it does next, or its
//   end, waits for a communication of that category to which it has come. Of a collective that is
//   so before it begins, too, while other members are still to come.
// Bubble: it does neither, since what it waits for is not on its way yet: a message, or what a
//   stage of a pipeline passes on to the next, whose sender (or another of its receivers) has not
//   come.
// Cause of a wait: the communication whose end let the next computation begin; while the rank had
//   not come to that one, the one whose end let it come, and so on. What nobody waits for is not
//   exposed, however long it takes.
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
  std::uint64_t tasks = 0;  // how many

  std::uint64_t of(TimeCategory category) const {
    return parts[static_cast<std::size_t>(category)];
  }
  std::uint64_t computing() const { return of(TimeCategory::kCompute) + of(TimeCategory::kMemory); }
  std::uint64_t exposed() const {
    return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0}) - computing();
  }
};

}  // namespace fredsim
