// SPDX-License-Identifier: Apache-2.0
// Sums over the trajectories of a run that were replayed, and not simulated (engine/memo/memoisation.h).
//
// Trajectories that are simulated a second time, to come to a state, are taken off.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/memo/trajectories.h"
#include "engine/operation_scheduler.h"

namespace fredsim {

class ReplayedCounts {
 public:
  // Ends outlive settle().
  void add(TrajectoryEnd& end);
  void take_off(TrajectoryEnd& end);
  // Links, switches and NPUs count what has been replayed.
  void settle(OperationScheduler& scheduler);

  std::uint64_t cycles() const { return cycles_; }
  std::uint64_t flit_hops() const { return flit_hops_; }  // after settle(); links on a die left out
  std::uint64_t words() const { return words_; }          // words of rows

 private:
  std::vector<TrajectoryEnd*> ends_;
  std::uint64_t cycles_ = 0, flit_hops_ = 0, words_ = 0;
};

}  // namespace fredsim
