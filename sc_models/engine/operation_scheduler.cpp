// SPDX-License-Identifier: Apache-2.0
#include "engine/operation_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "engine/detail/run_observers.h"

namespace fredsim {
namespace {

// Interval of looks at whether a fabric without operations is idle.
constexpr std::uint64_t kSettlingCycles = 32;

std::size_t endpoints(const Topology& topology) {
  return static_cast<std::size_t>(std::ranges::count_if(topology.nodes, &Node::is_endpoint));
}

std::vector<Npu*> all_npus(Machine& machine) {
  std::vector<Npu*> npus;
  for (const auto& npu : machine.npus_by_node())
    if (npu != nullptr) npus.push_back(npu.get());
  return npus;
}

}  // namespace

OperationScheduler::OperationScheduler(Machine& machine, int rows, CompletionListener& listener)
    : machine_(machine),
      listener_(listener),
      fabric_(machine.fabric()),
      limits_(machine.limits()),
      store_(machine.fabric().topology(), rows),
      loader_(machine.fabric()),
      open_links_(machine.topology()),
      recurrence_(machine.fabric(), all_npus(machine), endpoints(machine.topology())),
      news_(machine.fabric().core(), [this] { return jobs_in_flight(); }) {}

void OperationScheduler::start(std::span<const std::shared_ptr<const PreparedPlan>> expected) {
  std::vector<PhaseProgram> programs;
  const auto preload = [&](const PreparedPlan& plan) {
    RowStore::Acquired rows;
    if (!store_.acquire(plan.rows, rows, false)) return;
    for (StoredPhase* const phase : rows.to_load) {
      for (const auto& [node, row] : phase->rows) programs.push_back({node, phase->index, row});
      phase->loaded = true;
      ++totals_.preloaded;
    }
    store_.release(rows.phases);
  };
  for (const auto& [handle, operation] : operations_) preload(*operation->plan);
  for (const auto& plan : expected) preload(*plan);
  machine_.control().load(programs);
  fabric_.core().clear_counts();
  first_edge_ = fabric_.core().edge();
  news_.start();
  is_running_ = changed_ = true;
}

std::uint64_t OperationScheduler::cycle() const {
  return is_running_ ? fabric_.core().edge() - first_edge_ : 0;
}

const Operation* OperationScheduler::find(OperationHandle handle) const {
  const auto found = operations_.find(handle);
  return found != operations_.end() ? found->second.get() : nullptr;
}

std::vector<const Operation*> OperationScheduler::open_operations() const {
  std::vector<const Operation*> open;
  std::ranges::copy_if(granted_, std::back_inserter(open), [](const Operation* operation) {
    return operation->state == Operation::State::kOpen;
  });
  return open;
}

void OperationScheduler::issue(OperationHandle handle, std::shared_ptr<const PreparedPlan> plan,
                               const std::vector<std::uint64_t>& starts,
                               const IssueOptions& options) {
  add(std::make_unique<Operation>(handle, std::move(plan), cycle(), options, starts), options);
  changed();
  last_event_ = cycle();
}

void OperationScheduler::release(OperationHandle handle, int part, int rank, std::uint64_t cycle) {
  operations_.at(handle)->release(part, rank, cycle);
  changed();
  last_event_ = this->cycle();
}

void OperationScheduler::rename(std::span<const Name> names) {
  std::map<OperationHandle, std::unique_ptr<Operation>> renamed;
  auto name = names.begin();
  for (auto& [handle, operation] : operations_) {
    operation->handle = operation->report.handle = name->handle;
    operation->report.issued = name->issued;
    renamed.emplace_hint(renamed.end(), name->handle, std::move(operation));
    ++name;
  }
  operations_ = std::move(renamed);
}

// ---- between two edges

void OperationScheduler::edge() {
  if (loader_.issue()) changed();
  if (collect_complete()) changed_ = true;
  if (changed_ || cycle() >= wake_) process();
}

void OperationScheduler::simulate_edge() {
  FabricCore& core = fabric_.core();
  core.end_timers();
  core.tick();
  core.begin_timers();
  core.exchange();
  edge();
}

// Notes a change that no digest of the recurrence contains.
void OperationScheduler::changed() {
  changed_ = true;
  recurrence_.restart();
}

void OperationScheduler::process() {
  advance();
  wake_ = next_start();
}

void OperationScheduler::moved() {
  changed();
  fabric_.core().forget_state();
  last_event_ = cycle();
}

bool OperationScheduler::collect() {
  const bool some = collect_complete();
  if (some) last_event_ = cycle();
  return some;
}

std::vector<CollectiveJob*> OperationScheduler::jobs_in_flight() const {
  std::vector<CollectiveJob*> jobs;
  for (const Operation* const operation : granted_)
    if (operation->job != nullptr) jobs.push_back(operation->job.get());
  return jobs;
}

// Collects complete ranks and operations.
bool OperationScheduler::collect_complete() {
  news_.exchange();
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

bool OperationScheduler::collect_from(Operation& operation) {
  CollectiveJob& job = *operation.job;
  job.note_ends(cycle(), fabric_.core().timers_now());
  bool some = false;
  std::vector<CollectiveJob::RankOfPart> completed = std::exchange(job.completed(), {});
  std::ranges::sort(completed, {}, [](const CollectiveJob::RankOfPart& at) {
    return std::pair(at.part, at.rank);
  });
  for (const auto& [part, rank] : completed) {
    if (!operation.complete_rank(part, rank, cycle())) continue;
    some = true;
    listener_.rank_complete(operation.handle, part, rank);
  }
  return some;
}

void OperationScheduler::finish_operation(Operation& operation) {
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
  open_links_.close(*operation.plan);
  if (operation.plan->streams > 0) streams_.erase(operation.first_tree);
  remove(operation);
  listener_.operation_complete(report, flits, bytes);
}

// Rows are granted in the order of issue; without free stream numbers all wait.
OperationScheduler::Grant OperationScheduler::take(Operation& operation) {
  const int trees = operation.plan->streams;
  const int first = take_streams(trees);
  if (first < 0) return Grant::kNoMore;
  if (!operation.plan->rows.empty() && (rows_are_short_ || !give_rows(operation))) {
    rows_are_short_ = true;
    return Grant::kMissing;
  }
  if (trees > 0) streams_.emplace(first, trees);
  max_streams_ = std::max(max_streams_, first + trees);
  operation.first_tree = first;
  return Grant::kTaken;
}

bool OperationScheduler::give_rows(Operation& operation) {
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

// The first block of free numbers; -1: there is none.
int OperationScheduler::take_streams(int trees) const {
  int first = 0;
  for (const auto& [used, count] : streams_) {
    if (used - first >= trees) break;
    first = used + count;
  }
  return first + trees <= static_cast<int>(kMaxStreams / 2) ? first : -1;
}

bool OperationScheduler::is_ready(const Operation& operation) const {
  return std::ranges::all_of(operation.rows.phases, &StoredPhase::loaded);
}

void OperationScheduler::opened(Operation& o) {
  const Plan& plan = o.plan->plan;
  open_links_.open(*o.plan);
  o.job = std::make_unique<CollectiveJob>(plan, fabric_.topology(), o.seed, fabric_.lanes(),
                                          o.plan->copies);
  std::vector<std::uint8_t> phases;
  for (const StoredPhase* phase : o.rows.phases)
    phases.push_back(static_cast<std::uint8_t>(phase->index));
  if (fabric_.core().ranks() != nullptr) o.job->keep_news();
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

void OperationScheduler::begin(Operation& operation, const std::vector<RankOfPart>& due) {
  CollectiveJob& job = *operation.job;
  for (const CollectiveJob::RankOfPart& at : due)
    if (job.released(at.part))
      job.begin_rank(at.part, cycle());
    else
      job.release(at.part, cycle());
  operation.npus->release(due);
}

// ---- edges that are not simulated

// Edges, from this one on, that need no look in between, so that partitions need not take turns at
// each. Operations may complete in them, since nothing begins on a completion.
std::uint64_t OperationScheduler::edges_at_once() const {
  const FabricCore& core = fabric_.core();
  if (!core.is_cut() || changed_ || !loader_.idle() || !machine_.observers().empty() ||
      machine_.wave() != nullptr)
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

// Skips edges until the next event that is not a repetition: an arrival, a start, a call, the end
// of the watchdog's limit, the time-out. Skips whole periods if the state recurs, and idle edges.
std::uint64_t OperationScheduler::rest(std::uint64_t next_call, bool stops_at_states) {
  if (const std::uint64_t passed = pass_until(std::min(next_call, limits_.end())); passed != 0)
    return passed;
  std::uint64_t next = wake_;
  // A trajectory may end at the edge before.
  if (stops_at_states && next != Operation::kNever && granted_.empty()) --next;
  next = std::min(next, next_call);
  // A trajectory may also end at the edge after which nothing moves any more.
  if (operations_.empty() && !fabric_.core().is_settled())
    next = std::min(next, cycle() + kSettlingCycles);
  if (next == Operation::kNever)
    next = std::max(last_event_ + limits_.watchdog(), cycle() + limits_.edges_to_quiet());
  const std::uint64_t idle = rest_until(std::min(next, limits_.end()));
  idle_cycles_ += idle;
  return idle;
}

// Skips idle edges, up to the edge before that of cycle `next`; returns their number.
std::uint64_t OperationScheduler::rest_until(std::uint64_t next) {
  if (changed_ || !loader_.idle()) return 0;
  next = std::min(next, wake_);
  const std::uint64_t edges =
      std::min(fabric_.core().edges_idle(), next - std::min(next, cycle() + 1));
  if (edges != 0) fabric_.core().rest(edges);
  return edges;
}

// Skips whole recurring periods, up to an edge before that of cycle `next`; returns their edges.
std::uint64_t OperationScheduler::pass_until(std::uint64_t next) {
  if (!skips_repeated_ || changed_ || !loader_.idle() || !recurrence_.is_due()) return 0;
  std::vector<CollectiveJob*> jobs;
  for (const Operation* operation : granted_)
    if (operation->job != nullptr) jobs.push_back(operation->job.get());
  if (jobs.empty()) return 0;
  next = std::min(next, wake_);
  return recurrence_.skip(jobs, next - std::min(next, cycle() + 1));
}

bool OperationScheduler::ends_idling() const {
  return (operations_.empty() || (wake_ == cycle() + 1 && granted_.empty())) && !changed_ &&
         loader_.idle() && fabric_.core().is_settled();
}

bool OperationScheduler::add_state(StateDigest& digest) const {
  if (changed_ || !loader_.idle()) return false;
  Ranks* const ranks = fabric_.core().ranks();
  const bool has_digest = fabric_.core().add_state(digest);
  if (!has_digest && ranks == nullptr) return false;
  std::unordered_map<OperationHandle, std::uint64_t> numbers;
  for (const auto& [handle, operation] : operations_) numbers.emplace(handle, numbers.size());
  const auto number_of = [&](OperationHandle handle) { return numbers.at(handle); };
  digest.add(operations_.size());
  for (const auto& [handle, operation] : operations_)
    operation->add_state(cycle(), number_of, digest);
  digest.add(granted_.size());
  for (const Operation* operation : granted_) digest.add(number_of(operation->handle));
  store_.add_state(digest);
  for (const Npu* npu : machine_.npus()) npu->add_state_with_counts(digest);
  return ranks == nullptr || ranks->combine(digest, has_digest);
}

void OperationScheduler::shift_to(std::uint64_t cycle) {
  const std::uint64_t later = cycle - this->cycle();
  for (const auto& [handle, operation] : operations_) operation->shift(later);
  if (wake_ != Operation::kNever) wake_ += later;
  last_event_ += later;
  first_edge_ -= later;
}

// ---- progress of operations

bool OperationScheduler::is_stuck() const {
  return !operations_.empty() && !changed_ && wake_ == Operation::kNever && loader_.idle() &&
         limits_.is_quiet() && cycle() >= last_event_ + limits_.watchdog();
}

bool OperationScheduler::has_failed() const {
  return std::ranges::any_of(granted_, [](const Operation* operation) {
    return operation->job != nullptr && operation->job->failed();
  });
}

void OperationScheduler::check_failures() const {
  for (const auto& [handle, operation] : operations_) {
    if (operation->job != nullptr && operation->job->failed())
      throw RunFailed(operation->job->failure(), operation->job->failure_cause());
  }
}

// Progress of a run's only operation is in flits.
std::string OperationScheduler::progress_text() const {
  const auto only = operations_.begin();
  if (next_ == 2 && only != operations_.end() && only->second->job != nullptr) {
    const CollectiveJob& job = *only->second->job;
    return fmt::format("{} of {} flits of results are complete", job.delivered_flits(),
                       job.total_flits());
  }
  return fmt::format("{} operations are not complete", operations_.size());
}

std::vector<OperationReport::PartTimes> OperationScheduler::part_times(
    OperationHandle handle) const {
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

}  // namespace fredsim
