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
// Operations: specs that are issued together are planned together and share phases (collective/plan.h); plans are kept by
//   shape (PlanCache). Operations that are known beforehand share phases where they can if they are planned by plan_apart()
//   (engine/joint_plans.h) and issued by these plans. A rank begins when its start has come and what it waits for is complete (engine/operation.h), and is
//   complete when it has handed its last packet to its NIC and holds all its results. An operation may be held: each of its
//   ranks then begins when it is released, as whoever issues finds out how far it is. A rank that has not begun receives
//   and passes on what others send, since its collective engine has the plan.
// Order: operations are granted what they need, and from then on wait only for those that were granted before, so that
//   none waits for ever. A grant takes an operation of which a rank could begin; those with phases are granted in the order
//   of issue. It is open, and its ranks begin as they may, when its rows are loaded and no operation granted before is in
//   conflict with it (engine/prepared_plan.h). Operations of equal rows follow each other at each NPU without a gap.
// Phases: a row store gives them their indices (engine/row_store.h). Rows of operations issued before start() are written
//   in the set-up, as far as they fit; others while traffic goes on, an access per switch and cycle, when they are granted.
// Streams: numbers are given to the trees of an operation at its grant and taken back when it is complete. Without free
//   ones it waits, and those after it.
// Memory: of an operation that is complete nothing stays but its number.
// Time: cycles since start(). What a callback issues, and what comes after something complete, may begin at the edge after.
// Payload: verified bit for bit. Operands of an operation are those of its seed.
// Parts of a grid (FabricOptions::cut) go ahead by themselves, for a look-ahead, once all that was issued has begun, nothing
//   comes after it and nobody is told of ranks: completions are then found later, and reported as of their cycle.
// Errors: of issue(): BadInput, RoutingConflict (make_plan()), BadInput for an operation that was never issued, or of more
//   trees than a run distinguishes; of wait() and finish(): RunFailed when the payload is wrong, a switch reports an error,
//   flits or credits do not balance, nothing moves any more (deadlock: with the list of what waits for what), or the time-out
//   is reached.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/machine.h"
#include "engine/operation.h"
#include "engine/operation_replay.h"
#include "engine/recurrence.h"
#include "engine/row_loader.h"
#include "engine/run_limits.h"

namespace fredsim {

struct IssueOptions {
  std::uint64_t seed = 1;   // of the operands
  std::uint64_t delay = 0;  // cycles after what it comes after is complete, or after the issue
  std::vector<Dependency> after{};
  bool held = false;  // a rank waits for its release(), too
  OnConflict on_conflict = OnConflict::kRefuse;
  OperationLabel label{};  // where the run is observed
};

class Communicator {
 public:
  using Handle = OperationHandle;

  // `rows`: of each phase store that are used, at most; 0: all. The machine must outlive it.
  explicit Communicator(Machine& machine, int rows = 0);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

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
               const IssueOptions& options);

  // Of an operation that was issued held: a rank has come to it and begins at `cycle`, or at once where that is over, as soon
  // as it waits for nothing else. Each rank once; between two edges or before start().
  void release(Handle handle, int part, int rank, std::uint64_t cycle);

  bool complete(Handle handle) const;
  bool complete(Handle handle, NodeId npu) const;  // its parts at an NPU; true where it has none
  // Of an operation that is not complete, once a run has stopped: times of its parts so far.
  std::vector<OperationReport::PartTimes> part_times(Handle handle) const;
  // Between two edges; they may issue. A rank's comes before its operation's.
  void on_complete(std::function<void(const OperationReport&)> callback) {
    on_complete_ = std::move(callback);
  }
  void on_rank_complete(std::function<void(Handle, int part, int rank)> callback) {
    on_rank_complete_ = std::move(callback);
  }
  void on_cycle(std::function<void()> callback) { on_cycle_ = std::move(callback); }  // every edge
  // Tells about every 4096 cycles how far the run is; null: nobody. `total_bytes`: of results, at all NPUs, of all to come.
  void report_to(const std::function<void(const Progress&)>& on_progress,
                 std::uint64_t total_bytes);
  // Calls back after the edge of a cycle, or after the next one where that is over; it may issue. What is issued then, and not
  // before with a delay, is no part of the state up to there: what others do meanwhile can be replayed.
  void call_at(std::uint64_t cycle, std::function<void()> callback) {
    calls_.emplace(cycle, std::move(callback));
  }

  // Before start(): cycles in which nothing happens, periods in which the state recurs (engine/recurrence.h), and, where so
  // asked for, operations of which the course is known (engine/operation_replay.h), are not simulated, the latter two unless
  // the run is observed. Nobody may issue in between then: callbacks, and whoever comes back from a wait(), do not.
  void skip_idle(bool on, bool replays = true);
  // Of these, after finish() or where a run was stopped, with the flits x links of what was passed over and replayed, links on a
  // die left out. What is simulated a second time for a replay is taken off.
  std::uint64_t idle_cycles() const { return idle_cycles_; }
  std::uint64_t replayed_cycles() const { return replay_.cycles(); }
  std::uint64_t repeated_cycles() const { return replay_.cycles() + recurrence_.cycles(); }
  std::uint64_t repeated_flit_hops() const { return replay_.flit_hops() + recurrence_.flit_hops(); }

  void wait(Handle handle);
  void wait_all();
  void finish();
  // FabricOptions::stop was set, and wait() has returned for that.
  bool stopped() const { return stopped_; }

  std::uint64_t cycle() const;
  std::size_t under_way() const;                      // and those that wait, and calls to come
  int most_streams() const { return most_streams_; }  // trees that had numbers at a time, at most
  PlanCache& plans() { return plans_; }

  using Totals = OperationTotals;
  const Totals& totals() const { return totals_; }

  // Of rows, after start().
  std::uint64_t words_written() const { return loader_.words() + replay_.words(); }
  std::uint64_t delivered_bytes() const;  // by operations under way, too

 private:
  friend class OperationReplay;
  bool edge();
  std::uint64_t edges_at_once() const;
  std::string progress_text() const;
  void work();
  void simulate_edge();  // of the fabric, too, with no time between it and the one before
  void rest();
  std::uint64_t rest_until(std::uint64_t cycle);
  std::uint64_t pass_until(std::uint64_t cycle);
  // Nothing is under way or is about to be, but for a rank that begins at the next edge.
  bool ends_rest() const;
  std::uint64_t next_call() const {
    return calls_.empty() ? Operation::kNever : calls_.begin()->first;
  }
  void call_those_due();
  void shift_to(std::uint64_t cycle);  // it is this cycle now
  // All that the cycles to come depend on, relative to the cycle; false: somebody cannot tell.
  bool add_state(StateDigest& digest) const;
  void issue_operation(Handle handle, std::shared_ptr<const PreparedPlan> plan,
                       const std::vector<std::uint64_t>& starts, const IssueOptions& options);
  void release_rank(Handle handle, int part, int rank, std::uint64_t cycle);
  void check_dependency(const Dependency& dependency) const;
  bool ends_wait() const;
  void changed();
  void process();
  bool collect();
  bool collect_from(Operation& operation);
  void finish_operation(Operation& operation);
  bool grant();
  bool give_rows(Operation& operation);
  bool open_those_that_can();
  void open(Operation& operation);
  bool release_due();
  bool release(Operation& operation);
  bool is_stuck() const;
  int take_streams(int trees) const;
  void check_failures() const;
  [[noreturn]] void give_up(const RunLimits::End& end);
  void run_until(std::function<bool()> done);
  void halt();

  Machine& machine_;
  Fabric& fabric_;
  PlanCache plans_;
  RowStore store_;
  RowLoader loader_;
  RunLimits limits_;
  OperationReplay replay_{*this};
  Recurrence recurrence_;
  std::map<Handle, std::unique_ptr<Operation>> operations_;  // not complete
  std::vector<std::shared_ptr<const PreparedPlan>> expected_;
  std::vector<const Part*> observed_;
  std::vector<Operation*> granted_;  // in that order
  std::map<int, int> streams_;       // first tree -> trees
  int most_streams_ = 0;             // the highest number, and 1
  Handle next_ = 1;
  Totals totals_;
  std::uint64_t first_edge_ = 0;
  std::uint64_t wake_ = 0;                 // cycle at which something may begin by itself
  std::uint64_t last_event_ = 0;           // cycle
  std::optional<std::uint64_t> ended_at_;  // cycle
  bool has_begun_ = false;
  bool running_ = false;
  bool changed_ = false;
  bool stopped_ = false;
  bool has_routes_ = false;
  bool skips_idle_ = false;
  bool skips_repeated_ = false;
  std::uint64_t idle_cycles_ = 0;
  std::exception_ptr failure_;
  std::function<bool()> done_;
  std::function<void(const OperationReport&)> on_complete_;
  std::function<void(Handle, int, int)> on_rank_complete_;
  std::function<void()> on_cycle_;
  std::multimap<std::uint64_t, std::function<void()>>
      calls_;  // by cycle, then in the order of call_at()
};

}  // namespace fredsim
