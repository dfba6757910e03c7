// SPDX-License-Identifier: Apache-2.0
// Reports of operations as a trajectory keeps them (engine/memo/trajectories.h): their times are
// cycles before the event.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/memo/trajectories.h"

namespace fredsim {

// Converts the times of a report to cycles before `now`, or back.
inline void rebase(OperationReport& report, std::uint64_t now) {
  report.started = now - report.started;
  report.ended = now - report.ended;
  for (OperationReport::PartTimes& part : report.parts)
    part = {.start = now - part.start, .end = now - part.end};
}

inline bool same(const TrajectoryReport& a, const TrajectoryReport& b) {
  const auto same_times = [](const OperationReport::PartTimes& x,
                             const OperationReport::PartTimes& y) {
    return x.start == y.start && x.end == y.end;
  };
  return a.report.started == b.report.started && a.report.ended == b.report.ended &&
         a.report.waited_for_rows == b.report.waited_for_rows &&
         a.report.waited_for_others == b.report.waited_for_others &&
         a.report.rows_loaded == b.report.rows_loaded &&
         a.report.rows_found == b.report.rows_found &&
         a.report.rows_evicted == b.report.rows_evicted && a.flits == b.flits &&
         a.bytes == b.bytes && std::ranges::equal(a.report.parts, b.report.parts, same_times);
}

}  // namespace fredsim
