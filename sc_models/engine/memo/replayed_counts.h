// SPDX-License-Identifier: Apache-2.0
// Sums over the replayed trajectories of a run (engine/memo/memoisation.h).
//
// Trajectories that are simulated again, to reach a state, are subtracted.
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
  void subtract(TrajectoryEnd& end);
  // Adds the replayed counts to links, switches and NPUs.
  void settle(OperationScheduler& scheduler);

  std::uint64_t cycles() const { return cycles_; }
  std::uint64_t flit_hops() const { return flit_hops_; }  // after settle(); on-die links excluded
  std::uint64_t words() const { return words_; }          // words of rows

 private:
  std::vector<TrajectoryEnd*> ends_;
  std::uint64_t cycles_ = 0, flit_hops_ = 0, words_ = 0;
};

}  // namespace fredsim
