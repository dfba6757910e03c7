// SPDX-License-Identifier: Apache-2.0
// Trajectories of operations that were simulated, to be replayed when the same is issued from the same state.
//
// A state is one of the whole machine with its communicator (OperationScheduler::add_state()), known by its digest. A trajectory goes
//   from a state to the next one: what was issued and released, what became complete, at which cycles, and how far counters went.
//   Trajectories from one state are a tree: they are one for as long as the same is issued.
// Operations of a trajectory are numbered: those under way where it begins, by issue, then those that are issued in it.
// Times are cycles since its beginning.
// Positions: whoever issues does so after an event (a rank or an operation is complete), in its callback, or after an edge, and
//   before the next one. Events are counted from the beginning of the trajectory.
// Memory: whoever fills it asks for bytes(), about, and says clear().
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
    int operation = -1;  // operation of the trajectory; -1: one that is complete
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
  // A release.
  int operation = -1, part = 0, rank = 0;
  std::uint64_t cycle = 0;  // at which the rank may begin
  bool operator==(const TrajectoryInput& other) const;
};

struct TrajectoryPosition {
  enum class Place : std::uint8_t { kCallback, kAfterEdge };
  std::uint32_t events = 0;  // before it
  std::uint64_t cycle = 0;
  Place place = Place::kCallback;
  auto operator<=>(const TrajectoryPosition&) const = default;
};

// A rank is complete, or, where `report` is one of those of the node, an operation.
struct TrajectoryEvent {
  std::uint64_t cycle = 0;
  int operation = 0, part = 0, rank = 0;
  int report = -1;
  bool operator==(const TrajectoryEvent&) const = default;
};

// Report of an operation, all times as cycles before the event, and what it has delivered.
struct TrajectoryReport {
  OperationReport report;
  std::uint64_t flits = 0, bytes = 0;
};

struct TrajectoryState;
struct TrajectoryNode;

struct TrajectoryEnd {
  std::uint64_t cycle = 0;
  std::uint64_t idle = 0;  // cycles of it in which nothing happens
  TrajectoryState* next = nullptr;
  std::vector<int> left{};  // operations of the trajectory that are under way there
  TrajectoryCounts counts{};
  // Number of replays, less the simulations to come to a state
  std::int64_t times = 0;
};

// From one input to the next.
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
  bool is_at_rest = false;  // nothing changes, however long, until something is given
  TrajectoryNode root;
  std::vector<TrajectoryNode*> ends;  // nodes of its tree that have one
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
