// SPDX-License-Identifier: Apache-2.0
// Runs collectives on a machine as they are issued: at any cycle, many under way at once, as many as wanted over a run.
//
// Use, from an SC_THREAD:
//     Communicator communicator(machine);
//     communicator.begin();                                 // resets the machine and sets its switches up
//     const auto a = communicator.issue(specs, {.seed = 1});
//     communicator.start();                                 // cycle 0
//     const auto b = communicator.issue(others, {.after = {{.operation = a}}});
//     communicator.wait(b);
//     communicator.finish();                                // all complete, drained, balanced; the clock goes on until
//                                                           // the communicator is destroyed
//   A communicator is for one run. issue() may also be called by any other process, and in the callbacks.
// Operations: specs that are issued together are planned together and share phases (plan/plan.h); plans are kept by
//   shape (PlanCache). Operations that are known beforehand share phases where they can if they are planned by plan_apart()
//   (engine/joint_plans.h) and issued by these plans. A rank begins when its start has come and what it waits for is complete
//   (operations/rank_starts.h), and is complete when it has handed its last packet to its NIC and holds all its results. An
//   operation may be held: each of its ranks then begins when it is released, as whoever issues finds out how far it is. A rank
//   that has not begun receives and passes on what others send, since its collective engine has the plan.
// Order in which they get phases and streams: engine/operation_scheduler.h. Layers: the communicator issues to a memoisation
//   (engine/memo/memoisation.h), which replays what it knows and has the scheduler simulate the rest.
// Memory: of an operation that is complete nothing stays but its number.
// Time: cycles since start(). What a callback issues, and what comes after something complete, may begin at the edge after.
// Payload: verified bit for bit. Operands of an operation are those of its seed.
// Parts of a grid (FabricOptions::cut) go ahead by themselves, for a look-ahead, where whoever issues lets them: once all that
//   was issued has begun and nothing comes after it. Completions are then found later, and reported as of their cycle.
// Errors: of issue(): BadInput, RoutingConflict (make_plan()), BadInput for an operation that was never issued, or of more
//   trees than a run distinguishes; of wait() and finish(): RunFailed when the payload is wrong, a switch reports an error,
//   flits or credits do not balance, nothing moves any more (deadlock: with the list of what waits for what), or the time-out
//   is reached.
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

  // `rows`: of each phase store that are used, at most; 0: all. The machine must outlive it.
  explicit Communicator(Machine& machine, int rows = 0);
  ~Communicator() override;

  // `routes`: those of unicasts through switches that route by a table are loaded, too; without them none may be issued.
  void begin(bool routes = true);
  // Before start(): what will be issued later; its rows are written in the set-up, as far as they fit beside others.
  void expect(std::shared_ptr<const PreparedPlan> plan) { expected_.push_back(std::move(plan)); }
  // Before start(): the machine's timeline and breakdown are of this run, and of a result with these parts. Who asks for it
  // ends it, by Machine::observers().
  void observe(std::vector<const Part*> parts) { observed_ = std::move(parts); }
  void start();
  // CollectiveSpec::start_cycle counts from the issue.
  Handle issue(std::span<const CollectiveSpec> work, const IssueOptions& options);
  Handle issue(std::shared_ptr<const PreparedPlan> plan, const std::vector<std::uint64_t>& starts,
               const IssueOptions& options) override;

  // Releases a rank of an operation that was issued held: it has come to the operation and begins at `cycle`, or at once if
  // that has passed, as soon as it waits for nothing else. Each rank once; between two edges or before start().
  void release(Handle handle, int part, int rank, std::uint64_t cycle) override;

  bool complete(Handle handle) const override;
  bool complete(Handle handle, NodeId npu) const;  // its parts at an NPU; true where it has none
  // Times of its parts so far, of an operation that is not complete, once a run has stopped.
  std::vector<OperationReport::PartTimes> part_times(Handle handle) const {
    return scheduler_.part_times(handle);
  }
  // Between two edges; they may issue. A rank's comes before its operation's.
  void on_complete(std::function<void(const OperationReport&)> callback) override {
    callbacks_.complete = [this, callback = std::move(callback)](const OperationReport& report) {
      tally_.complete(report.handle);
      callback(report);
    };
  }
  void on_rank_complete(std::function<void(Handle, int part, int rank)> callback) override {
    callbacks_.rank_complete = std::move(callback);
  }
  void on_cycle(std::function<void()> callback) { on_cycle_ = std::move(callback); }  // every edge
  // Before any is issued: so many issues of a plan are of the first round. Of other plans all are.
  void expect_first(const PreparedPlan& plan, std::uint64_t issues) { tally_.expect(plan, issues); }
  // Tells about every 4096 cycles how far the run is; null: nobody. `total_bytes`: of results, at all NPUs, of all to come.
  void report_to(const std::function<void(const Progress&)>& on_progress,
                 std::uint64_t total_bytes);
  // Calls back after the edge of a cycle, or after the next one where that is over; it may issue. What is issued then, and not
  // before with a delay, is no part of the state up to there: what others do meanwhile can be replayed.
  void call_at(std::uint64_t cycle, std::function<void()> callback) override {
    calls_.add(cycle, std::move(callback));
  }

  // Before start(): cycles in which nothing happens, periods in which the state recurs (engine/memo/recurrence.h), and, where so
  // asked for, operations of which the trajectory is known (engine/memo/memoisation.h), are not simulated, unless the machine is to
  // simulate every cycle (FabricOptions::skip) or records any (waveform, timeline, breakdown). Nobody may issue in between then:
  // callbacks, and whoever comes back from a wait(), do not.
  void skip_idle(bool memoises = true);
  // Before start(): nobody issues any more, nor asks for the cycle at which something is complete but by its report.
  void let_parts_go_ahead() { parts_go_ahead_ = true; }
  // Before start(): it stops, as where FabricOptions::stop is set, when so many cycles have been simulated; those left out do not count.
  void stop_after(std::uint64_t simulated) { max_simulated_ = simulated; }
  // Cycles that were skipped or replayed, after finish() or where a run was stopped, with the flits x links of what was passed
  // over and replayed, links on a die left out. A second simulation for a replay is subtracted.
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
  // FabricOptions::stop was set, or stop_after() was reached, and wait() has returned for that.
  bool stopped() const override { return stopped_; }

  std::uint64_t cycle() const override;
  std::size_t under_way() const override;  // and those that wait, and calls to come
  // Trees that had numbers at a time, at most.
  int max_streams() const { return scheduler_.max_streams(); }
  PlanCache& plans() { return plans_; }

  using Totals = OperationTotals;
  const Totals& totals() const override { return scheduler_.totals(); }

  // Rows written, after start().
  std::uint64_t words_written() const { return scheduler_.loader().words() + memoisation_.words(); }
  // Sum of PreparedPlan::additions of all that was issued.
  std::uint64_t additions() const { return additions_; }
  std::uint64_t delivered_bytes() const;  // by operations under way, too

 private:
  bool edge();
  std::uint64_t first_bytes() const;  // delivered by operations of the first round
  void check_dependency(const Dependency& dependency) const;
  bool ends_wait() const;
  bool is_stuck() const;
  std::uint64_t left_to_simulate() const;  // cycles, of stop_after()
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
  OperationScheduler scheduler_;  // tells the memoisation, which tells the callbacks
  Memoisation memoisation_;
  std::vector<std::shared_ptr<const PreparedPlan>> expected_;
  std::vector<const Part*> observed_;
  std::optional<std::uint64_t> ended_at_;  // cycle
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
