#include "workload/graph_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/member.h"
#include "collective/collective_spec.h"
#include "collective/operand.h"
#include "engine/communicator.h"
#include "engine/communicator_run.h"
#include "engine/joint_plans.h"
#include "engine/simulated_plans.h"
#include "workload/waiting_text.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kNotYet = ~std::uint64_t{0};

constexpr int kAtATime = 2;  // of an operation that is repeated

// Not in order: computations that are begun at cycles still to come, of a rank; and how long before the first of these is over
// further ones are, so that what comes after them is in time.
constexpr std::size_t kMostAhead = 1024;
constexpr std::uint64_t kSoon = 2;

// Waiting time of an NPU by cause (rank_time.h), on the way to the end of a communication, since the computation that was over last at
// `since`: of no use once a later one has been.
struct Still {
  std::uint64_t since = 0;
  TimeBreakdown exposed{};
  std::uint64_t bubble = 0;
};

class GraphRun {
 public:
  GraphRun(Machine& machine, TaskSource& source, const ShapePlans& plans, bool keeps_records)
      : machine_(machine),
        source_(source),
        keeps_records_(keeps_records),
        plans_(plans_to_simulate(machine, plans)),
        communicator_(machine),
        ranks_(source.members().size()) {
    for (const OperationShape& shape : source.shapes()) kinds_.push_back(kind_of(shape));
    for (int r = 0; r < std::ssize(ranks_); ++r) read_until(r, source.look_ahead(r));
    communicator_.on_rank_complete([this](OperationHandle handle, int part, int rank) {
      complete_communication(of_handle_.at(handle), part, rank);
    });
    communicator_.on_complete([this](const OperationReport& report) {
      const auto at = of_handle_.find(report.handle);
      issue_more(at->second);
      of_handle_.erase(at);
    });
  }

  GraphOutcome run(const std::function<void(const Progress&)>& on_progress) {
    communicator_.begin();
    for (const int r : in_order_of_members()) begin(r);
    for (const auto& plan : plans_.plans) communicator_.expect(plan);
    communicator_.skip_idle();
    communicator_.start();
    if (on_progress) report_to(on_progress);
    const auto wall_start = std::chrono::steady_clock::now();
    wait();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;
    GraphOutcome outcome;
    RunResult& result = outcome.result;
    result.wall_s = wall.count();
    result.incomplete = communicator_.stopped();
    result.cycles = result.incomplete ? communicator_.cycle() : last_end_;
    if (!result.incomplete) communicator_.finish();
    fill_run(machine_, communicator_, plans_, result);
    fill_operations(communicator_, result);
    outcome.most_tasks = most_tasks_;
    if (!result.incomplete) {
      for (int r = 0; r < std::ssize(ranks_); ++r) outcome.times.push_back(time_of(r));
      outcome.critical_path = checked_path();
      outcome.iteration_ends = std::move(iteration_ends_);
      outcome.has_memory = has_memory_;
    } else if (keeps_records_) {
      mark_not_ended();
    }
    for (RankState& rank : ranks_) outcome.records.push_back(std::move(rank.records));
    return outcome;
  }

 private:
  struct TaskState {
    Task task;
    int waits = 0;
    std::uint64_t ready = 0;  // cycle, when it waits for nothing any more
    int cause = -1;           // the task of its rank that came last
    std::uint64_t cause_order = 0;
    bool done = false;
    std::uint64_t order = 0;  // of being done, from 1
    TaskRecord record{};
    std::vector<int> later{};  // those that wait for it
    // Up to its end, or before that up to where it became ready, as its cause has them.
    TimeBreakdown path{};
    Still still{};
  };
  struct RankState {
    std::deque<TaskState> tasks;  // from `first` on
    int first = 0;
    bool at_end = false;                            // of the source
    std::vector<TaskRecord> records;                // of all tasks, where they are kept
    std::deque<int> computations;                   // in order: those not begun
    std::set<std::pair<std::uint64_t, int>> ready;  // not in order: since when, and task
    int last = -1;                                  // computation
    TimeBreakdown path_of_last{};
    std::uint64_t free = 0;           // cycle at which the one before is over
    std::deque<std::uint64_t> ahead;  // ends of computations that are still to come
    bool rests = false;               // so many that others come first
    RankTime time{};
    Still still_to_end{};
  };
  struct Place {
    int rank = 0, task = 0;
  };
  struct OperationState {
    GraphOperation what;
    std::vector<std::vector<Place>> places;  // by part and rank
    std::vector<std::vector<std::uint64_t>>
        left;                  // by part and rank: times that it is not complete
    std::uint64_t issued = 0;  // times
    int came = 0, tasks_left = 0;
    std::uint64_t start = 0;  // cycle at which the last of those that came did
    int cause_rank = -1, cause_task = -1;
    TimeBreakdown path{};  // of what it had waited for
    // Of a message: cycles at which its receiver came, and at which it was there.
    std::uint64_t expected = kNotYet, arrived = kNotYet;
  };
  struct Kind {
    int ranks = 0;
    bool is_message = false;
    bool passes_on = false;  // from one rank to others, as messages and stages of a pipeline do
  };

  static Kind kind_of(const OperationShape& shape) {
    Kind kind;
    for (const CollectiveSpec& spec : shape.work) kind.ranks += static_cast<int>(spec.group.size());
    kind.is_message =
        shape.work.size() == 1 && shape.work.front().collective == Collective::kUnicast;
    kind.passes_on = std::ranges::all_of(shape.work, [](const CollectiveSpec& spec) {
      return spec.collective == Collective::kUnicast || spec.collective == Collective::kMulticast;
    });
    return kind;
  }

  const Kind& kind_of(const OperationState& operation) const {
    return kinds_[static_cast<std::size_t>(operation.what.shape)];
  }

  TaskState& state_of(int rank, int task) {
    RankState& state = ranks_[rank];
    return state.tasks[static_cast<std::size_t>(task - state.first)];
  }

  // ---- tasks that come and go

  // All tasks of a rank that have fewer than `end` before them.
  void read_until(int rank, std::uint64_t end) {
    RankState& state = ranks_[rank];
    while (!state.at_end && static_cast<std::uint64_t>(state.first) + state.tasks.size() < end) {
      TaskState next;
      if (!source_.next(rank, next.task)) {
        state.at_end = true;
        break;
      }
      add(rank, std::move(next));
    }
    most_tasks_ = std::max(most_tasks_, state.tasks.size());
  }

  void add(int rank, TaskState next) {
    RankState& state = ranks_[rank];
    const int number = state.first + static_cast<int>(state.tasks.size());
    for (const int before : next.task.after) {
      if (before < state.first) continue;  // was over before the others
      TaskState& of = state_of(rank, before);
      if (of.done) {
        take_cause(next, of, before);
      } else {
        of.later.push_back(number);
        ++next.waits;
      }
    }
    if (next.task.category == TimeCategory::kMemory) has_memory_ = true;
    if (!next.task.computes()) {
      OperationState& operation = operation_of(next.task.operation);
      operation.places[next.task.part][next.task.rank] = {rank, number};
    } else if (source_.in_order()) {
      state.computations.push_back(number);
    }
    if (keeps_records_) state.records.emplace_back();
    state.tasks.push_back(std::move(next));
  }

  OperationState& operation_of(int number) {
    const auto [at, is_new] = operations_.try_emplace(number);
    OperationState& state = at->second;
    if (!is_new) return state;
    state.what = source_.operation(number);
    for (const CollectiveSpec& spec : source_.shapes()[state.what.shape].work) {
      state.places.emplace_back(spec.group.size());
      state.left.emplace_back(spec.group.size(), state.what.times);
    }
    state.tasks_left = kind_of(state).ranks;
    return state;
  }

  // Drops tasks that are complete and over: nobody's time depends on when that was.
  void retire(int rank) {
    RankState& state = ranks_[rank];
    const std::uint64_t now = communicator_.cycle();
    const int before = state.first;
    while (!state.tasks.empty() && state.tasks.front().done &&
           state.tasks.front().record.end <= now) {
      state.tasks.pop_front();
      ++state.first;
    }
    while (!state.ahead.empty() && state.ahead.front() <= now + kSoon) state.ahead.pop_front();
    if (state.first != before) source_.forget(rank, static_cast<std::uint64_t>(state.first));
  }

  void forget_operation(int number) {
    operations_.erase(number);
    source_.forget_operation(number);
  }

  // When the run was interrupted; ends of computations may be known before they have come.
  void mark_not_ended() {
    for (RankState& rank : ranks_) {
      for (std::size_t i = 0; i < rank.tasks.size(); ++i) {
        const TaskState& task = rank.tasks[i];
        if (!task.done || task.record.end > communicator_.cycle())
          rank.records[static_cast<std::size_t>(rank.first) + i].end = kNotEnded;
      }
    }
  }

  // ---- the run

  // NPUs first: what is issued at the same time does not depend on who made the graph.
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
    const auto tasks = static_cast<int>(ranks_[rank].tasks.size());
    for (int t = 0; t < tasks; ++t)
      if (state_of(rank, t).waits == 0) become_ready(rank, t);
    advance(rank);
  }

  // Computations as far as what they wait for is known to be complete, at cycles that may be still to come.
  void advance(int rank) {
    RankState& state = ranks_[rank];
    retire(rank);
    if (state.rests) return;
    for (int t = next_computation(state); t >= 0; t = next_computation(state)) {
      TaskState& task = state_of(rank, t);
      const std::uint64_t begin = std::max(task.ready, state.free);
      const bool waits_for_last = state.last >= 0 && state.free > task.ready;
      const int cause = waits_for_last ? state.last : task.cause;
      if (waits_for_last) task.path = state.path_of_last;
      if (begin > state.free) stand_still(state, task.still);
      const auto category = static_cast<std::size_t>(task.task.category);
      state.time.parts[category] += task.task.cycles;
      task.path[category] += task.task.cycles;
      state.free = begin + task.task.cycles;
      task.record = {begin, state.free, cause < 0 ? -1 : rank, cause};
      task.still = {.since = state.free};
      state.last = t;
      state.path_of_last = task.path;
      complete(rank, t, state.free);
      if (source_.in_order()) continue;
      state.ahead.push_back(state.free);
      if (state.ahead.size() < kMostAhead) continue;
      retire(rank);
      if (state.ahead.size() < kMostAhead) continue;
      state.rests = true;
      communicator_.call_at(state.ahead[kMostAhead / 2] - kSoon, [this, rank] {
        ranks_[rank].rests = false;
        advance(rank);
      });
      return;
    }
  }

  // Taken off; -1: none.
  int next_computation(RankState& state) {
    if (!source_.in_order())
      return state.ready.empty() ? -1 : state.ready.extract(state.ready.begin()).value().second;
    if (state.computations.empty()) return -1;
    const int t = state.computations.front();
    if (state.tasks[static_cast<std::size_t>(t - state.first)].waits > 0) return -1;
    state.computations.pop_front();
    return t;
  }

  void become_ready(int rank, int t) {
    const TaskState& task = state_of(rank, t);
    if (!task.task.computes()) {
      come(rank, t);
    } else if (!source_.in_order()) {
      ranks_[rank].ready.emplace(task.ready, t);
    }
  }

  static void take_cause(TaskState& later, const TaskState& before, int number) {
    const auto of_before = std::pair(before.record.end, before.order);
    if (later.cause >= 0 && of_before < std::pair(later.ready, later.cause_order)) return;
    later.ready = before.record.end;
    later.cause = number;
    later.cause_order = before.order;
    later.path = before.path;
    later.still = before.still;
  }

  void complete(int rank, int t, std::uint64_t cycle) {
    RankState& state = ranks_[rank];
    // Those that can be ready now have to be there.
    read_until(rank, static_cast<std::uint64_t>(t) + 1 + source_.look_ahead(rank));
    TaskState& task = state_of(rank, t);
    task.done = true;
    task.order = ++done_;
    if (keeps_records_) state.records[t] = task.record;
    if (cycle > last_end_ || (cycle == last_end_ && std::pair(rank, t) < last_to_end_)) {
      last_end_ = cycle;
      last_to_end_ = {rank, t};
      path_to_end_ = task.path;
    }
    if (cycle >= state.time.end) {
      state.time.end = cycle;
      state.still_to_end = task.still;
    }
    end_iteration(task);
    const std::vector<int> later = std::move(task.later);
    for (const int next : later) {
      TaskState& waiting = state_of(rank, next);
      take_cause(waiting, task, t);
      if (--waiting.waits == 0) become_ready(rank, next);
    }
  }

  void end_iteration(const TaskState& task) {
    if (task.task.category == TimeCategory::kInputLoad) return;  // of the next one
    const auto iteration = static_cast<std::size_t>(task.task.iteration);
    if (iteration_ends_.size() <= iteration) iteration_ends_.resize(iteration + 1);
    iteration_ends_[iteration] = std::max(iteration_ends_[iteration], task.record.end);
  }

  // To an operation, now or at a cycle that is still to come. It is issued when the last rank has.
  void come(int rank, int t) {
    const TaskState& state = state_of(rank, t);
    const int number = state.task.operation;
    OperationState& operation = operations_.at(number);
    const std::uint64_t cycle = state.ready;
    const bool is_message = kind_of(operation).is_message;
    if (is_message && state.task.rank == 1) {
      operation.expected = cycle;
      return receive(number, {rank, t});
    }
    if (operation.came == 0 || cycle > operation.start) {
      operation.start = cycle;
      operation.cause_rank = state.cause < 0 ? -1 : rank;
      operation.cause_task = state.cause;
      operation.path = state.path;
    }
    if (++operation.came < kind_of(operation).ranks && !is_message) return;
    if (operation.start <= communicator_.cycle() + 1) return issue_first(number);
    communicator_.call_at(operation.start - 1, [this, number] { issue_first(number); });
  }

  // At its start, or at the edge before.
  void issue_first(int number) {
    for (int i = 0; i < kAtATime; ++i) issue_more(number);
  }

  void issue_more(int number) {
    const auto at = operations_.find(number);
    if (at == operations_.end()) return;  // complete
    OperationState& state = at->second;
    if (state.issued == state.what.times) return;
    const OperationHandle handle =
        communicator_.issue(plans_.plans[state.what.shape], {},
                            {.seed = operand_seed(machine_.options().seed, number) + state.issued++,
                             .delay = state.start - std::min(state.start, communicator_.cycle())});
    of_handle_.emplace(handle, number);
  }

  // A message, once it is there and its receiver has come.
  void receive(int number, const Place& own) {
    const OperationState& operation = operations_.at(number);
    if (operation.arrived == kNotYet || operation.expected == kNotYet) return;
    TaskState& task = state_of(own.rank, own.task);
    const bool is_late = operation.arrived > operation.expected;
    const std::uint64_t end = std::max(operation.arrived, operation.expected);
    if (is_late) {
      end_communication(own.rank, task, operation, end);
    } else {
      const int cause_rank = task.cause < 0 ? -1 : own.rank;
      task.record = {end, end, cause_rank, task.cause};
    }
    finish_task(number, own, end);
  }

  void complete_communication(int number, int part, int rank) {
    OperationState& operation = operations_.at(number);
    const Place own = operation.places[part][rank];
    if (--operation.left[part][rank] > 0) return;
    const std::uint64_t now = communicator_.cycle();
    if (kind_of(operation).is_message && rank == 1) {
      operation.arrived = now;
      if (operation.expected == kNotYet) return;  // its task may not be there yet
      receive(number, own);
    } else {
      end_communication(own.rank, state_of(own.rank, own.task), operation, now);
      finish_task(number, own, now);
    }
    advance(own.rank);
  }

  void finish_task(int number, const Place& own, std::uint64_t end) {
    OperationState& operation = operations_.at(number);
    const bool is_last = --operation.tasks_left == 0;
    if (is_last) forget_operation(number);
    complete(own.rank, own.task, end);
  }

  // Its record, and what its rank stood still for if it did nothing else meanwhile.
  void end_communication(int rank, TaskState& task, const OperationState& operation,
                         std::uint64_t end) const {
    const std::uint64_t free = ranks_[rank].free;
    const std::uint64_t came = std::max(free, task.ready);
    const std::uint64_t begin = std::max(came, operation.start);
    Still& still = task.still;
    if (still.since != free || task.ready <= free) still = {.since = free};
    const auto category = static_cast<std::size_t>(task.task.category);
    const Kind& kind = kind_of(operation);
    const bool is_of_stages =
        kind.is_message || (kind.passes_on && task.task.category == TimeCategory::kPp);
    if (end > came) {
      const std::uint64_t wait = std::min(begin, end) - came;
      still.exposed[category] += end - came - wait;
      (is_of_stages ? still.bubble : still.exposed[category]) += wait;
    }
    task.record = {operation.start, end, operation.cause_rank, operation.cause_task};
    task.path = operation.path;
    task.path[category] += end - operation.start;
  }

  // Up to the beginning of a computation, or the end.
  static void stand_still(RankState& state, const Still& still) {
    if (still.since != state.free) return;  // found out by time_of()
    for (std::size_t i = 0; i < still.exposed.size(); ++i) state.time.parts[i] += still.exposed[i];
    state.time.bubble += still.bubble;
  }

  RankTime time_of(int rank) {
    RankState& state = ranks_[rank];
    if (state.time.end > state.free) stand_still(state, state.still_to_end);
    state.time.tasks = static_cast<std::uint64_t>(state.first) + state.tasks.size();
    const RankTime& time = state.time;
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

  void report_to(const std::function<void(const Progress&)>& on_progress) {
    std::uint64_t total = 0;
    for (std::size_t s = 0; s < kinds_.size(); ++s)
      total += source_.repeats()[s] * result_bytes(*plans_.plans[s]);
    communicator_.report_to(on_progress, total);
  }

  void wait() {
    try {
      communicator_.wait_all();
    } catch (const RunFailed& failed) {
      if (failed.cause() != FailureCause::kDeadlock) throw;
      throw RunFailed(fmt::format("{}\nNot complete:{}", failed.what(), text_of_those_left()),
                      failed.cause(), failed.edge());
    }
    if (communicator_.stopped()) return;
    const auto left = [](const RankState& rank) {
      return std::ranges::any_of(rank.tasks, [](const TaskState& task) { return !task.done; });
    };
    if (std::ranges::any_of(ranks_, left))
      throw RunFailed(fmt::format("the workload does not come to its end. Not complete:{}",
                                  text_of_those_left()),
                      FailureCause::kDeadlock);
  }

  // Names of the tasks that are left only: the next ones of each rank, and their operations.
  std::string text_of_those_left() {
    constexpr std::uint64_t kMostRead = 1 << 16;  // to find who has not come
    TaskGraph graph;
    graph.in_order = source_.in_order();
    for (int r = 0; r < std::ssize(ranks_); ++r)
      read_until(r, static_cast<std::uint64_t>(ranks_[r].first) + kMostRead);
    std::map<int, int> numbers;  // of operations
    for (int r = 0; r < std::ssize(ranks_); ++r) {
      TaskRank& rank = graph.ranks.emplace_back(TaskRank{source_.members()[r], {}});
      std::map<int, int> places;
      for (int t = ranks_[r].first; t < ranks_[r].first + std::ssize(ranks_[r].tasks); ++t) {
        const TaskState& state = state_of(r, t);
        if (state.done) continue;
        Task task = state.task;
        task.after.clear();
        for (const int before : state.task.after)
          if (const auto at = places.find(before); at != places.end())
            task.after.push_back(at->second);
        if (!task.computes()) {
          const auto [at, is_new] = numbers.try_emplace(task.operation, graph.operations.size());
          if (is_new) graph.operations.push_back(operations_.at(task.operation).what);
          task.operation = at->second;
        }
        places[t] = static_cast<int>(rank.tasks.size());
        rank.tasks.push_back(std::move(task));
      }
    }
    source_.name(graph);
    return waiting_text(graph, [](int, int) { return false; });
  }

  Machine& machine_;
  TaskSource& source_;
  const bool keeps_records_;
  const SimulatedPlans plans_;  // by shape
  Communicator communicator_;
  std::vector<Kind> kinds_;  // by shape
  std::vector<RankState> ranks_;
  std::map<int, OperationState> operations_;  // of tasks that were read and are not complete
  std::map<OperationHandle, int> of_handle_;  // under way
  std::uint64_t done_ = 0;                    // tasks
  std::size_t most_tasks_ = 0;                // of a rank at a time
  std::uint64_t last_end_ = 0;                // cycle
  std::pair<int, int> last_to_end_{std::numeric_limits<int>::max(), 0};  // rank, task
  TimeBreakdown path_to_end_{};
  std::vector<std::uint64_t> iteration_ends_;
  bool has_memory_ = false;
};

}  // namespace

ShapePlans plan_shapes(const Topology& topology, const TaskGraph& graph, OnConflict on_conflict) {
  return plan_shapes(topology, graph.shapes, on_conflict);
}

ShapePlans plan_shapes(const Topology& topology, const std::vector<OperationShape>& shapes,
                       OnConflict on_conflict) {
  return plan_apart(topology, shapes, on_conflict);
}

GraphOutcome run_graph(Machine& machine, const TaskGraph& graph, const ShapePlans& plans,
                       const std::function<void(const Progress&)>& on_progress) {
  graph.check();
  GraphTasks source(graph);
  return GraphRun(machine, source, plans, true).run(on_progress);
}

GraphOutcome run_tasks(Machine& machine, TaskSource& source, const ShapePlans& plans,
                       const std::function<void(const Progress&)>& on_progress) {
  return GraphRun(machine, source, plans, false).run(on_progress);
}

}  // namespace fredsim
