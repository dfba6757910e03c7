#include "workload/graph_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/member.h"
#include "engine/communicator.h"
#include "engine/simulated_plans.h"
#include "workload/waiting_text.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kProgressCycles = 4096;
constexpr std::uint64_t kNotYet = ~std::uint64_t{0};

constexpr int kAtATime = 2;  // of an operation that is repeated

// Parts [first, first + parts) alone, with the phases of all.
Plan some_parts(Plan plan, int first, int parts) {
  plan.parts.erase(plan.parts.begin() + first + parts, plan.parts.end());
  plan.parts.erase(plan.parts.begin(), plan.parts.begin() + first);
  for (Part& part : plan.parts) {
    std::erase_if(part.after, [&](int before) { return before < first; });
    for (int& before : part.after) before -= first;
  }
  std::erase_if(plan.trees,
                [&](const Tree& tree) { return tree.part < first || tree.part >= first + parts; });
  for (Tree& tree : plan.trees) tree.part -= first;
  return plan;
}

class GraphRun {
 public:
  GraphRun(Machine& machine, const TaskGraph& graph, const ShapePlans& plans)
      : machine_(machine),
        graph_(graph),
        plans_(plans_to_simulate(machine, plans)),
        communicator_(machine) {
    for (const TaskRank& rank : graph.ranks) add_rank(rank);
    index_operations();
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
    communicator_.skip_idle(machine_.options().skip && machine_.wave() == nullptr);
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
    for (RankState& rank : ranks_) outcome.records.push_back(std::move(rank.records));
    return outcome;
  }

 private:
  struct TaskState {
    int waits = 0;
    std::uint64_t ready = 0;  // cycle, when it waits for nothing any more
    int cause = -1;           // the task of its rank that came last
    bool done = false;
  };
  struct RankState {
    std::vector<TaskState> tasks;
    std::vector<TaskRecord> records;
    std::vector<std::vector<int>> later;            // by task: those that wait for it
    std::vector<int> computations;                  // in order
    std::size_t next = 0;                           // of them
    std::set<std::pair<std::uint64_t, int>> ready;  // not in order: since when, and task
    int last = -1;                                  // computation
    std::uint64_t free = 0;                         // cycle at which the one before is over
  };
  struct Place {
    int rank = 0, task = 0;
  };
  struct OperationState {
    std::vector<std::vector<Place>> places;  // by part and rank
    std::vector<std::vector<std::uint64_t>>
        left;                  // by part and rank: times that it is not complete
    std::uint64_t issued = 0;  // times
    int ranks = 0, came = 0;
    std::uint64_t start = 0;  // cycle at which the last of those that came did
    Place last;
    // Of a message: cycles at which its receiver came, and at which it was there.
    bool is_message = false;
    std::uint64_t expected = kNotYet, arrived = kNotYet;
  };

  void add_rank(const TaskRank& rank) {
    RankState& state = ranks_.emplace_back();
    const std::size_t tasks = rank.tasks.size();
    state.tasks.resize(tasks);
    state.records.resize(tasks);
    state.later.resize(tasks);
    for (int t = 0; t < std::ssize(rank.tasks); ++t) {
      const Task& task = rank.tasks[t];
      state.tasks[t].waits = static_cast<int>(task.after.size());
      for (const int before : task.after) state.later[before].push_back(t);
      if (task.computes()) state.computations.push_back(t);
    }
  }

  void index_operations() {
    for (const GraphOperation& operation : graph_.operations) {
      OperationState& state = operations_.emplace_back();
      const std::vector<CollectiveSpec>& work = graph_.shapes[operation.shape].work;
      state.is_message = work.size() == 1 && work.front().collective == Collective::kUnicast;
      for (const CollectiveSpec& spec : work) {
        state.places.emplace_back(spec.group.size());
        state.left.emplace_back(spec.group.size(), operation.times);
        state.ranks += static_cast<int>(spec.group.size());
      }
    }
    for (int r = 0; r < std::ssize(graph_.ranks); ++r) {
      const std::vector<Task>& tasks = graph_.ranks[r].tasks;
      for (int t = 0; t < std::ssize(tasks); ++t)
        if (!tasks[t].computes())
          operations_[tasks[t].operation].places[tasks[t].part][tasks[t].rank] = {r, t};
    }
  }

  // NPUs first: what is issued at the same time does not depend on who made the graph.
  std::vector<int> in_order_of_members() const {
    std::vector<int> order(graph_.ranks.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [this](int r) {
      const int member = graph_.ranks[r].member;
      return std::pair(is_io_member(member), is_io_member(member) ? io_of_member(member) : member);
    });
    return order;
  }

  void begin(int rank) {
    const RankState& state = ranks_[rank];
    for (int t = 0; t < std::ssize(state.tasks); ++t)
      if (state.tasks[t].waits == 0) become_ready(rank, t);
    advance(rank);
  }

  // Computations as far as what they wait for is known to be complete, at cycles that may be still to come.
  void advance(int rank) {
    RankState& state = ranks_[rank];
    for (int t = next_computation(state); t >= 0; t = next_computation(state)) {
      const TaskState& task = state.tasks[t];
      const std::uint64_t begin = std::max(task.ready, state.free);
      const bool waits_for_last = state.last >= 0 && state.free > task.ready;
      const int cause = waits_for_last ? state.last : task.cause;
      state.free = begin + graph_.ranks[rank].tasks[t].cycles;
      state.records[t] = {begin, state.free, cause < 0 ? -1 : rank, cause};
      state.last = t;
      complete(rank, t, state.free);
    }
  }

  // Taken off; -1: none.
  int next_computation(RankState& state) const {
    if (!graph_.in_order)
      return state.ready.empty() ? -1 : state.ready.extract(state.ready.begin()).value().second;
    if (state.next == state.computations.size()) return -1;
    const int t = state.computations[state.next];
    if (state.tasks[t].waits > 0) return -1;
    ++state.next;
    return t;
  }

  void become_ready(int rank, int t) {
    RankState& state = ranks_[rank];
    if (!graph_.ranks[rank].tasks[t].computes()) {
      come(rank, t);
    } else if (!graph_.in_order) {
      state.ready.emplace(state.tasks[t].ready, t);
    }
  }

  void complete(int rank, int task, std::uint64_t cycle) {
    RankState& state = ranks_[rank];
    state.tasks[task].done = true;
    last_end_ = std::max(last_end_, cycle);
    for (const int t : state.later[task]) {
      TaskState& later = state.tasks[t];
      if (cycle >= later.ready) later.ready = cycle, later.cause = task;
      if (--later.waits == 0) become_ready(rank, t);
    }
  }

  // To an operation, now or at a cycle that is still to come. It is issued when the last rank has.
  void come(int rank, int t) {
    const Task& task = graph_.ranks[rank].tasks[t];
    OperationState& operation = operations_[task.operation];
    const std::uint64_t cycle = ranks_[rank].tasks[t].ready;
    if (operation.is_message && task.rank == 1) {
      operation.expected = cycle;
      return receive(operation, {rank, t});
    }
    if (operation.came == 0 || cycle > operation.start) {
      operation.start = cycle;
      operation.last = {.rank = rank, .task = t};
    }
    if (++operation.came < operation.ranks && !operation.is_message) return;
    const int number = task.operation;
    if (operation.start <= communicator_.cycle() + 1) return issue_first(number);
    communicator_.call_at(operation.start - 1, [this, number] { issue_first(number); });
  }

  // At its start, or at the edge before.
  void issue_first(int number) {
    for (int i = 0; i < kAtATime; ++i) issue_more(number);
  }

  void issue_more(int number) {
    OperationState& state = operations_[number];
    const GraphOperation& operation = graph_.operations[number];
    if (state.issued == operation.times) return;
    const OperationHandle handle =
        communicator_.issue(plans_.plans[operation.shape], {},
                            {.seed = operand_seed(machine_.options().seed, number) + state.issued++,
                             .delay = state.start - std::min(state.start, communicator_.cycle())});
    of_handle_.emplace(handle, number);
  }

  // A message, once it is there and its receiver has come.
  void receive(const OperationState& operation, const Place& own) {
    if (operation.arrived == kNotYet || operation.expected == kNotYet) return;
    TaskRecord& record = ranks_[own.rank].records[own.task];
    const bool is_late = operation.arrived > operation.expected;
    const Place& last = is_late ? operation.last : own;
    const int cause = ranks_[last.rank].tasks[last.task].cause;
    record = {is_late ? operation.start : operation.expected,
              std::max(operation.arrived, operation.expected), cause < 0 ? -1 : last.rank, cause};
    complete(own.rank, own.task, record.end);
  }

  void complete_communication(int index, int part, int rank) {
    OperationState& operation = operations_[index];
    const Place& own = operation.places[part][rank];
    if (--operation.left[part][rank] > 0) return;
    if (operation.is_message && rank == 1) {
      operation.arrived = communicator_.cycle();
      receive(operation, own);
      return advance(own.rank);
    }
    const Place& last = operation.last;
    const std::uint64_t now = communicator_.cycle();
    const int cause = ranks_[last.rank].tasks[last.task].cause;
    ranks_[own.rank].records[own.task] = {operation.start, now, cause < 0 ? -1 : last.rank, cause};
    complete(own.rank, own.task, now);
    advance(own.rank);
  }

  void report_to(const std::function<void(const Progress&)>& on_progress) {
    std::uint64_t total = 0;
    for (const GraphOperation& operation : graph_.operations)
      total += operation.times * result_bytes(*plans_.plans[operation.shape]);
    communicator_.on_cycle([this, on_progress, total] {
      const std::uint64_t cycle = communicator_.cycle();
      if (cycle < next_progress_) return;
      next_progress_ = cycle + kProgressCycles;
      on_progress({cycle, communicator_.delivered_bytes(), total});
    });
  }

  void wait() {
    const auto is_done = [this](int rank, int task) { return ranks_[rank].tasks[task].done; };
    try {
      communicator_.wait_all();
    } catch (const RunFailed& failed) {
      if (failed.cause() != FailureCause::kDeadlock) throw;
      throw RunFailed(
          fmt::format("{}\nNot complete:{}", failed.what(), waiting_text(graph_, is_done)),
          failed.cause(), failed.edge());
    }
    if (communicator_.stopped()) return;
    const auto left = [](const RankState& rank) {
      return std::ranges::any_of(rank.tasks, [](const TaskState& task) { return !task.done; });
    };
    if (std::ranges::any_of(ranks_, left))
      throw RunFailed(fmt::format("the workload does not come to its end. Not complete:{}",
                                  waiting_text(graph_, is_done)),
                      FailureCause::kDeadlock);
  }

  Machine& machine_;
  const TaskGraph& graph_;
  const SimulatedPlans plans_;  // by shape
  Communicator communicator_;
  std::vector<RankState> ranks_;
  std::vector<OperationState> operations_;
  std::map<OperationHandle, int> of_handle_;  // under way
  std::uint64_t last_end_ = 0;                // cycle
  std::uint64_t next_progress_ = kProgressCycles;
};

}  // namespace

ShapePlans plan_shapes(const Topology& topology, const TaskGraph& graph, OnConflict on_conflict) {
  ShapePlans plans;
  for (const OperationShape& shape : graph.shapes) {
    std::vector<CollectiveSpec> all = shape.before;
    all.insert(all.end(), shape.work.begin(), shape.work.end());
    all.insert(all.end(), shape.beside.begin(), shape.beside.end());
    plans.push_back(prepare(topology, some_parts(make_plan(topology, all, on_conflict),
                                                 static_cast<int>(shape.before.size()),
                                                 static_cast<int>(shape.work.size()))));
  }
  return plans;
}

GraphOutcome run_graph(Machine& machine, const TaskGraph& graph, const ShapePlans& plans,
                       const std::function<void(const Progress&)>& on_progress) {
  graph.check();
  return GraphRun(machine, graph, plans).run(on_progress);
}

}  // namespace fredsim
