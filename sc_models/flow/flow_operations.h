// SPDX-License-Identifier: Apache-2.0
// Operations as flows over time (flow/flow_plan.h, flow/flow_simulation.h): the flow-level
// implementation of OperationEngine.
//
// Ranks begin as in exact runs (operations/rank_starts.h). Simplified: a tree begins once all ranks
//   that contribute to it have begun, and all of it moves at one rate from then on. A rank is
//   complete when all of its trees are complete for it and its offset has passed. If the rank
//   receives the result of a tree, the tree is complete once it has moved and filled its longest
//   path. If the rank only sends into it, the tree is complete once it has moved, or earlier, once
//   RankOffset::handed of it has moved.
// Systems (PreparedPlan::system): a step starts to move (flow/system_flows.h) once all ranks that
//   take part in it have begun. A rank is complete when the last step of its NPU is complete.
// Order: operations/operation_lifecycle.h; grants take no time. Trees in the switches leave a NIC
//   port and virtual channel in the order in which their operations opened: a tree begins when the
//   trees of earlier operations there have moved (npu/npu_scheduler.h). All remaining trees share
//   links by max-min fairness, with strict priority between virtual channels.
// Not modelled: loading of phase rows, stream numbers, and everything that flows leave out. Turns
//   of phases: flow/phase_turns.h.
// Time: ranks begin at whole cycles; ends are rounded up, and reported to the issuer in the next
//   cycle, as by a communicator.
// Repeats (IssueOptions::times) are skipped when the engine's state recurs, within a run of repeats
//   (flow/operation_repeats.h) or in a later one (flow/repeat_memo.h), without loss of accuracy;
//   not on systems.
// Errors: RunFailed, with cause kDeadlock, if unfinished operations cannot advance;
//   FlowSimulation's; Interrupted, once stopped; BadInput for a dependency on an operation that was
//   never issued.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flow/flow_lifts.h"
#include "flow/flow_operation.h"
#include "flow/flow_simulation.h"
#include "flow/operation_plan.h"
#include "flow/operation_repeats.h"
#include "flow/phase_turns.h"
#include "flow/repeat_memo.h"
#include "flow/system_flows.h"
#include "operations/operation_engine.h"
#include "operations/operation_lifecycle.h"
#include "topology/topology.h"

namespace fredsim {

class FlowOperations final : public OperationEngine, private OperationLifecycle<FlowOperation> {
 public:
  using Plans = std::span<const std::shared_ptr<const PreparedPlan>>;
  // The topology has to outlive the engine. `plans`: all plans to be issued; required for a system.
  // `stop`: set externally to end a run; null: never.
  explicit FlowOperations(const Topology& topology, Plans plans = {},
                          const std::atomic<bool>* stop = nullptr, const FlowLifts& lifts = {});
  ~FlowOperations() override;

  // Sets the offset by part and rank. Call before any operation of this plan.
  void set_offset(const std::shared_ptr<const PreparedPlan>& plan,
                  std::vector<std::vector<RankOffset>> offset) {
    flow_plan(plan).set_offset(std::move(offset));
  }
  // Sets the offset of a system's plan by step: cycles by which it exceeds its flows.
  void set_step_offset(const std::shared_ptr<const PreparedPlan>& plan,
                       std::vector<double> offset) {
    flow_plan(plan).step_offset = std::move(offset);
  }
  // Callback after each operation, with the cycle and the result bytes so far.
  void on_progress(std::function<void(std::uint64_t cycle, std::uint64_t bytes)> callback) {
    on_progress_ = std::move(callback);
  }

  // Enables skipping of repeats. Off: repeats are issued one by one; cycles are the same.
  void set_skips(bool skips) { skips_ = skips; }
  // Number of skipped repeats.
  std::uint64_t skipped() const { return recurrence_.skipped(); }
  // Number of jumps along earlier trajectories (flow/repeat_memo.h).
  std::uint64_t jumps() const { return jumps_; }

  bool can_repeat() const override { return true; }
  OperationHandle issue(std::shared_ptr<const PreparedPlan> plan,
                        const std::vector<std::uint64_t>& starts,
                        const IssueOptions& options) override;
  void release(OperationHandle handle, int part, int rank, std::uint64_t cycle) override;
  bool complete(OperationHandle handle) const override {
    return handle < next_ && !operations_.contains(handle) && !repeats_.contains(handle);
  }
  void call_at(std::uint64_t cycle, std::function<void()> callback) override;
  void on_complete(std::function<void(const OperationReport&)> callback) override {
    callbacks_.complete = std::move(callback);
  }
  void on_rank_complete(
      std::function<void(OperationHandle, int part, int rank)> callback) override {
    callbacks_.rank_complete = std::move(callback);
  }
  void wait_all() override;
  void finish() override { wait_all(); }
  bool stopped() const override { return false; }
  std::uint64_t cycle() const override {
    return simulation_.origin() + static_cast<std::uint64_t>(simulation_.now());
  }
  std::size_t in_flight() const override { return operations_.size() + calls_.size(); }
  const OperationTotals& totals() const override { return totals_; }

  // Issued operations by plan, in order of the plans' first issue.
  struct Issued {
    std::shared_ptr<const PreparedPlan> plan{};
    std::uint64_t times = 0;
    std::uint64_t cycles = 0;  // sum of start to end over complete operations
  };
  std::vector<Issued> issued() const;

 private:
  struct End {
    int granted = 0;
    OperationHandle handle = 0;
    int part = 0, rank = 0;
    auto operator<=>(const End&) const = default;
  };
  struct Moving {
    FlowOperation* operation = nullptr;
    int tree = 0;
    bool is_first = false;                      // first of two pieces: the share handed over early
    bool is_bundle = false;                     // all trees of the bundle of `tree`
    std::optional<SystemFlows::Moving> step{};  // step of a system, instead of a tree
  };
  struct Queue {                                               // a NIC port and virtual channel
    std::deque<std::pair<OperationHandle, int>> operations{};  // remaining trees in the switches
  };

  // Cycle of a time relative to the origin, rounded up; inverse: time of a cycle.
  std::uint64_t whole_cycles(double time) const;
  double time_of(std::uint64_t cycle) const;
  OperationPlan& flow_plan(const std::shared_ptr<const PreparedPlan>& plan);
  OperationHandle issue_one(const std::shared_ptr<const PreparedPlan>& plan,
                            const std::vector<std::uint64_t>& starts, const IssueOptions& options,
                            std::shared_ptr<OperationRepeat> repeat);
  OperationHandle begin_repeat(const std::shared_ptr<const PreparedPlan>& plan,
                               const IssueOptions& options);
  void notify_rank(const FlowOperation& operation, const RankOfPart& at);
  void go_on(const std::shared_ptr<OperationRepeat>& repeat, OperationReport report);
  // Forgets the states of this trajectory, which an external call or a report ends.
  void forget();
  void skip_repeats();
  bool skip_periods(const StateDigest& digest, const RepeatCounts& now);
  void add_state(StateDigest& digest) const;
  RepeatCounts repeat_counts() const;
  void count_skipped(std::uint64_t periods, const RepeatCounts& period);
  void skip(std::uint64_t periods, const RepeatCounts& period);
  bool has_only_repeats() const;
  RepeatPoint repeat_point(RepeatCounts counts) const;
  std::shared_ptr<const RepeatSnapshot> snapshot(const RepeatPoint& at) const;
  bool may_jump(const RepeatPoint& from, const RepeatPoint& to) const;
  const RepeatSnapshot* jump_target(const RepeatMemo::Entry& from) const;
  void jump(const RepeatPoint& from, const RepeatSnapshot& to);
  void jump_or_record(StateDigest digest, RepeatCounts counts);
  FlowSimulation::Flow begin_flow(FairRates::FlowClass flows, double flits);
  int queue_of(NodeId node, int port, int vc);
  void wake(std::uint64_t cycle);
  void run_cycle();
  std::uint64_t now() const override { return cycle(); }
  Grant take(FlowOperation& operation) override;
  bool are_in_conflict(const FlowOperation& earlier, const FlowOperation& later) override;
  void opened(FlowOperation& operation) override;
  void begin(FlowOperation& operation, const std::vector<RankOfPart>& due) override;
  bool collect() override;
  void begin_rank(FlowOperation& operation, const RankOfPart& at);
  void begin_if_possible(FlowOperation& operation, int tree);
  void begin_ready(FlowOperation& operation);
  void prepare_steps(FlowOperation& operation);
  void begin_in_steps(FlowOperation& operation, const RankOfPart& at);
  void end_flow(FlowSimulation::Flow flow);
  void move(FlowOperation& operation, int tree, double share);
  void end_bundle(FlowOperation& operation, int bundle);
  void leave_turns(FlowOperation& operation, int part, int trees);
  void leave_queues(FlowOperation& operation, int tree);
  void end_trees_at(FlowOperation& operation, int part, int rank, int trees, double cycle);
  void schedule_end(const FlowOperation& operation, const RankOfPart& at, std::uint64_t cycle);
  void finish_operation(FlowOperation& operation);
  std::string waiting_text() const;

  const Topology& topology_;
  const std::atomic<bool>* const stop_;
  const FlowLifts lifts_;
  PhaseTurns turns_;
  const std::unique_ptr<const SystemNetwork> system_;  // null: none
  FlowSimulation simulation_;
  OperationCallbacks callbacks_;
  std::function<void(std::uint64_t, std::uint64_t)> on_progress_;
  // Looked up by plan, never gone through.
  std::unordered_map<const PreparedPlan*, std::unique_ptr<OperationPlan>> plans_;
  std::map<std::pair<const PreparedPlan*, const PreparedPlan*>, bool> conflicts_;
  std::vector<OperationPlan*> plans_in_order_;
  std::map<std::tuple<NodeId, int, int>, int> queue_numbers_;
  std::vector<Queue> queues_;
  std::unordered_map<FlowSimulation::Flow, Moving> moving_;
  std::map<std::uint64_t, std::vector<End>> ends_;  // ends by cycle of their report
  std::set<std::uint64_t> wakes_;
  OperationTotals totals_;
  OperationHandle next_ = 1;
  int grants_ = 0;
  std::multiset<std::uint64_t> calls_;                                   // to come
  std::map<OperationHandle, std::shared_ptr<OperationRepeat>> repeats_;  // repeats in flight
  RepeatRecurrence recurrence_;
  RepeatMemo memo_;
  std::uint64_t jumps_ = 0;
  bool skips_ = true;
};

}  // namespace fredsim
