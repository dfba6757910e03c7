// SPDX-License-Identifier: Apache-2.0
// Takes a run from a replay back to simulation: the suspended machine is brought to the state at
// the trajectory's beginning, by the shortest path of known trajectories, and simulates the
// trajectory with its inputs up to the point where it goes live.
//
// Use: run(); while it runs, the receiver of completions records them and calls follow().
// Exact: the second simulation must match the record (fail_replay()). It adds no counts: neither
//   completions, nor idle cycles on the way.
// Internal to the memoisation (engine/memo/memoisation.h).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/memo/current_trajectory.h"
#include "engine/memo/replayed_counts.h"
#include "engine/memo/trajectories.h"
#include "engine/operation_scheduler.h"

namespace fredsim {

class Resumption {
 public:
  // All arguments outlive it. `trajectory`: the run's; it has other operations on the way.
  Resumption(OperationScheduler& scheduler, const Trajectories& trajectories,
             CurrentTrajectory& trajectory, ReplayedCounts& replayed)
      : scheduler_(scheduler),
        trajectories_(trajectories),
        trajectory_(trajectory),
        replayed_(replayed) {}

  // Runs from the machine's state to a position of the trajectory, which is recorded up to there.
  void run(TrajectoryState& real, const TrajectoryPosition& stop);
  // Gives the inputs of this place again. True if the script stops here; the remainder of the edge
  // is live.
  bool follow(TrajectoryPosition::Place place);

 private:
  void set_script(TrajectoryNode* last);
  void simulate_again(TrajectoryNode& node);
  void rename();
  void run_script(std::uint64_t end);
  void give_again(const TrajectoryInput& input);
  void restore_totals();

  OperationScheduler& scheduler_;
  const Trajectories& trajectories_;
  CurrentTrajectory& trajectory_;
  ReplayedCounts& replayed_;
  std::vector<TrajectoryNode*> script_;  // nodes whose inputs are given, in order
  std::size_t script_next_ = 0;
  std::size_t issued_again_ = 0;  // operations of the trajectory issued again
  bool is_on_path_ = false;
  bool is_over_ = false;
  TrajectoryPosition stop_;
  OperationTotals totals_;          // replayed operations included
  OperationHandle next_spare_ = 0;  // handle of operations on a path
};

}  // namespace fredsim
