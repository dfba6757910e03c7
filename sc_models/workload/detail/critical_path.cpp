// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/critical_path.h"

#include <fmt/format.h>

#include <numeric>

#include "base/error.h"

namespace fredsim {
namespace {

struct At {
  int rank = -1, task = -1;
};

At last_task(const GraphOutcome& outcome) {
  At last;
  std::uint64_t end = 0;
  for (int r = 0; r < std::ssize(outcome.records); ++r) {
    for (int t = 0; t < std::ssize(outcome.records[r]); ++t) {
      if (last.rank >= 0 && outcome.records[r][t].end <= end) continue;
      last = {r, t};
      end = outcome.records[r][t].end;
    }
  }
  return last;
}

}  // namespace

TimeBreakdown critical_path(const TaskGraph& graph, const GraphOutcome& outcome) {
  TimeBreakdown sums{};
  std::uint64_t end = outcome.result.cycles;
  for (At at = last_task(outcome); at.rank >= 0;) {
    const TaskRecord& record = outcome.records[at.rank][at.task];
    const Task& task = graph.ranks[at.rank].tasks[at.task];
    if (record.end != end)
      throw RunFailed(fmt::format("breakdown: '{}' ends at cycle {}, what follows begins at {}",
                                  graph.labels[task.label], record.end, end));
    sums[static_cast<std::size_t>(task.category)] += record.end - record.begin;
    end = record.begin;
    at = {record.cause_rank, record.cause_task};
  }
  const std::uint64_t sum = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
  if (sum != outcome.result.cycles)
    throw RunFailed(fmt::format("breakdown: its parts are {} cycles, the run took {}", sum,
                                outcome.result.cycles));
  return sums;
}

}  // namespace fredsim
