// SPDX-License-Identifier: Apache-2.0
// Runs collectives on a machine as they are issued: at any cycle, many in flight at once, any
// number over a run.
//
// Use, from an SC_THREAD:
//     Communicator communicator(machine);
//     communicator.begin();                     // resets the machine and sets its switches up
//     const auto a = communicator.issue(specs, {.seed = 1});
//     communicator.start();                     // cycle 0
//     const auto b = communicator.issue(others, {.after = {{.operation = a}}});
//     communicator.wait(b);
//     communicator.finish();                    // all complete, drained, balanced; the clock
//                                               // goes on until its destruction
//   A communicator is for one run. Other processes and the callbacks may call issue(), too.
// Operations: specs that are issued together are planned together and share phases (plan/plan.h);
//   plans are kept by shape (PlanCache). Operations that are known beforehand share phases if they
//   are planned by plan_apart() (engine/joint_plans.h) and issued by these plans. A rank begins
//   when its start has come and its predecessors are complete (operations/rank_starts.h). It is
//   complete when its last packet is in its NIC and it holds all its results. An operation may be
//   held: each of its ranks then begins when the issuer releases it. A rank that has not begun
//   receives and forwards packets of other ranks, since its collective engine has the plan.
// Order of grants of phases and streams: engine/operation_scheduler.h.
// Layers: the communicator issues to a memoisation (engine/memo/memoisation.h), which replays known
//   trajectories and has the scheduler simulate the rest.
// Memory: a complete operation leaves only its number.
// Time: cycles since start(). An operation that a callback issues, or that follows a completion,
//   may begin at the next edge.
// Payload: verified bit for bit. Operands of an operation follow from its seed.
// Parts of a grid (FabricOptions::cut) advance by themselves, for a look-ahead, if the issuer
//   allows it: once all issued operations have begun and no more are to come. Completions are then
//   found later, and reported with their own cycle.
// Errors: of issue(): BadInput, RoutingConflict (make_plan()), BadInput for a predecessor that was
//   never issued, or for more trees than a run distinguishes; of wait() and finish(): RunFailed
//   when the payload is wrong, a switch reports an error, flits or credits do not balance, nothing
//   moves any more (deadlock: with the list of waits), or the time-out is reached.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/issue_tally.h"
#include "engine/machine.h"
#include "engine/memo/memoisation.h"
#include "engine/operation.h"
#include "engine/operation_scheduler.h"
#include "engine/run_limits.h"
#include "engine/scheduled_calls.h"
#include "operations/operation_engine.h"

namespace fredsim {

class Communicator final : public OperationEngine {
 public:
  using Handle = OperationHandle;

  // `rows`: maximum of used rows in each phase store; 0: all. The machine must outlive the
  // communicator.
  explicit Communicator(Machine& machine, int rows = 0);
  ~Communicator() override;

  // `routes`: loads the routes of unicasts through switches with routing tables, too; without them
  // no such unicast may be issued.
  void begin(bool routes = true);
  // Announces a plan of later operations, before start(); its rows are written in the set-up, as
  // far as they fit beside other rows.
  void expect(std::shared_ptr<const PreparedPlan> plan) { expected_.push_back(std::move(plan)); }
  // Makes the machine's timeline and breakdown follow this run, for a result with these parts;
  // before start(). The caller ends it through Machine::observers().
  void observe(std::vector<const Part*> parts) { observed_ = std::move(parts); }
  void start();
  // CollectiveSpec::start_cycle counts from the issue.
  Handle issue(std::span<const CollectiveSpec> work, const IssueOptions& options);
  Handle issue(std::shared_ptr<const PreparedPlan> plan, const std::vector<std::uint64_t>& starts,
               const IssueOptions& options) override;

  // Releases a rank of a held operation: it begins at `cycle`, or at once if that has passed, as
  // soon as its predecessors are complete. Each rank once; between two edges or before start().
  void release(Handle handle, int part, int rank, std::uint64_t cycle) override;

  bool complete(Handle handle) const override;
  bool complete(Handle handle, NodeId npu) const;  // true if the parts at an NPU are complete, or
                                                   // it has none
  // Times so far of the parts of an incomplete operation, once a run has stopped.
  std::vector<OperationReport::PartTimes> part_times(Handle handle) const {
    return scheduler_.part_times(handle);
  }
  // Callbacks run between two edges and may issue. The callback of a rank comes before that of its
  // operation.
  void on_complete(std::function<void(const OperationReport&)> callback) override {
    callbacks_.complete = [this, callback = std::move(callback)](const OperationReport& report) {
      tally_.complete(report.handle);
      callback(report);
    };
  }
  void on_rank_complete(std::function<void(Handle, int part, int rank)> callback) override {
    callbacks_.rank_complete = std::move(callback);
  }
  // called at every edge
  void on_cycle(std::function<void()> callback) { on_cycle_ = std::move(callback); }
  // Sets how many issues of a plan belong to the first round, before any is issued. For a plan
  // without a number, all do.
  void expect_first(const PreparedPlan& plan, std::uint64_t issues) { tally_.expect(plan, issues); }
  // Reports progress about every 4096 cycles; null: to nobody. `total_bytes`: bytes of all results
  // to come, at all NPUs.
  void report_to(const std::function<void(const Progress&)>& on_progress,
                 std::uint64_t total_bytes);
  // Calls back after the edge of a cycle, or after the next edge if that cycle is over; the
  // callback may issue. An operation that is issued then, rather than earlier with a delay, is not
  // part of the state until then, so that other operations can be replayed meanwhile.
  void call_at(std::uint64_t cycle, std::function<void()> callback) override {
    calls_.add(cycle, std::move(callback));
  }

  // Lets the run leave out idle cycles, periods in which the state recurs
  // (engine/memo/recurrence.h) and, if `memoises`, operations with a known trajectory
  // (engine/memo/memoisation.h); before start(). It has no effect if the machine is to simulate
  // every cycle (FabricOptions::skip) or records any (waveform, timeline, breakdown). Only
  // callbacks and callers that return from wait() may then issue.
  void skip_idle(bool memoises = true);
  // Lets parts advance by themselves, before start(): no issue follows, and completions are read
  // from reports only.
  void let_parts_go_ahead() { parts_go_ahead_ = true; }
  // Stops the run, like FabricOptions::stop, after `simulated` simulated cycles; skipped ones do
  // not count. Before start().
  void stop_after(std::uint64_t simulated) { max_simulated_ = simulated; }
  // Cycles that were skipped or replayed, and flit-hops in them, on-die links excluded; valid after
  // finish() or a stop. A second simulation for a replay is subtracted.
  std::uint64_t idle_cycles() const { return scheduler_.idle_cycles(); }
  std::uint64_t replayed_cycles() const { return memoisation_.cycles(); }
  std::uint64_t repeated_cycles() const {
    return memoisation_.cycles() + scheduler_.recurrence().cycles();
  }
  std::uint64_t repeated_flit_hops() const {
    return memoisation_.flit_hops() + scheduler_.recurrence().flit_hops();
  }

  void wait(Handle handle);
  void wait_all() override;
  void finish() override;
  // Returns true after wait() has returned because FabricOptions::stop was set or stop_after() was
  // reached.
  bool stopped() const override { return stopped_; }

  std::uint64_t cycle() const override;
  std::size_t in_flight() const override;  // in flight or waiting, and calls to come
  // Max number of trees that had numbers at a time.
  int max_streams() const { return scheduler_.max_streams(); }
  PlanCache& plans() { return plans_; }

  using Totals = OperationTotals;
  const Totals& totals() const override { return scheduler_.totals(); }

  // Rows written after start().
  std::uint64_t words_written() const { return scheduler_.loader().words() + memoisation_.words(); }
  // Sum of PreparedPlan::additions of all issued operations.
  std::uint64_t additions() const { return additions_; }
  std::uint64_t delivered_bytes() const;  // includes operations in flight

 private:
  bool edge();
  std::uint64_t first_bytes() const;  // delivered by operations of the first round
  void check_dependency(const Dependency& dependency) const;
  bool ends_wait() const;
  bool is_stuck() const;
  std::uint64_t left_to_simulate() const;  // cycles left until stop_after()
  void run_until(std::function<bool()> done);
  [[noreturn]] void give_up(const RunLimits::End& end);
  void halt();

  Machine& machine_;
  Fabric& fabric_;
  const RunLimits& limits_;
  PlanCache plans_;
  OperationCallbacks callbacks_;
  ScheduledCalls calls_;
  IssueTally tally_;
  OperationScheduler scheduler_;  // calls the memoisation, which calls the callbacks
  Memoisation memoisation_;
  std::vector<std::shared_ptr<const PreparedPlan>> expected_;
  std::vector<const Part*> observed_;
  std::optional<std::uint64_t> ended_at_;  // cycle of the end
  std::uint64_t additions_ = 0;
  std::uint64_t max_simulated_ = RunLimits::kNever;
  bool has_begun_ = false;
  bool stopped_ = false;
  bool has_routes_ = false;
  bool skips_idle_ = false;
  bool parts_go_ahead_ = false;
  std::exception_ptr failure_;
  std::function<bool()> done_;
  std::function<void()> on_cycle_;
};

}  // namespace fredsim
