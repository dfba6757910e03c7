// SPDX-License-Identifier: Apache-2.0
// Memoisation, exact: what has been simulated once, issued again from the same state, is replayed at the cycles that
// it took, and not simulated.
//
// Interface: enable(); what is issued and released goes through it to the scheduler; edge() and rest() in place of the
//   scheduler's; resume() before anybody looks at the machine; completions come to the callbacks, simulated or replayed.
// How: from where the first rank of an operation is complete, or all are, to the next such place, and to where a fabric
//   without operations is idle, a communicator's trajectory is kept with the digests of the states that it begins and ends in
//   (engine/memo/trajectories.h). On a state-digest hit the recorded completions are replayed
//   instead of simulated, for as long as the same is issued as then: the issuer sees no difference. Where something else is
//   issued, or nothing more is known, the trajectory is simulated from its state on, with what has been issued in it, up to
//   here, and from here on for real. The machine may have to be brought to that state first (engine/memo/resumption.h); never more
//   cycles than were passed over. What is simulated may leave out periods (engine/memo/recurrence.h).
// Idle: where no operation is under way and nothing moves, a trajectory begins when something is given, however long that
//   takes.
// State: all that the cycles to come depend on (OperationScheduler::add_state()): relative to the cycle, without payload and
//   the numbers of packets. So a machine that was idle has the same state after a short idle time and a long one.
// Exact: cycles, counters of links and switches, payload counts and reports are those of a run in full (tests/engine/
//   memoisation_test.cpp). Whatever is simulated a second time is compared with what was recorded; a difference is a
//   std::logic_error. Payload is made, carried and verified in what is simulated.
// Off: where a switch cannot tell its state (RTL, lockstep).
// Cost: a digest and a copy of the counters per trajectory that is simulated. Memory: FabricOptions::replay_bytes, then all
//   is forgotten.
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
  // All outlive it. Callbacks and calls are those of whoever issues.
  Memoisation(OperationScheduler& scheduler, const OperationCallbacks& callbacks,
              const ScheduledCalls& calls)
      : scheduler_(scheduler), callbacks_(callbacks), calls_(calls) {}

  void enable(bool on) { mode_ = on ? Mode::kUnknown : Mode::kOff; }

  // Whatever is issued or released, simulated or not.
  void issue(OperationHandle handle, std::shared_ptr<const PreparedPlan> plan,
             const std::vector<std::uint64_t>& starts, const IssueOptions& options);
  void release(OperationHandle handle, int part, int rank, std::uint64_t cycle);

  void edge();           // after every edge, of a fabric that may stand still
  std::uint64_t rest();  // then: edges at which nothing happens, or is replayed, that are left out
  // From here on all is simulated, up to the next state that is known; counters are those of all that was replayed.
  void resume();

  bool replays() const { return mode_ == Mode::kReplays; }  // the fabric stands still
  std::uint64_t cycle() const;
  std::size_t under_way() const;                              // operations
  const PreparedPlan* plan_of(OperationHandle handle) const;  // under way; null: it is not
  bool complete(OperationHandle handle, NodeId npu) const;

  std::uint64_t cycles() const { return replayed_.cycles(); }  // cycles that were not simulated
  // Flits x links of these, links on a die left out; after resume().
  std::uint64_t flit_hops() const { return replayed_.flit_hops(); }
  std::uint64_t words() const { return replayed_.words(); }  // words of rows that were not written

  // The scheduler's, of what is simulated.
  void rank_complete(OperationHandle handle, int part, int rank) override;
  void operation_complete(const OperationReport& report, std::uint64_t flits,
                          std::uint64_t bytes) override;

 private:
  enum class Mode : std::uint8_t {
    kOff,
    kUnknown,  // simulates; the state where the trajectory began is not known
    kLive,     // simulates and records
    kResumes,  // simulates what has been before
    kReplays,
  };

  bool replay_edge();  // true: it has been
  void simulate_edge();
  void look();  // after an edge: whether a trajectory ends here
  void end_trajectory(const StateDigest& digest);
  void note_issue(OperationHandle handle, const std::shared_ptr<const PreparedPlan>& plan,
                  const std::vector<std::uint64_t>& starts, const IssueOptions& options);
  void begin(TrajectoryState& state);
  bool rests() const;  // at its beginning
  void begin_now();
  TrajectoryPosition position(TrajectoryPosition::Place place) const;
  void give(TrajectoryInput input);
  void record(TrajectoryEvent event, const TrajectoryReport* report);
  void take_inputs();
  // ---- replay
  void replay(const TrajectoryEvent& event);
  bool follow();
  void pass_ends();
  std::uint64_t next_known() const;
  void pass(TrajectoryEnd& end);
  // ---- resume
  void resume_at(const TrajectoryPosition& stop);
  void follow_script();

  OperationScheduler& scheduler_;
  const OperationCallbacks& callbacks_;
  const ScheduledCalls& calls_;
  Trajectories trajectories_;
  Mode mode_ = Mode::kOff;
  CurrentTrajectory trajectory_;
  std::vector<TrajectoryInput> given_;  // at given_at_, not yet looked up
  TrajectoryPosition given_at_;
  bool in_callback_ = false;
  // State of a replay.
  TrajectoryState* real_ = nullptr;  // state of the machine
  std::uint64_t now_ = 0, next_ = 0;
  ReplayedCounts replayed_;
  Resumption resumption_{scheduler_, trajectories_, trajectory_, replayed_};
};

}  // namespace fredsim
