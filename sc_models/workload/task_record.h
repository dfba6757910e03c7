// SPDX-License-Identifier: Apache-2.0
// Times of the tasks of a run (graph_run.h).
#pragma once

#include <cstdint>
#include <vector>

namespace fredsim {

// End of a task that was not complete when the run was interrupted.
inline constexpr std::uint64_t kNotEnded = ~std::uint64_t{0};

struct TaskRecord {
  std::uint64_t begin = 0, end = 0;      // cycles
  int cause_rank = -1, cause_task = -1;  // -1: the beginning of the run
};

using TaskRecords = std::vector<std::vector<TaskRecord>>;  // by rank and task

}  // namespace fredsim
