// SPDX-License-Identifier: Apache-2.0
// Recorded trajectories of operations, replayed when the same operations are issued from the same
// state.
//
// A state is one of the whole machine with its communicator (OperationScheduler::add_state()),
//   known by its digest. A trajectory leads from a state to the next one: issues, releases and
//   completions with their cycles, and the increments of counters. Trajectories from one state are
//   a tree: they are shared as long as the inputs are the same.
// Operations of a trajectory are numbered: operations in flight at its beginning, by issue, then
//   operations issued in it.
// Times are cycles since its beginning.
// Positions: an input comes after an event (a rank or an operation is complete), in its callback,
//   or after an edge, and before the next event. Events are counted from the beginning of the
//   trajectory.
// Memory: the user checks bytes(), an approximation, and calls clear().
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/state_digest.h"
#include "engine/memo/trajectory_counts.h"
#include "engine/operation.h"
#include "operations/prepared_plan.h"

namespace fredsim {

// Input of the communicator: an operation, or the release of a rank of a held one.
struct TrajectoryInput {
  struct After {
    int operation = -1;  // operation of the trajectory; -1: a complete one
    std::vector<int> parts{};
    bool all_ranks = false;
    bool operator==(const After&) const = default;
  };
  std::shared_ptr<const PreparedPlan> plan{};  // null: a release
  std::vector<std::uint64_t> starts{};
  std::uint64_t delay = 0;
  std::vector<After> after{};
  bool held = false;
  std::vector<std::uint64_t> lags{};
  // Operation, part and rank of a release.
  int operation = -1, part = 0, rank = 0;
  std::uint64_t cycle = 0;  // cycle at which the rank may begin
  bool operator==(const TrajectoryInput& other) const;
};

struct TrajectoryPosition {
  enum class Place : std::uint8_t { kCallback, kAfterEdge };
  std::uint32_t events = 0;  // number of events before it
  std::uint64_t cycle = 0;
  Place place = Place::kCallback;
  auto operator<=>(const TrajectoryPosition&) const = default;
};

// Event: a rank is complete, or an operation, if `report` is one of the node's reports.
struct TrajectoryEvent {
  std::uint64_t cycle = 0;
  int operation = 0, part = 0, rank = 0;
  int report = -1;
  bool operator==(const TrajectoryEvent&) const = default;
};

// Report of an operation, with times as cycles before the event, and its delivered results.
struct TrajectoryReport {
  OperationReport report;
  std::uint64_t flits = 0, bytes = 0;
};

struct TrajectoryState;
struct TrajectoryNode;

struct TrajectoryEnd {
  std::uint64_t cycle = 0;
  std::uint64_t idle = 0;  // idle cycles in it
  TrajectoryState* next = nullptr;
  std::vector<int> left{};  // operations of the trajectory in flight at its end
  TrajectoryCounts counts{};
  // Number of replays, less the simulations to reach a state
  std::int64_t times = 0;
};

// Section of a trajectory between two inputs.
struct TrajectoryNode {
  TrajectoryNode* parent = nullptr;  // null: from the state
  TrajectoryPosition at;             // position of its inputs
  std::vector<TrajectoryInput> inputs;
  std::vector<TrajectoryEvent> events;
  std::vector<TrajectoryReport> reports;
  std::unique_ptr<TrajectoryEnd> end;  // set if there are no further inputs
  std::vector<std::unique_ptr<TrajectoryNode>> children;

  bool is_known() const { return !events.empty() || end != nullptr || !children.empty(); }
  const TrajectoryEvent* event(std::uint32_t number) const;  // event of the trajectory; null: not
                                                             // known
  TrajectoryNode* child(const TrajectoryPosition& at,
                        const std::vector<TrajectoryInput>& inputs) const;
};

struct TrajectoryState {
  StateDigest digest{0};
  bool is_idle = false;  // idle until the next input, however long that takes
  TrajectoryNode root;
  std::vector<TrajectoryNode*> ends;  // nodes of its tree that have an end
};

class Trajectories {
 public:
  TrajectoryState& state(const StateDigest& digest);
  TrajectoryNode& add_child(TrajectoryNode& node, const TrajectoryPosition& at,
                            std::vector<TrajectoryInput> inputs);
  void set_end(TrajectoryState& from, TrajectoryNode& node, TrajectoryEnd end);
  void count(std::size_t bytes) { bytes_ += bytes; }  // counts memory added to a node
  std::size_t bytes() const { return bytes_; }
  void clear();
  // Trajectories that lead from one state to another with as few cycles as possible.
  std::vector<TrajectoryNode*> path(TrajectoryState& from, const TrajectoryState& to) const;

 private:
  std::map<StateDigest, TrajectoryState> states_;
  std::set<StateDigest> plans_;  // plans that inputs keep, each counted once in bytes_
  std::size_t bytes_ = 0;
};

}  // namespace fredsim
