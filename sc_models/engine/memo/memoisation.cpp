// SPDX-License-Identifier: Apache-2.0
#include "engine/memo/memoisation.h"

#include <algorithm>
#include <utility>

#include "engine/memo/trajectory_reports.h"

namespace fredsim {
namespace {

using Place = TrajectoryPosition::Place;

constexpr std::uint64_t kNever = Operation::kNever;

}  // namespace

// ---- issued operations

const PreparedPlan* Memoisation::plan_of(OperationHandle handle) const {
  if (replays()) {
    return trajectory_.is_complete(handle) ? nullptr : trajectory_.known(handle).plan.get();
  }
  const Operation* const operation = scheduler_.find(handle);
  return operation != nullptr ? operation->plan.get() : nullptr;
}

std::uint64_t Memoisation::cycle() const { return replays() ? now_ : scheduler_.cycle(); }

std::size_t Memoisation::in_flight() const {
  return replays() ? trajectory_.in_flight : scheduler_.operations().size();
}

bool Memoisation::complete(OperationHandle handle, NodeId npu) const {
  if (replays()) return trajectory_.is_complete(handle, npu);
  const Operation* const operation = scheduler_.find(handle);
  return operation == nullptr || operation->complete_at(npu);
}

// ---- inputs and outputs

TrajectoryPosition Memoisation::position(Place place) const {
  return trajectory_.position(cycle(), place);
}

void Memoisation::give(TrajectoryInput input) {
  if (given_.empty()) given_at_ = position(in_callback_ ? Place::kCallback : Place::kAfterEdge);
  if (input.plan == nullptr) {
    const std::uint64_t now = cycle();
    input.cycle = input.cycle > now ? input.cycle - trajectory_.start : 0;
  }
  given_.push_back(std::move(input));
}

void Memoisation::issue(OperationHandle handle, std::shared_ptr<const PreparedPlan> plan,
                        const std::vector<std::uint64_t>& starts, const IssueOptions& options) {
  if (mode_ == Mode::kLive || mode_ == Mode::kReplays) note_issue(handle, plan, starts, options);
  if (!replays()) scheduler_.issue(handle, std::move(plan), starts, options);
}

void Memoisation::note_issue(OperationHandle handle,
                             const std::shared_ptr<const PreparedPlan>& plan,
                             const std::vector<std::uint64_t>& starts,
                             const IssueOptions& options) {
  TrajectoryInput input{.plan = plan,
                        .starts = starts,
                        .delay = options.delay,
                        .held = options.held,
                        .lags = options.lags};
  for (const Dependency& before : options.after) {
    input.after.push_back(
        {trajectory_.is_complete(before.operation) ? -1 : trajectory_.numbers.at(before.operation),
         before.parts, before.all_ranks});
  }
  give(std::move(input));
  trajectory_.add({.handle = handle, .plan = plan, .issued = cycle(), .seed = options.seed});
}

void Memoisation::release(OperationHandle handle, int part, int rank, std::uint64_t cycle) {
  if (mode_ == Mode::kLive || mode_ == Mode::kReplays)
    give({.operation = trajectory_.numbers.at(handle), .part = part, .rank = rank, .cycle = cycle});
  if (!replays()) scheduler_.release(handle, part, rank, cycle);
}

void Memoisation::rank_complete(OperationHandle handle, int part, int rank) {
  if (mode_ == Mode::kLive || mode_ == Mode::kResumes) {
    const int number = trajectory_.numbers.at(handle);
    record({position(Place::kCallback).cycle, number, part, rank}, nullptr);
    if (mode_ == Mode::kResumes) return follow_script();
    std::vector<CollectiveJob::RankOfPart>& done = trajectory_.operations[number].done;
    // The next issue comes with one of the following ranks: if it is another one than before, only
    // these are simulated again.
    if (done.empty()) trajectory_.some_complete = true;
    done.push_back({part, rank});
  }
  in_callback_ = true;
  if (callbacks_.rank_complete) callbacks_.rank_complete(handle, part, rank);
  in_callback_ = false;
  take_inputs();
}

void Memoisation::operation_complete(const OperationReport& report, std::uint64_t flits,
                                     std::uint64_t bytes) {
  trajectory_.some_complete = true;
  if (mode_ == Mode::kLive || mode_ == Mode::kResumes) {
    const int number = trajectory_.numbers.at(report.handle);
    TrajectoryReport relative{report, flits, bytes};
    relative.report.plan = nullptr;
    rebase(relative.report, cycle());
    record({.cycle = position(Place::kCallback).cycle, .operation = number}, &relative);
    if (mode_ == Mode::kResumes) return follow_script();
    trajectory_.operations[number].complete = true;
    --trajectory_.in_flight;
  }
  in_callback_ = true;
  if (callbacks_.complete) callbacks_.complete(report);
  in_callback_ = false;
  take_inputs();
}

void Memoisation::record(TrajectoryEvent event, const TrajectoryReport* report) {
  TrajectoryNode& node = *trajectory_.node;
  if (const TrajectoryEvent* known = node.event(trajectory_.events++); known != nullptr) {
    event.report = known->report;
    if (event != *known || (report == nullptr) != (known->report < 0) ||
        (report != nullptr && !same(*report, node.reports[known->report])))
      fail_replay("something else became complete than before");
    return;
  }
  if (mode_ == Mode::kResumes) fail_replay("more became complete than before");
  if (report != nullptr) {
    event.report = static_cast<int>(node.reports.size());
    node.reports.push_back(*report);
    trajectories_.count(sizeof *report +
                        report->report.parts.size() * sizeof(OperationReport::PartTimes));
  }
  node.events.push_back(event);
  trajectories_.count(sizeof event);
}

// Inputs of the simulation.
void Memoisation::take_inputs() {
  if (given_.empty() || mode_ != Mode::kLive) return;
  TrajectoryNode* const known = trajectory_.node->child(given_at_, given_);
  trajectory_.node = known != nullptr ? known
                                      : &trajectories_.add_child(*trajectory_.node, given_at_,
                                                                 std::exchange(given_, {}));
  given_.clear();
}

// ---- trajectories that are simulated and recorded

void Memoisation::look() {
  const bool some_complete = std::exchange(trajectory_.some_complete, false);
  if (mode_ != Mode::kLive && mode_ != Mode::kUnknown) return;
  if (is_idle()) return begin_now();
  if (trajectory_.state != nullptr && cycle() == trajectory_.start) return;
  if (!some_complete && !scheduler_.ends_idling()) return;
  StateDigest digest(kIndexMask);
  if (scheduler_.add_state(digest)) end_trajectory(digest);
}

void Memoisation::end_trajectory(const StateDigest& digest) {
  bool is_full = trajectories_.bytes() > scheduler_.machine().options().replay_bytes;
  if (Ranks* const ranks = scheduler_.fabric().core().ranks(); ranks != nullptr)
    is_full = ranks->any(Ranks::Purpose::kDigest, is_full);
  if (is_full) {
    replayed_.settle(scheduler_);
    trajectories_.clear();
    trajectory_.state = nullptr;
  }
  TrajectoryState& next = trajectories_.state(digest);
  next.is_idle = scheduler_.operations().empty() && scheduler_.fabric().core().is_settled();
  TrajectoryCounts now = count_all(scheduler_);
  if (trajectory_.state != nullptr) {
    TrajectoryEnd end{.cycle = position(Place::kAfterEdge).cycle,
                      .idle = scheduler_.idle_cycles() - trajectory_.idle_before,
                      .next = &next,
                      .counts = now - trajectory_.before};
    for (const auto& [handle, operation] : scheduler_.operations())
      end.left.push_back(trajectory_.numbers.at(handle));
    if (trajectory_.node->end == nullptr)
      trajectories_.set_end(*trajectory_.state, *trajectory_.node, std::move(end));
    else if (trajectory_.node->end->next != end.next || trajectory_.node->end->counts != end.counts)
      fail_replay("a trajectory came to another end than before");
  }
  begin(next);
  trajectory_.before = std::move(now);
  trajectory_.idle_before = scheduler_.idle_cycles();
  mode_ = next.root.is_known() ? Mode::kReplays : Mode::kLive;
  if (mode_ == Mode::kLive) return;
  real_ = &next;
  now_ = trajectory_.start;
  next_ = now_ + 1;
  scheduler_.fabric().freeze(true);
}

bool Memoisation::is_idle() const {
  return trajectory_.is_at_beginning() && trajectory_.state->is_idle && given_.empty();
}

// Begins a trajectory after idle time, which is no part of it.
void Memoisation::begin_now() {
  const std::uint64_t now = cycle();
  if (replays()) scheduler_.count_idle(now - trajectory_.start);
  trajectory_.start = now;
  trajectory_.idle_before = scheduler_.idle_cycles();
}

// Begins a trajectory with the communicator's operations in flight.
void Memoisation::begin(TrajectoryState& state) {
  const std::uint64_t now = cycle();
  trajectory_ = {.state = &state, .node = &state.root, .start = now};
  for (const auto& [handle, operation] : scheduler_.operations()) {
    trajectory_.add({.handle = handle,
                     .plan = operation->plan,
                     .issued = operation->report.issued,
                     .seed = operation->seed,
                     .done = operation->complete_ranks()});
  }
}

// ---- replay of trajectories

void Memoisation::edge() {
  if (!replay_edge()) {
    trajectory_.some_complete = false;
    scheduler_.edge();
  }
  look();
}

void Memoisation::simulate_edge() {
  trajectory_.some_complete = false;
  scheduler_.simulate_edge();
}

bool Memoisation::replay_edge() {
  take_inputs();
  if (!replays()) return false;
  std::uint64_t before = std::exchange(now_, std::exchange(next_, next_ + 1));
  const std::uint64_t now = now_;
  if (is_idle()) {
    begin_now();
    before = now;
  }
  if (follow() && next_known() == kNever)
    resume_at({trajectory_.events, before - trajectory_.start, Place::kAfterEdge});
  if (!replays()) {
    while (cycle() < now) simulate_edge();
    return true;
  }
  for (;;) {
    const TrajectoryEvent* const event = trajectory_.node->event(trajectory_.events);
    if (event == nullptr || trajectory_.start + event->cycle != now_) break;
    replay(TrajectoryEvent(*event));
    if (!follow()) return true;
    if (next_known() != kNever) continue;
    resume_at(position(Place::kCallback));
    return true;
  }
  pass_ends();
  if (next_known() == kNever) resume_at(position(Place::kAfterEdge));
  return true;
}

void Memoisation::replay(const TrajectoryEvent& event) {
  CurrentTrajectory::Known& known = trajectory_.operations[event.operation];
  const OperationHandle handle = known.handle;
  ++trajectory_.events;
  in_callback_ = true;
  if (event.report < 0) {
    known.done.push_back({event.part, event.rank});
    if (callbacks_.rank_complete) callbacks_.rank_complete(handle, event.part, event.rank);
  } else {
    const TrajectoryReport& recorded = trajectory_.node->reports[event.report];
    OperationReport report = recorded.report;
    rebase(report, now_);
    report.handle = handle;
    report.issued = known.issued;
    report.plan = known.plan;
    known.complete = true;
    --trajectory_.in_flight;
    scheduler_.totals().count(report, recorded.flits, recorded.bytes);
    if (callbacks_.complete) callbacks_.complete(report);
  }
  in_callback_ = false;
}

// Looks up the inputs; false if they are new, and simulated from there on.
bool Memoisation::follow() {
  if (given_.empty()) return true;
  const TrajectoryPosition at = given_at_;
  if (TrajectoryNode* const known = trajectory_.node->child(at, given_); known != nullptr) {
    trajectory_.node = known;
    given_.clear();
    return true;
  }
  trajectory_.node = &trajectories_.add_child(*trajectory_.node, at, std::exchange(given_, {}));
  resume_at(at);
  return false;
}

void Memoisation::pass_ends() {
  while (trajectory_.node->event(trajectory_.events) == nullptr &&
         trajectory_.node->end != nullptr &&
         trajectory_.start + trajectory_.node->end->cycle == now_)
    pass(*trajectory_.node->end);
}

void Memoisation::pass(TrajectoryEnd& end) {
  replayed_.add(end);
  scheduler_.count_idle(end.idle);
  OperationTotals& totals = scheduler_.totals();
  totals.rows_loaded += end.counts.rows_loaded;
  totals.rows_found += end.counts.rows_found;
  totals.rows_evicted += end.counts.rows_evicted;
  std::vector<CurrentTrajectory::Known> operations = std::move(trajectory_.operations);
  trajectory_ = {.state = end.next, .node = &end.next->root, .start = now_};
  for (const int number : end.left) trajectory_.add(std::move(operations[number]));
}

// Cycle at which the next event is known or an input may come; kNever: none.
std::uint64_t Memoisation::next_known() const {
  if (is_idle()) {
    const std::uint64_t call = calls_.next();
    return call == kNever ? kNever : std::max(call, now_ + 1);
  }
  const TrajectoryNode& node = *trajectory_.node;
  if (const TrajectoryEvent* event = node.event(trajectory_.events); event != nullptr)
    return trajectory_.start + event->cycle;
  if (node.end != nullptr) return trajectory_.start + node.end->cycle;
  std::uint64_t next = kNever;
  for (const auto& child : node.children) {
    if (child->at.events == trajectory_.events && child->at.place == Place::kAfterEdge &&
        trajectory_.start + child->at.cycle >= now_)
      next = std::min(next, std::max(trajectory_.start + child->at.cycle, now_ + 1));
  }
  return next;
}

std::uint64_t Memoisation::rest() {
  if (!replays()) return scheduler_.rest(calls_.next(), mode_ != Mode::kOff);
  if (!given_.empty()) return 0;  // effects appear at the next edge
  const std::uint64_t next = std::min({next_known(), calls_.next(), scheduler_.limits().end()});
  if (next <= next_) return 0;
  return next - std::exchange(next_, next);
}

// ---- return to simulation

void Memoisation::resume() {
  if (replays() && follow()) resume_at(position(Place::kAfterEdge));
  replayed_.settle(scheduler_);
}

void Memoisation::resume_at(const TrajectoryPosition& stop) {
  mode_ = Mode::kResumes;
  resumption_.run(*real_, stop);
  mode_ = Mode::kLive;
}

// Follows the script while it resumes; later inputs are live.
void Memoisation::follow_script() {
  if (resumption_.follow(Place::kCallback)) mode_ = Mode::kLive;
}

}  // namespace fredsim
