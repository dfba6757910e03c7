#include "engine/communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "engine/diagnosis.h"
#include "engine/run_observers.h"
#include "nic/packet_extension.h"
#include "routing/online_routes.h"
#include "switch/node_shape.h"
#include "switch/register_map.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kProgressCycles = 4096;

std::vector<Npu*> all_npus(Machine& machine) {
  std::vector<Npu*> npus;
  for (const auto& npu : machine.npus_by_node())
    if (npu != nullptr) npus.push_back(npu.get());
  return npus;
}

}  // namespace

Communicator::Communicator(Machine& machine, int rows)
    : machine_(machine),
      fabric_(machine.fabric()),
      plans_(machine.fabric().topology()),
      store_(machine.fabric().topology(), rows),
      loader_(machine.fabric()),
      limits_(machine.limits()),
      recurrence_(machine.fabric(), all_npus(machine)) {}

Communicator::~Communicator() {
  if (has_begun_) machine_.stop();
}

// ---- the run

void Communicator::begin(bool routes) {
  const Topology& topology = fabric_.topology();
  try {
    has_routes_ =
        routes && routes_by_table(topology) && !online_routes(topology, reg::kMaxRoutes).empty();
  } catch (const BadInput&) {
    has_routes_ = false;  // an operation that needs them is refused
  }
  has_begun_ = true;
  machine_.set_up(has_routes_);
}

void Communicator::start() {
  std::vector<PhaseProgram> programs;
  std::vector<std::shared_ptr<const PreparedPlan>> plans;
  for (const auto& [handle, operation] : operations_) plans.push_back(operation->plan);
  std::ranges::move(expected_, std::back_inserter(plans));
  expected_.clear();
  for (const auto& plan : plans) {
    RowStore::Acquired rows;
    if (!store_.acquire(plan->rows, rows, false)) continue;
    for (StoredPhase* const phase : rows.to_load) {
      for (const auto& [node, row] : phase->rows) programs.push_back({node, phase->index, row});
      phase->loaded = true;
      ++totals_.preloaded;
    }
    store_.release(rows.phases);
  }
  machine_.control().load(programs);
  fabric_.core().clear_counts();
  first_edge_ = fabric_.core().edge();
  running_ = changed_ = true;
  if (!observed_.empty()) machine_.observers().start(first_edge_, observed_);
  fabric_.on_cycle([this] { return edge(); });
  process();  // what begins in cycle 0 is there before its edge
}

std::uint64_t Communicator::cycle() const {
  if (ended_at_) return *ended_at_;
  if (replay_.hands_out()) return replay_.cycle();
  return running_ ? fabric_.core().edge() - first_edge_ : 0;
}

// After every edge; true where a wait() may go on.
bool Communicator::edge() {
  try {
    machine_.observers().edge();
    if (!replay_.edge()) work();
    replay_.look();
    call_those_due();
    if (on_cycle_) on_cycle_();
  } catch (...) {
    failure_ = std::current_exception();
  }
  if (ends_wait()) return true;
  if (skips_idle_) rest();
  if (const std::uint64_t edges = edges_at_once(); edges > 1) fabric_.run_ahead(edges);
  return false;
}

// Edges, from this one on, in between which nothing has to be looked at, so that partitions need not take turns at each.
// Operations may be complete in them, as nothing begins by that.
std::uint64_t Communicator::edges_at_once() const {
  const FabricCore& core = fabric_.core();
  if (core.partitions() == 1 || on_rank_complete_ || !calls_.empty() || changed_ ||
      !loader_.idle() || !machine_.observers().empty() || machine_.wave() != nullptr)
    return 1;
  const auto is_left_alone = [](const auto& entry) {
    return entry.second->has_begun() && entry.second->is_last();
  };
  if (!std::ranges::all_of(operations_, is_left_alone)) return 1;
  std::uint64_t edges = std::min(core.look_ahead(), limits_.edges_to_quiet());
  if (skips_repeated_) edges = std::min(edges, recurrence_.edges_to_look());
  const std::uint64_t now = core.edge() - first_edge_;
  return std::min(edges, limits_.end() - std::min(limits_.end(), now));
}

void Communicator::report_to(const std::function<void(const Progress&)>& on_progress,
                             std::uint64_t total_bytes) {
  if (!on_progress) return;
  on_cycle([this, on_progress, total_bytes, next = kProgressCycles]() mutable {
    if (cycle() < next) return;
    next = cycle() + kProgressCycles;
    on_progress({cycle(), delivered_bytes(), total_bytes});
  });
}

void Communicator::call_those_due() {
  while (next_call() <= cycle()) calls_.extract(calls_.begin()).mapped()();
}

void Communicator::work() {
  replay_.begin_edge();
  if (loader_.issue()) changed();
  if (collect()) changed_ = true;
  if (changed_ || cycle() >= wake_) process();
}

void Communicator::simulate_edge() {
  FabricCore& core = fabric_.core();
  core.end_timers();
  core.tick();
  core.begin_timers();
  work();
}

bool Communicator::ends_wait() const {
  const auto failed = [](const Operation* operation) {
    return operation->job != nullptr && operation->job->failed();
  };
  return failure_ != nullptr || (done_ && done_()) || std::ranges::any_of(granted_, failed) ||
         is_stuck() || limits_.is_stopped() || limits_.is_over(cycle());
}

bool Communicator::is_stuck() const {
  return !replay_.hands_out() && !operations_.empty() && !changed_ && wake_ == Operation::kNever &&
         calls_.empty() && loader_.idle() && limits_.is_quiet() &&
         cycle() >= last_event_ + limits_.watchdog();
}

void Communicator::run_until(std::function<bool()> done) {
  done_ = std::move(done);
  if (!ends_wait()) sc_core::wait(fabric_.attention());
  const bool is_done = done_();
  done_ = {};
  fabric_.rethrow_failure();
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  check_failures();
  if (is_done) return;
  replay_.simulate();
  if (is_stuck()) give_up(limits_.deadlock());
  if (limits_.is_over(cycle())) give_up(limits_.time_out());
  stopped_ = true;
  halt();
}

void Communicator::check_failures() const {
  for (const auto& [handle, operation] : operations_) {
    if (operation->job != nullptr && operation->job->failed())
      throw RunFailed(operation->job->failure(), operation->job->failure_cause());
  }
}

void Communicator::give_up(const RunLimits::End& end) {
  const std::string progress = progress_text();
  halt();
  // Finding out what waits takes cycles that are not the run's own.
  machine_.observers().end_run(cycle());
  throw end.failure(progress, describe_waiting(fabric_, machine_.control(), machine_.npus()));
}

// Of the only operation of a run in flits.
std::string Communicator::progress_text() const {
  const auto only = operations_.begin();
  if (next_ == 2 && only != operations_.end() && only->second->job != nullptr) {
    const CollectiveJob& job = *only->second->job;
    return fmt::format("{} of {} flits of results are complete", job.delivered_flits(),
                       job.total_flits());
  }
  return fmt::format("{} operations are not complete", operations_.size());
}

// Nothing more is issued or written; the clock goes on.
void Communicator::halt() {
  replay_.simulate();
  ended_at_ = cycle();
  fabric_.on_cycle([] { return true; });
  if (!loader_.idle()) sc_core::wait(fabric_.attention());  // a write is still under way
  loader_.reset();
  fabric_.on_cycle([] { return false; });
}

void Communicator::wait(Handle handle) {
  run_until([this, handle] { return complete(handle); });
}

void Communicator::wait_all() {
  run_until([this] { return under_way() == 0; });
}

void Communicator::finish() {
  wait_all();
  if (stopped_) return;
  halt();
  machine_.drain();
  std::string wrong = describe_imbalance(fabric_, machine_.control(), machine_.npus());
  for (const Npu* npu : machine_.npus()) wrong += npu->stray();
  if (!wrong.empty()) throw RunFailed("flits and credits do not balance at the end:" + wrong);
}

// ---- issue

Communicator::Handle Communicator::issue(std::span<const CollectiveSpec> work,
                                         const IssueOptions& options) {
  if (work.empty()) throw BadInput("operation: found no collective; allowed: one or more");
  std::vector<std::uint64_t> starts;
  for (const CollectiveSpec& spec : work) starts.push_back(spec.start_cycle);
  return issue(plans_.plan(work, options.on_conflict), starts, options);
}

Communicator::Handle Communicator::issue(std::shared_ptr<const PreparedPlan> plan,
                                         const std::vector<std::uint64_t>& starts,
                                         const IssueOptions& options) {
  for (const Dependency& dependency : options.after) check_dependency(dependency);
  if (2 * static_cast<std::size_t>(plan->streams) > kMaxStreams)
    throw BadInput(fmt::format("plan: {} trees found, a run distinguishes {}", plan->streams,
                               kMaxStreams / 2));
  if (plan->needs_online_routes && !has_routes_)
    online_routes(fabric_.topology(), reg::kMaxRoutes);  // says why there are none
  const Handle handle = next_++;
  if (!replay_.issued(handle, plan, starts, options))
    issue_operation(handle, std::move(plan), starts, options);
  return handle;
}

void Communicator::check_dependency(const Dependency& dependency) const {
  const Handle handle = dependency.operation;
  if (handle == 0 || handle >= next_)
    throw BadInput(fmt::format("after: found operation {}; allowed: 1 to {}, those issued", handle,
                               next_ - 1));
  const auto earlier = operations_.find(handle);
  const PreparedPlan* plan = nullptr;
  if (replay_.hands_out())
    plan = replay_.plan_of(handle);
  else if (earlier != operations_.end())
    plan = earlier->second->plan.get();
  for (const int part : dependency.parts) {
    if (plan != nullptr && (part < 0 || part >= std::ssize(plan->plan.parts)))
      throw BadInput(fmt::format("after: found part {} of operation {}; allowed: 0 to {}", part,
                                 handle, std::ssize(plan->plan.parts) - 1));
  }
}

void Communicator::issue_operation(Handle handle, std::shared_ptr<const PreparedPlan> plan,
                                   const std::vector<std::uint64_t>& starts,
                                   const IssueOptions& options) {
  const std::uint64_t now = cycle();
  auto operation = std::make_unique<Operation>(handle, std::move(plan), options.seed, now,
                                               options.delay, starts);
  operation->label = options.label;
  if (options.held) operation->hold();
  if (options.after.empty() && options.delay > 0) operation->delay_all(now);
  for (const Dependency& dependency : options.after) {
    const auto earlier = operations_.find(dependency.operation);
    if (earlier == operations_.end())
      operation->delay_all(now);
    else
      operation->wait_for(*earlier->second, dependency, now);
  }
  operations_.emplace(handle, std::move(operation));
  changed();
  last_event_ = now;
}

void Communicator::release(Handle handle, int part, int rank, std::uint64_t cycle) {
  if (!replay_.released(handle, part, rank, cycle)) release_rank(handle, part, rank, cycle);
}

void Communicator::release_rank(Handle handle, int part, int rank, std::uint64_t cycle) {
  operations_.at(handle)->release(part, rank, cycle);
  changed();
  last_event_ = this->cycle();
}

std::size_t Communicator::under_way() const {
  return calls_.size() + (replay_.hands_out() ? replay_.under_way() : operations_.size());
}

bool Communicator::complete(Handle handle) const {
  if (handle >= next_) return false;
  return replay_.hands_out() ? replay_.complete(handle) : !operations_.contains(handle);
}

bool Communicator::complete(Handle handle, NodeId npu) const {
  if (handle < next_ && replay_.hands_out()) return replay_.complete(handle, npu);
  const auto found = operations_.find(handle);
  return handle < next_ && (found == operations_.end() || found->second->complete_at(npu));
}

std::vector<OperationReport::PartTimes> Communicator::part_times(Handle handle) const {
  const auto found = operations_.find(handle);
  if (found == operations_.end()) return {};
  const Operation& operation = *found->second;
  std::vector<OperationReport::PartTimes> times;
  for (int p = 0; p < std::ssize(operation.plan->plan.parts); ++p) {
    OperationReport::PartTimes& part = times.emplace_back();
    part.has_begun = operation.job != nullptr && operation.job->released(p);
    part.has_ended = part.has_begun && operation.job->ended(p);
    if (part.has_begun) part.start = operation.job->start_cycle(p);
    if (part.has_ended) part.end = operation.job->end_cycle(p);
  }
  return times;
}

std::uint64_t Communicator::delivered_bytes() const {
  std::uint64_t bytes = totals_.bytes;
  if (replay_.hands_out()) return bytes;
  for (const Operation* operation : granted_)
    if (operation->job != nullptr) bytes += operation->job->delivered_bytes();
  return bytes;
}

// ---- between two edges

// Something of which no digest of the recurrence tells.
void Communicator::changed() {
  changed_ = true;
  recurrence_.restart();
}

void Communicator::process() {
  do {
    changed_ = false;
    bool some = grant();
    some |= open_those_that_can();
    some |= release_due();
    if (some) changed();
    some |= collect();
    changed_ |= some;
    if (some) last_event_ = cycle();
  } while (changed_);
  wake_ = Operation::kNever;
  for (const auto& [handle, operation] : operations_) {
    const std::uint64_t next = operation->next_start();
    if (next > cycle()) wake_ = std::min(wake_, next);
  }
}

// Ranks and operations that are complete.
bool Communicator::collect() {
  bool some = false;
  std::vector<Operation*> complete;
  for (Operation* const operation : granted_) {
    if (operation->job == nullptr) continue;
    some |= collect_from(*operation);
    if (operation->complete()) complete.push_back(operation);
  }
  for (Operation* const operation : complete) finish_operation(*operation);
  if (!complete.empty()) changed();
  return some;
}

bool Communicator::collect_from(Operation& operation) {
  CollectiveJob& job = *operation.job;
  job.note_ends(cycle(), fabric_.core().timers_now());
  bool some = false;
  for (const auto& [part, rank] : std::exchange(job.completed(), {})) {
    if (!operation.complete_rank(part, rank, cycle())) continue;
    some = true;
    replay_.rank_complete(operation.handle, part, rank);
  }
  return some;
}

void Communicator::finish_operation(Operation& operation) {
  const CollectiveJob& job = *operation.job;
  OperationReport report = std::move(operation.report);
  for (int p = 0; p < std::ssize(operation.plan->plan.parts); ++p)
    report.parts.push_back({job.start_cycle(p), job.end_cycle(p)});
  report.ended = job.last_end();
  const std::uint64_t flits = job.delivered_flits();
  const std::uint64_t bytes = job.delivered_bytes();
  totals_.count(report, flits, bytes);
  machine_.observers().remove(job);
  operation.npus->remove();
  store_.release(operation.rows.phases);
  if (operation.plan->streams > 0) streams_.erase(operation.first_tree);
  std::erase(granted_, &operation);
  for (Operation* const other : granted_) other->forget(operation);
  operations_.erase(report.handle);
  replay_.operation_complete(report, flits, bytes);
}

// Those of which a rank could begin, in the order of issue.
bool Communicator::grant() {
  bool some = false;
  bool rows_are_short = false;
  for (const auto& [handle, operation] : operations_) {
    Operation& o = *operation;
    if (o.state != Operation::State::kIssued || !o.may_begin(cycle())) continue;
    o.eligible = std::min(o.eligible, cycle());
    const int trees = o.plan->streams;
    const int first = take_streams(trees);
    if (first < 0) break;
    if (!o.plan->rows.empty() && (rows_are_short || !give_rows(o))) {
      rows_are_short = true;
      continue;
    }
    if (trees > 0) streams_.emplace(first, trees);
    most_streams_ = std::max(most_streams_, first + trees);
    o.first_tree = first;
    o.state = Operation::State::kGranted;
    granted_.push_back(&o);
    some = true;
  }
  return some;
}

bool Communicator::give_rows(Operation& operation) {
  if (!store_.acquire(operation.plan->rows, operation.rows)) {
    if (!store_.is_held()) store_.refuse(operation.plan->rows);
    return false;
  }
  for (StoredPhase* const phase : operation.rows.to_load) loader_.add(*phase);
  operation.report.rows_loaded = static_cast<int>(operation.rows.to_load.size());
  operation.report.rows_found = operation.rows.hits;
  operation.report.rows_evicted = operation.rows.evictions;
  totals_.rows_loaded += operation.rows.to_load.size();
  totals_.rows_found += static_cast<std::uint64_t>(operation.rows.hits);
  totals_.rows_evicted += static_cast<std::uint64_t>(operation.rows.evictions);
  return true;
}

// The first numbers that are free together; -1: there are none.
int Communicator::take_streams(int trees) const {
  int first = 0;
  for (const auto& [used, count] : streams_) {
    if (used - first >= trees) break;
    first = used + count;
  }
  return first + trees <= static_cast<int>(kMaxStreams / 2) ? first : -1;
}

bool Communicator::open_those_that_can() {
  bool some = false;
  for (std::size_t i = 0; i < granted_.size(); ++i) {
    Operation& o = *granted_[i];
    if (o.state != Operation::State::kGranted ||
        !std::ranges::all_of(o.rows.phases, &StoredPhase::loaded))
      continue;
    if (!o.rows_loaded_at) {
      o.rows_loaded_at = cycle();
      o.report.waited_for_rows = cycle() - o.eligible;
    }
    const auto in_the_way = [&](const Operation* earlier) {
      return in_conflict(*earlier->plan, *o.plan);
    };
    if (std::any_of(granted_.begin(), granted_.begin() + static_cast<std::ptrdiff_t>(i),
                    in_the_way))
      continue;
    open(o);
    some = true;
  }
  return some;
}

void Communicator::open(Operation& o) {
  const Plan& plan = o.plan->plan;
  o.state = Operation::State::kOpen;
  o.report.started = cycle();
  o.report.waited_for_others = cycle() - *o.rows_loaded_at;
  o.job = std::make_unique<CollectiveJob>(plan, fabric_.topology(), o.seed, fabric_.lanes(),
                                          o.plan->copies);
  std::vector<std::uint8_t> phases;
  for (const StoredPhase* phase : o.rows.phases)
    phases.push_back(static_cast<std::uint8_t>(phase->index));
  o.job->place(o.first_tree, std::move(phases));
  fabric_.core().set_missing_bytes(static_cast<std::size_t>(o.first_tree), o.plan->missing_bytes);
  o.npus.emplace(*o.job, machine_.npus_by_node());
  if (machine_.observers().empty()) return;
  std::vector<PhaseProgram> programs;
  for (const StoredPhase* phase : o.rows.phases)
    for (const auto& [node, row] : phase->rows) programs.push_back({node, phase->index, row});
  machine_.observers().add(
      {.job = o.job.get(), .name = o.label.name, .parts = o.label.parts, .copies = o.plan->copies},
      programs);
}

bool Communicator::release_due() {
  bool some = false;
  for (Operation* const operation : granted_) {
    if (operation->state == Operation::State::kOpen && release(*operation)) some = true;
  }
  return some;
}

bool Communicator::release(Operation& operation) {
  const std::vector<CollectiveJob::RankOfPart> due = operation.take_due(cycle());
  CollectiveJob& job = *operation.job;
  for (const CollectiveJob::RankOfPart& at : due)
    if (job.released(at.part))
      job.begin_rank(at.part, cycle());
    else
      job.release(at.part, cycle());
  operation.npus->release(due);
  return !due.empty();
}

}  // namespace fredsim
