// SPDX-License-Identifier: Apache-2.0
#include "engine/memo/resumption.h"

#include <algorithm>
#include <utility>

namespace fredsim {
namespace {

using Place = TrajectoryPosition::Place;

}  // namespace

void Resumption::run(TrajectoryState& real, const TrajectoryPosition& stop) {
  is_over_ = false;
  scheduler_.fabric().freeze(false);
  totals_ = scheduler_.totals();
  CurrentTrajectory trajectory = std::move(trajectory_);
  is_on_path_ = true;
  next_spare_ = scheduler_.next_handle();
  for (TrajectoryNode* const node : trajectories_.path(real, *trajectory.state))
    simulate_again(*node);
  is_on_path_ = false;
  scheduler_.totals() = totals_;
  trajectory_ = std::move(trajectory);
  trajectory_.some_complete = false;
  scheduler_.shift_to(trajectory_.start);
  rename();
  trajectory_.before = count_all(scheduler_);
  trajectory_.idle_before = scheduler_.idle_cycles();
  set_script(trajectory_.node);
  trajectory_.node = &trajectory_.state->root;
  trajectory_.events = 0;
  stop_ = stop;
  run_script(stop.cycle);
}

// Sets the inputs from the beginning of a trajectory up to this node as the script.
void Resumption::set_script(TrajectoryNode* last) {
  script_.clear();
  for (TrajectoryNode* node = last; node->parent != nullptr; node = node->parent)
    script_.push_back(node);
  std::ranges::reverse(script_);
  script_next_ = 0;
}

// Simulates a whole trajectory, without callbacks.
void Resumption::simulate_again(TrajectoryNode& node) {
  TrajectoryEnd& end = *node.end;
  TrajectoryNode* root = &node;
  while (root->parent != nullptr) root = root->parent;
  set_script(&node);
  trajectory_ = {.node = root, .start = scheduler_.cycle()};
  for (const auto& [handle, operation] : scheduler_.operations())
    trajectory_.add({.handle = handle});
  issued_again_ = trajectory_.operations.size();
  run_script(end.cycle);
  StateDigest digest(kIndexMask);
  if (!scheduler_.add_state(digest) || digest != end.next->digest)
    fail_replay("a trajectory came to another state than before");
  replayed_.subtract(end);
}

// Gives operations in flight their issuer's handles.
void Resumption::rename() {
  std::vector<OperationScheduler::Name> names;
  for (std::size_t number = 0; number < scheduler_.operations().size(); ++number) {
    const CurrentTrajectory::Known& known = trajectory_.operations.at(number);
    names.push_back({known.handle, known.issued});
  }
  scheduler_.rename(names);
  issued_again_ = names.size();
}

// Runs up to a cycle of the trajectory: its end, or where it goes live.
void Resumption::run_script(std::uint64_t end) {
  for (;;) {
    follow(Place::kAfterEdge);
    if (is_over_) return;
    if (scheduler_.cycle() - trajectory_.start >= end) break;
    std::uint64_t next = end;
    if (script_next_ < script_.size()) next = std::min(next, script_[script_next_]->at.cycle);
    scheduler_.pass_until(trajectory_.start + next);
    const std::uint64_t idle = scheduler_.rest_until(trajectory_.start + next);
    if (!is_on_path_) scheduler_.count_idle(idle);
    trajectory_.some_complete = false;
    scheduler_.simulate_edge();
    if (is_over_) return;
  }
  if (!is_on_path_ || script_next_ != script_.size())
    fail_replay("less became complete than before");
}

bool Resumption::follow(Place place) {
  const TrajectoryPosition here = trajectory_.position(scheduler_.cycle(), place);
  if (script_next_ < script_.size() && script_[script_next_]->at == here) {
    trajectory_.node = script_[script_next_++];
    for (const TrajectoryInput& input : trajectory_.node->inputs) give_again(input);
  }
  is_over_ = !is_on_path_ && here == stop_ && script_next_ == script_.size();
  if (is_over_) restore_totals();
  return is_over_;
}

void Resumption::give_again(const TrajectoryInput& input) {
  const auto handle_of = [&](int number) { return trajectory_.operations[number].handle; };
  if (input.plan == nullptr) {
    const std::uint64_t cycle = input.cycle == 0 ? 0 : trajectory_.start + input.cycle;
    scheduler_.release(handle_of(input.operation), input.part, input.rank, cycle);
    return;
  }
  IssueOptions options{.delay = input.delay, .held = input.held, .lags = input.lags};
  // A complete operation is no longer known, whatever its number.
  for (const TrajectoryInput::After& after : input.after)
    options.after.push_back(
        {after.operation < 0 ? 0 : handle_of(after.operation), after.parts, after.all_ranks});
  if (is_on_path_) trajectory_.add({.handle = next_spare_++});
  const CurrentTrajectory::Known& known = trajectory_.operations[issued_again_++];
  options.seed = known.seed;
  scheduler_.issue(known.handle, input.plan, input.starts, options);
}

// Restores the totals: replayed operations do not count a second time.
void Resumption::restore_totals() {
  OperationTotals& totals = scheduler_.totals();
  totals.operations = totals_.operations;
  totals.last_end = totals_.last_end;
  totals.flits = totals_.flits;
  totals.bytes = totals_.bytes;
  totals.waited_for_rows = totals_.waited_for_rows;
  totals.waited_for_others = totals_.waited_for_others;
}

}  // namespace fredsim
