// SPDX-License-Identifier: Apache-2.0
#include "workload/graph_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/member.h"
#include "engine/communicator_run.h"
#include "engine/joint_plans.h"
#include "plan/operand.h"
#include "workload/detail/held_tasks.h"
#include "workload/detail/lane_clock.h"
#include "workload/detail/rank_clock.h"

namespace fredsim {
namespace {

constexpr int kAtATime = 2;  // issues of an operation that is repeated

// Limits of a lane that is not in order: computations that have begun at future cycles; and the
// time before the end of the first one at which more begin, so that their dependents are in time.
// Other lanes go on meanwhile: a CPU may be far ahead of the stream that it launches on.
constexpr std::size_t kMaxAhead = 1024;
constexpr std::uint64_t kSoon = 2;

class GraphRun {
 public:
  GraphRun(RunEngine& engine, TaskSource& source, bool keeps_records)
      : engine_(engine),
        operations_(engine.operations()),
        source_(source),
        tasks_(source, keeps_records),
        ranks_(source.members().size()) {
    operations_.on_rank_complete([this](OperationHandle handle, int part, int rank) {
      complete_communication(of_handle_.at(handle), part, rank);
    });
    operations_.on_complete([this](const OperationReport& report) {
      const auto at = of_handle_.find(report.handle);
      issue_more(at->second);
      of_handle_.erase(at);
    });
  }

  GraphOutcome run(const std::function<void(const Progress&)>& on_progress) {
    GraphOutcome outcome;
    outcome.result =
        run_engine({.total_bytes = total_bytes(),
                    .operations = std::accumulate(source_.repeats().begin(),
                                                  source_.repeats().end(), std::uint64_t{0}),
                    .issue =
                        [this] {
                          for (const int r : in_order_of_members()) begin(r);
                        },
                    .expected = engine_.plans(),
                    .first_issues = issues_of_an_iteration(),
                    .cycles = [this] { return end_of_all(); },
                    .fill = [this](RunResult& result) { engine_.fill_operations(result); }},
                   on_progress);
    outcome.max_tasks = tasks_.max();
    if (!outcome.result.incomplete) {
      for (int r = 0; r < std::ssize(ranks_); ++r) outcome.times.push_back(time_of(r));
      outcome.critical_path = checked_path();
      outcome.iteration_ends = std::move(iteration_ends_);
      outcome.used = tasks_.used();
    } else {
      tasks_.mark_not_ended(outcome.result.cycles);
    }
    outcome.records = tasks_.take_records();
    return outcome;
  }

 private:
  using Place = HeldOperation::Place;
  struct RankState {
    struct Lane {
      std::uint64_t free = 0;  // end of its last computation
      int last = -1;           // computation
      TimeBreakdown path_of_last{};
      std::set<std::pair<std::uint64_t, int>> ready{};  // not in order: since when, and task
      std::deque<std::uint64_t> ahead{};  // ends of computations that are still to come, ascending
      bool is_paused = false;             // pauses at the limit of computations ahead
    };
    std::map<int, Lane> lanes;
    RankClock clock;
    LaneClock lane_clock;  // in place of it, of a source with lanes
  };
  struct Queue {
    bool is_busy = false;                     // one of its operations is under way
    std::set<std::pair<int, int>> waiting{};  // need, number
  };

  // Order of issue: NPUs first, so that operations of one cycle do not depend on the builder of the
  // graph.
  std::vector<int> in_order_of_members() const {
    std::vector<int> order(ranks_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [this](int r) {
      const int member = source_.members()[r];
      return std::pair(is_io_member(member), is_io_member(member) ? io_of_member(member) : member);
    });
    return order;
  }

  void begin(int rank) {
    const int read = tasks_.end(rank);
    for (int t = 0; t < read; ++t)
      if (tasks_.task(rank, t).waits == 0) become_ready(rank, t);
    advance(rank);
  }

  void retire(int rank) {
    const std::uint64_t now = operations_.cycle();
    tasks_.retire(rank, now);
    for (auto& [number, lane] : ranks_[rank].lanes)
      while (!lane.ahead.empty() && lane.ahead.front() <= now + kSoon) lane.ahead.pop_front();
  }

  // Begins computations whose dependencies are known to be complete, possibly at future cycles.
  void advance(int rank) {
    RankState& state = ranks_[rank];
    retire(rank);
    for (int t = next_computation(rank); t >= 0; t = next_computation(rank)) {
      HeldTask& task = tasks_.task(rank, t);
      const int number = task.task.lane;
      RankState::Lane& lane = state.lanes[number];
      const std::uint64_t begin = std::max(task.ready, lane.free);
      const bool waits_for_last = lane.last >= 0 && lane.free > task.ready;
      const int cause = waits_for_last ? lane.last : task.cause;
      if (waits_for_last) task.path = lane.path_of_last;
      if (source_.has_lanes())
        state.lane_clock.compute(begin, task.task.cycles, task.task.category, task.task.on_cpu);
      else
        state.clock.compute(begin, task.task.cycles, task.task.category, task.waited);
      task.path[static_cast<std::size_t>(task.task.category)] += task.task.cycles;
      const std::uint64_t end = begin + task.task.cycles;
      task.record = {begin, end, cause < 0 ? -1 : rank, cause};
      task.waited = {.since = end};
      lane.free = end;
      lane.last = t;
      lane.path_of_last = task.path;
      complete(rank, t, end);
      if (source_.in_order()) continue;
      lane.ahead.push_back(end);
      if (lane.ahead.size() < kMaxAhead) continue;
      retire(rank);
      if (lane.ahead.size() < kMaxAhead) continue;
      lane.is_paused = true;
      operations_.call_at(lane.ahead[kMaxAhead / 2] - kSoon, [this, rank, number] {
        ranks_[rank].lanes.at(number).is_paused = false;
        advance(rank);
      });
    }
  }

  // Takes the next computation off the list, that of the lane whose first was ready first; -1:
  // none.
  int next_computation(int rank) {
    if (source_.in_order()) return tasks_.take_computation(rank);
    std::set<std::pair<std::uint64_t, int>>* first = nullptr;
    for (auto& [number, lane] : ranks_[rank].lanes)
      if (!lane.is_paused && !lane.ready.empty() &&
          (first == nullptr || *lane.ready.begin() < *first->begin()))
        first = &lane.ready;
    return first == nullptr ? -1 : first->extract(first->begin()).value().second;
  }

  void become_ready(int rank, int t) {
    const HeldTask& task = tasks_.task(rank, t);
    if (!task.task.computes()) {
      come(rank, t);
    } else if (!source_.in_order()) {
      ranks_[rank].lanes[task.task.lane].ready.emplace(task.ready, t);
    }
  }

  void complete(int rank, int t, std::uint64_t cycle) {
    // Reads all tasks that can be ready now.
    tasks_.read_until(rank, static_cast<std::uint64_t>(t) + 1 + source_.look_ahead(rank));
    HeldTask& task = tasks_.task(rank, t);
    task.done = true;
    task.order = ++done_;
    tasks_.keep_record(rank, t);
    if (cycle > last_end_ || (cycle == last_end_ && std::pair(rank, t) < last_to_end_)) {
      last_end_ = cycle;
      last_to_end_ = {rank, t};
      path_to_end_ = task.path;
    }
    ranks_[rank].clock.complete(cycle, task.waited);
    ranks_[rank].lane_clock.complete(cycle);
    end_iteration(task);
    const std::vector<int> later = std::move(task.later);
    for (const int next : later) {
      HeldTask& waiting = tasks_.task(rank, next);
      waiting.take_cause(task, t);
      if (--waiting.waits == 0) become_ready(rank, next);
    }
  }

  void end_iteration(const HeldTask& task) {
    if (task.task.category == TimeCategory::kInputLoad) return;  // input of the next iteration
    const auto iteration = static_cast<std::size_t>(task.task.iteration);
    if (iteration_ends_.size() <= iteration) iteration_ends_.resize(iteration + 1);
    iteration_ends_[iteration] = std::max(iteration_ends_[iteration], task.record.end);
  }

  // Reaches an operation, now or at a future cycle. The operation is issued when the last rank has
  // reached it.
  void come(int rank, int t) {
    const HeldTask& state = tasks_.task(rank, t);
    const int number = state.task.operation;
    HeldOperation& operation = tasks_.operation(number);
    const std::uint64_t cycle = state.ready + lag(rank, t);
    const bool is_message = tasks_.kind_of(operation).is_message;
    if (is_message && state.task.rank == 1) {
      operation.expected = cycle;
      return receive(number, {rank, t});
    }
    if (operation.came == 0 || cycle > operation.start) {
      operation.start = cycle;
      operation.begin = state.ready;
      operation.cause_rank = state.cause < 0 ? -1 : rank;
      operation.cause_task = state.cause;
      operation.path = state.path;
    }
    if (++operation.came < tasks_.kind_of(operation).ranks && !is_message) return;
    if (operation.start <= operations_.cycle() + 1) return take_turn(number);
    operations_.call_at(operation.start - 1, [this, number] { take_turn(number); });
  }

  std::uint64_t lag(int rank, int t) const {
    if (!engine_.arrivals().any() || is_io_member(source_.members()[rank])) return 0;
    return engine_.arrivals().lag(static_cast<std::uint64_t>(t), static_cast<std::uint64_t>(rank));
  }

  // Takes the turn of an operation, at its start or at the edge before.
  void take_turn(int number) {
    const GraphOperation& what = tasks_.operation(number).what;
    if (what.queue < 0) return issue_first(number);
    Queue& queue = queues_[what.queue];
    if (queue.is_busy) {
      queue.waiting.emplace(what.need, number);
    } else {
      queue.is_busy = true;
      issue_first(number);
    }
  }

  // Gives the turn to the next operation of the queue. `last`: the task that was the last to end in
  // the operation before.
  void next_turn(Queue& queue, const Place& last, std::uint64_t end, const TimeBreakdown& path) {
    queue.is_busy = !queue.waiting.empty();
    if (!queue.is_busy) return;
    const int number = queue.waiting.extract(queue.waiting.begin()).value().second;
    HeldOperation& next = tasks_.operation(number);
    if (end > next.start) {
      next.start = next.begin = end;
      next.cause_rank = last.rank;
      next.cause_task = last.task;
      next.path = path;
    }
    issue_first(number);
  }

  void issue_first(int number) {
    HeldOperation& state = tasks_.operation(number);
    if (operations_.can_repeat() && state.what.times > kAtATime) return issue_all(number);
    for (int i = 0; i < kAtATime; ++i) issue_more(number);
  }

  void issue_more(int number) {
    HeldOperation* const operation = tasks_.find_operation(number);
    if (operation == nullptr) return;  // operation is complete
    HeldOperation& state = *operation;
    if (state.issued == state.what.times) return;
    IssueOptions options;
    options.seed = operand_seed(engine_.seed(), number) + state.issued++;
    issue(state, number, std::move(options));
  }

  // Issues all repetitions at once; the engine repeats the operation.
  void issue_all(int number) {
    HeldOperation& state = tasks_.operation(number);
    for (auto& of_part : state.left) std::ranges::fill(of_part, 1);
    state.issued = state.what.times;
    IssueOptions options;
    options.times = state.what.times;
    options.at_a_time = kAtATime;
    issue(state, number, std::move(options));
  }

  void issue(const HeldOperation& state, int number, IssueOptions options) {
    options.delay = state.start - std::min(state.start, operations_.cycle());
    of_handle_.emplace(operations_.issue(engine_.plans()[state.what.shape], {}, options), number);
  }

  // Completes a message when it has arrived and its receiver has reached it.
  void receive(int number, const Place& own) {
    const HeldOperation& operation = tasks_.operation(number);
    if (operation.arrived == HeldOperation::kNotYet || operation.expected == HeldOperation::kNotYet)
      return;
    HeldTask& task = tasks_.task(own.rank, own.task);
    const bool is_late = operation.arrived > operation.expected;
    const std::uint64_t end = std::max(operation.arrived, operation.expected);
    if (is_late) {
      end_communication(own.rank, task, operation, end);
    } else {
      const TimeCategory category = task.task.category;
      const int cause_rank = task.cause < 0 ? -1 : own.rank;
      if (end > task.ready)
        wait_for(own.rank,
                 {.ready = task.ready, .start = task.ready, .end = end, .category = category},
                 task.waited);
      task.record = {task.ready, end, cause_rank, task.cause};
      task.path[static_cast<std::size_t>(category)] += end - task.ready;
    }
    finish_task(number, own, end);
  }

  void complete_communication(int number, int part, int rank) {
    HeldOperation* const found = tasks_.find_operation(number);
    if (found == nullptr) return;  // a relay that ended after all ranks
    HeldOperation& operation = *found;
    if (rank >= std::ssize(operation.places[part])) return;  // it only sends on (Part::relays)
    const Place own = operation.places[part][rank];
    if (--operation.left[part][rank] > 0) return;
    const std::uint64_t now = operations_.cycle();
    if (tasks_.kind_of(operation).is_message && rank == 1) {
      operation.arrived = now;
      if (operation.expected == HeldOperation::kNotYet) return;  // its task may not be there yet
      receive(number, own);
    } else {
      end_communication(own.rank, tasks_.task(own.rank, own.task), operation, now);
      finish_task(number, own, now);
    }
    advance(own.rank);
  }

  void finish_task(int number, const Place& own, std::uint64_t end) {
    HeldOperation& operation = tasks_.operation(number);
    const bool is_last = --operation.tasks_left == 0;
    const int queue = is_last ? operation.what.queue : -1;
    const TimeBreakdown path = tasks_.task(own.rank, own.task).path;
    if (is_last) tasks_.forget_operation(number);
    complete(own.rank, own.task, end);
    if (queue >= 0) next_turn(queues_[queue], own, end, path);
  }

  void wait_for(int rank, const RankClock::Communication& communication, WaitTime& waited) {
    if (source_.has_lanes())
      ranks_[rank].lane_clock.wait_for(communication);
    else
      ranks_[rank].clock.wait_for(communication, waited);
  }

  // Ends a communication: its record, and the wait of its rank if the rank did nothing else
  // meanwhile.
  void end_communication(int rank, HeldTask& task, const HeldOperation& operation,
                         std::uint64_t end) {
    const HeldTasks::Kind& kind = tasks_.kind_of(operation);
    const TimeCategory category = task.task.category;
    wait_for(rank,
             {.ready = task.ready,
              .start = operation.begin,
              .end = end,
              .category = category,
              .is_bubble = kind.is_message || (kind.passes_on && category == TimeCategory::kPp)},
             task.waited);
    task.record = {operation.begin, end, operation.cause_rank, operation.cause_task};
    task.path = operation.path;
    task.path[static_cast<std::size_t>(category)] += end - operation.begin;
  }

  RankTime time_of(int rank) const {
    RankTime time =
        source_.has_lanes() ? ranks_[rank].lane_clock.time() : ranks_[rank].clock.time();
    time.tasks = static_cast<std::uint64_t>(tasks_.end(rank));
    const std::uint64_t sum = time.computing() + time.exposed() + time.bubble;
    if (sum != time.end)
      throw RunFailed(fmt::format("time of {}: its parts are {} cycles, its last task ends at {}",
                                  member_name(source_.members()[rank]), sum, time.end));
    return time;
  }

  TimeBreakdown checked_path() const {
    const std::uint64_t sum =
        std::accumulate(path_to_end_.begin(), path_to_end_.end(), std::uint64_t{0});
    if (sum != last_end_)
      throw RunFailed(
          fmt::format("critical path: its parts are {} cycles, the run took {}", sum, last_end_));
    return path_to_end_;
  }

  std::uint64_t total_bytes() const {
    std::uint64_t total = 0;
    for (std::size_t s = 0; s < engine_.plans().size(); ++s)
      total += source_.repeats()[s] * result_bytes(*engine_.plans()[s]);
    return total;
  }

  // Keyed by plan; rounded up.
  std::vector<std::uint64_t> issues_of_an_iteration() const {
    const auto iterations = static_cast<std::uint64_t>(source_.iterations());
    std::vector<std::uint64_t> issues;
    for (const std::uint64_t all : source_.repeats())
      issues.push_back((all + iterations - 1) / iterations);
    return issues;
  }

  RunResult run_engine(const RunSteps& steps,
                       const std::function<void(const Progress&)>& on_progress) {
    try {
      return engine_.run(steps, on_progress);
    } catch (const RunFailed& failed) {
      if (failed.cause() != FailureCause::kDeadlock || tasks_.all_done()) throw;
      throw RunFailed(
          fmt::format("{}\nNot complete:{}", failed.what(), tasks_.text_of_those_left()),
          failed.cause(), failed.edge());
    }
  }

  std::uint64_t end_of_all() const {
    if (!tasks_.all_done())
      throw RunFailed("the workload does not come to its end", FailureCause::kDeadlock);
    return last_end_;
  }

  RunEngine& engine_;  // its plans: by shape
  OperationEngine& operations_;
  TaskSource& source_;
  HeldTasks tasks_;
  std::vector<RankState> ranks_;
  std::map<OperationHandle, int> of_handle_;                             // under way
  std::map<int, Queue> queues_;                                          // by number
  std::uint64_t done_ = 0;                                               // tasks
  std::uint64_t last_end_ = 0;                                           // cycle
  std::pair<int, int> last_to_end_{std::numeric_limits<int>::max(), 0};  // rank, task
  TimeBreakdown path_to_end_{};
  std::vector<std::uint64_t> iteration_ends_;
};

}  // namespace

ShapePlans plan_shapes(const Topology& topology, const TaskGraph& graph, OnConflict on_conflict) {
  return plan_shapes(topology, graph.shapes, on_conflict);
}

ShapePlans plan_shapes(const Topology& topology, const std::vector<OperationShape>& shapes,
                       OnConflict on_conflict, SystemForm form) {
  return plan_apart(topology, shapes, on_conflict, form);
}

GraphOutcome run_graph(RunEngine& engine, const TaskGraph& graph,
                       const std::function<void(const Progress&)>& on_progress) {
  graph.check();
  GraphTasks source(graph);
  return GraphRun(engine, source, true).run(on_progress);
}

GraphOutcome run_tasks(RunEngine& engine, TaskSource& source,
                       const std::function<void(const Progress&)>& on_progress) {
  return GraphRun(engine, source, false).run(on_progress);
}

GraphOutcome run_graph(Machine& machine, const TaskGraph& graph, const ShapePlans& plans,
                       const std::function<void(const Progress&)>& on_progress) {
  ExactRun engine(machine, plans);
  return run_graph(engine, graph, on_progress);
}

GraphOutcome run_tasks(Machine& machine, TaskSource& source, const ShapePlans& plans,
                       const std::function<void(const Progress&)>& on_progress) {
  ExactRun engine(machine, plans);
  return run_tasks(engine, source, on_progress);
}

}  // namespace fredsim
