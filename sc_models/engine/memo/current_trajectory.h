// SPDX-License-Identifier: Apache-2.0
// Current trajectory of a run (engine/memo/trajectories.h): its beginning, its progress, and its
// operations by the issuer's handles.
//
// Errors: fail_replay(): std::logic_error if a second simulation differs from the record. Internal
// to the memoisation (engine/memo/memoisation.h) and its resumption.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/memo/trajectories.h"
#include "engine/memo/trajectory_counts.h"
#include "engine/operation.h"
#include "engine/operation_scheduler.h"

namespace fredsim {

struct CurrentTrajectory {
  struct Known {  // an operation
    OperationHandle handle = 0;
    std::shared_ptr<const PreparedPlan> plan{};
    std::uint64_t issued = 0, seed = 0;
    std::vector<CollectiveJob::RankOfPart> done{};
    bool complete = false;
  };
  TrajectoryState* state = nullptr;
  TrajectoryNode* node = nullptr;
  std::uint32_t events = 0;
  std::uint64_t start = 0;  // cycle
  std::vector<Known> operations{};
  std::unordered_map<OperationHandle, int> numbers{};
  std::size_t in_flight = 0;
  TrajectoryCounts before{};  // counts at the start of a recorded trajectory
  std::uint64_t idle_before = 0;
  bool some_complete =
      false;  // operations or their first ranks completed at the last simulated edge

  void add(Known known);
  const Known& known(OperationHandle handle) const { return operations[numbers.at(handle)]; }
  bool is_complete(OperationHandle handle) const;  // true, too, if it was complete before the
                                                   // trajectory began
  bool is_complete(OperationHandle handle, NodeId npu) const;
  bool is_at_beginning()
      const;  // true at the beginning of a state; false if the state is not known
  TrajectoryPosition position(std::uint64_t cycle, TrajectoryPosition::Place place) const {
    return {events, cycle - start, place};
  }
};

// Current counts of machine and scheduler.
TrajectoryCounts count_all(OperationScheduler& scheduler);

[[noreturn]] void fail_replay(const char* what);

}  // namespace fredsim
