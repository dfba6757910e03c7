// SPDX-License-Identifier: Apache-2.0
#include "engine/memo/replayed_counts.h"

#include <utility>

namespace fredsim {

void ReplayedCounts::add(TrajectoryEnd& end) {
  if (end.times++ == 0) ends_.push_back(&end);
  cycles_ += end.cycle - end.idle;
  words_ += end.counts.words;
}

void ReplayedCounts::subtract(TrajectoryEnd& end) {
  if (end.times-- == 0) ends_.push_back(&end);
  cycles_ -= end.cycle - end.idle;
  words_ -= end.counts.words;
}

void ReplayedCounts::settle(OperationScheduler& scheduler) {
  if (ends_.empty()) return;
  scheduler.restart_recurrence();  // it compares earlier counters with later ones
  for (TrajectoryEnd* const end : std::exchange(ends_, {})) {
    const auto times = static_cast<std::uint64_t>(std::exchange(end->times, 0));
    if (times != 0) flit_hops_ += add_to_machine(scheduler.machine(), end->counts, times);
  }
}

}  // namespace fredsim
