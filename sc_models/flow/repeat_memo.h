// SPDX-License-Identifier: Apache-2.0
// Trajectories of repeated operations (flow/operation_repeats.h), kept after they have ended: when
// a state recurs in a later trajectory, the engine jumps to the last state of the earlier one that
// is still before its end.
//
// Trajectory: the settled states between two external calls or reports. Nothing but its first state
//   decides the others, bit for bit.
// Kept: the digests of the first kEntries states of a trajectory, from which one may jump, and
//   snapshots of up to kSnapshots of its states, evenly spaced, to which one may jump. After a jump
//   a new trajectory begins, so that the states between the last snapshot and the end are simulated
//   at finer spacing only once more.
// Memory: at most about kMaxBytes; the oldest trajectories are dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/state_digest.h"
#include "flow/flow_operation.h"
#include "flow/flow_simulation.h"
#include "flow/operation_repeats.h"
#include "flow/phase_turns.h"
#include "operations/operation_engine.h"
#include "topology/topology.h"

namespace fredsim {

// Progress of a run at a settled state. Differences along a trajectory are those of any later
// trajectory through the same states.
struct RepeatPoint {
  RepeatCounts counts{};
  std::vector<std::uint64_t> left{};  // incomplete issues, by repeat, part and rank
  OperationHandle next = 0;           // handle of the next issue
  int grants = 0;
  FlowSimulation::Flow flows = 0;  // begun
};

// Copy of the engine's state while nothing but repeats is in flight, times relative to its cycle
// except in the operations.
struct RepeatSnapshot {
  struct Operation {
    std::unique_ptr<const FlowOperation> copy{};
    std::size_t repeat = 0;  // among those in flight
  };
  struct Moving {
    FlowSimulation::Flow flow = 0;
    OperationHandle operation = 0;
    int tree = 0;
    bool is_first = false, is_bundle = false;
  };
  struct End {
    std::uint64_t after = 0;  // cycles
    int granted = 0;
    OperationHandle handle = 0;
    int part = 0, rank = 0;
  };
  using Queue = std::vector<std::pair<OperationHandle, int>>;  // handles and trees

  RepeatPoint at{};
  FlowSimulation::State simulation{};
  std::map<NodeId, PhaseTurns::Users> turns{};
  std::vector<Operation> operations{};
  std::vector<OperationHandle> granted{};  // in order
  std::vector<Queue> queues{};
  std::vector<Moving> moving{};
  std::vector<End> ends{};
  std::vector<std::uint64_t> wakes{};  // cycles from now on

  std::size_t bytes() const;  // approximate
};

class RepeatMemo {
 public:
  struct Trajectory {
    std::uint64_t states = 0;  // count so far
    std::uint64_t spacing = 4;
    // Snapshots by number of the state.
    std::vector<std::pair<std::uint64_t, std::shared_ptr<const RepeatSnapshot>>> snapshots{};
  };
  // State from which one may jump; `trajectory`: null if there is none.
  struct Entry {
    std::shared_ptr<const Trajectory> trajectory{};
    std::uint64_t number = 0;  // number of the state
    RepeatPoint at{};
  };

  // Ends the current trajectory.
  void end() { current_ = nullptr; }
  // True if the next state of the current trajectory is looked up and recorded.
  bool wants_entry() const { return current_ == nullptr || current_->states < kEntries; }
  // True if the next state's snapshot is kept.
  bool wants_snapshot() const {
    return current_ != nullptr && current_->states > 0 && current_->states % current_->spacing == 0;
  }
  // Counts a state that is neither.
  void pass() { ++current_->states; }
  // Earlier state, not of the current trajectory, that is equal.
  Entry find(const StateDigest& state) const;
  // Records the next state; `entry`: null if it is no entry; `snapshot`: null if it is not wanted.
  void add(const StateDigest* entry, RepeatPoint at,
           std::shared_ptr<const RepeatSnapshot> snapshot);

 private:
  static constexpr std::uint64_t kEntries = 32;
  static constexpr std::size_t kSnapshots = 16;
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;
  struct KnownEntry {
    std::weak_ptr<const Trajectory> trajectory{};
    std::uint64_t number = 0;
    RepeatPoint at{};
  };

  void thin_out(Trajectory& trajectory);
  void drop_oldest();

  std::shared_ptr<Trajectory> current_;  // null: none
  std::deque<std::shared_ptr<Trajectory>> trajectories_;
  std::map<StateDigest, KnownEntry> entries_;
  std::size_t bytes_ = 0;
};

}  // namespace fredsim
