// SPDX-License-Identifier: Apache-2.0
// Exact memoisation: an operation that has been simulated once is replayed, with its cycles, when
// it is issued again from the same state.
//
// Interface: enable(); issues and releases go through it to the scheduler; edge() and rest()
//   replace the scheduler's; call resume() before anybody looks at the machine; callbacks get
//   completions, simulated or replayed.
// Method: the run is cut into trajectories. One ends, and the next begins, when the first rank of
//   an operation completes, when an operation completes, and when a fabric without operations is
//   idle. A trajectory is recorded with the digests of its first and last state
//   (engine/memo/trajectories.h). On a state-digest hit the recorded completions are replayed
//   instead of simulated, as long as the issuer repeats the inputs of the record: it sees no
//   difference. When it issues something else, or the record ends, the trajectory is simulated
//   again from its first state with the inputs so far, and the run is live from there on. The
//   machine may have to be brought to that state first (engine/memo/resumption.h), which never
//   takes more cycles than were skipped. Simulation may leave out periods
//   (engine/memo/recurrence.h).
// Idle: if no operation is in flight and nothing moves, the next trajectory begins at the next
//   input, however late it comes.
// State: everything that future cycles depend on (OperationScheduler::add_state()), relative to the
//   current cycle, except payload and packet numbers. An idle machine therefore has the same state
//   after a short and a long idle time.
// Exact: cycles, counters of links and switches, payload counts and reports equal those of a fully
//   simulated run (tests/engine/memoisation_test.cpp). A second simulation is compared with the
//   record; a difference is a std::logic_error. Payload is generated, carried and verified in
//   simulated parts only.
// Off: if a switch cannot give its state (RTL, lockstep).
// Cost: a digest and a copy of the counters per simulated trajectory. Memory: up to
//   FabricOptions::replay_bytes; then all trajectories are dropped.
// Internal to the communicator.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/memo/current_trajectory.h"
#include "engine/memo/replayed_counts.h"
#include "engine/memo/resumption.h"
#include "engine/memo/trajectories.h"
#include "engine/operation.h"
#include "engine/operation_scheduler.h"
#include "engine/scheduled_calls.h"

namespace fredsim {

class Memoisation final : public CompletionListener {
 public:
  // All arguments outlive it. Callbacks and calls are the issuer's.
  Memoisation(OperationScheduler& scheduler, const OperationCallbacks& callbacks,
              const ScheduledCalls& calls)
      : scheduler_(scheduler), callbacks_(callbacks), calls_(calls) {}

  void enable(bool on) { mode_ = on ? Mode::kUnknown : Mode::kOff; }

  // Takes every issue and release, simulated or not.
  void issue(OperationHandle handle, std::shared_ptr<const PreparedPlan> plan,
             const std::vector<std::uint64_t>& starts, const IssueOptions& options);
  void release(OperationHandle handle, int part, int rank, std::uint64_t cycle);

  void edge();           // called after every edge, also of a suspended fabric
  std::uint64_t rest();  // called next: number of edges left out, as idle or replayed
  // Simulates from here on, up to the next known state; counters include all that was replayed.
  void resume();

  bool replays() const { return mode_ == Mode::kReplays; }  // true: the fabric is suspended
  std::uint64_t cycle() const;
  std::size_t in_flight() const;  // number of operations
  // null: the operation is not in flight
  const PreparedPlan* plan_of(OperationHandle handle) const;
  bool complete(OperationHandle handle, NodeId npu) const;

  std::uint64_t cycles() const { return replayed_.cycles(); }  // cycles that were not simulated
  // Flit-hops of these cycles, on-die links excluded; after resume().
  std::uint64_t flit_hops() const { return replayed_.flit_hops(); }
  // words of rows whose writes were skipped
  std::uint64_t words() const { return replayed_.words(); }

  // Callbacks of the scheduler, for simulated operations.
  void rank_complete(OperationHandle handle, int part, int rank) override;
  void operation_complete(const OperationReport& report, std::uint64_t flits,
                          std::uint64_t bytes) override;

 private:
  enum class Mode : std::uint8_t {
    kOff,
    kUnknown,  // simulates; the state at the trajectory's beginning is not known
    kLive,     // simulates and records
    kResumes,  // simulates again a part that has been replayed
    kReplays,
  };

  bool replay_edge();  // true: the edge has been replayed
  void simulate_edge();
  void look();  // called after an edge: ends the trajectory here if possible
  void end_trajectory(const StateDigest& digest);
  void note_issue(OperationHandle handle, const std::shared_ptr<const PreparedPlan>& plan,
                  const std::vector<std::uint64_t>& starts, const IssueOptions& options);
  void begin(TrajectoryState& state);
  bool is_idle() const;  // idle at its beginning
  void begin_now();
  TrajectoryPosition position(TrajectoryPosition::Place place) const;
  void give(TrajectoryInput input);
  void record(TrajectoryEvent event, const TrajectoryReport* report);
  void take_inputs();
  // ---- replay of trajectories
  void replay(const TrajectoryEvent& event);
  bool follow();
  void pass_ends();
  std::uint64_t next_known() const;
  void pass(TrajectoryEnd& end);
  // ---- return to simulation
  void resume_at(const TrajectoryPosition& stop);
  void follow_script();

  OperationScheduler& scheduler_;
  const OperationCallbacks& callbacks_;
  const ScheduledCalls& calls_;
  Trajectories trajectories_;
  Mode mode_ = Mode::kOff;
  CurrentTrajectory trajectory_;
  std::vector<TrajectoryInput> given_;  // inputs at given_at_, not yet looked up
  TrajectoryPosition given_at_;
  bool in_callback_ = false;
  // State of a replay.
  TrajectoryState* real_ = nullptr;  // state of the machine
  std::uint64_t now_ = 0, next_ = 0;
  ReplayedCounts replayed_;
  Resumption resumption_{scheduler_, trajectories_, trajectory_, replayed_};
};

}  // namespace fredsim
