// SPDX-License-Identifier: Apache-2.0
// Takes a run from a replay back to simulation: the machine, which has stood still, is brought to the state where the
// trajectory began, by the shortest path of known trajectories, and simulates it with what was issued in it up to where it goes
// on for real.
//
// Use: run(); while it runs, whoever hears of completions records them and calls follow().
// Exact: all that is simulated again has to come out as recorded (fail_replay()). It does not count: neither completions, nor
//   idle cycles on the way.
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
  // All outlive it. `trajectory`: that of the run, with other operations on the way.
  Resumption(OperationScheduler& scheduler, const Trajectories& trajectories,
             CurrentTrajectory& trajectory, ReplayedCounts& replayed)
      : scheduler_(scheduler),
        trajectories_(trajectories),
        trajectory_(trajectory),
        replayed_(replayed) {}

  // From the state where the machine stands to a position of the trajectory, all of which is known up to there.
  void run(TrajectoryState& real, const TrajectoryPosition& stop);
  // Gives the inputs of this place again. True: this is where it stops; the rest of the edge is for real.
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
  std::vector<TrajectoryNode*> script_;  // whose inputs are given, in order
  std::size_t script_next_ = 0;
  std::size_t issued_again_ = 0;  // operations of the trajectory that are there
  bool is_on_path_ = false;
  bool is_over_ = false;
  TrajectoryPosition stop_;
  OperationTotals totals_;          // with what was replayed
  OperationHandle next_spare_ = 0;  // handle on a path
};

}  // namespace fredsim
