// SPDX-License-Identifier: Apache-2.0
#include "flow/flow_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "flow/operation_repeats.h"

namespace fredsim {
namespace {

constexpr std::size_t kMaxListed = 8;  // operations that wait, in a message

// Null: no plan of a system.
std::unique_ptr<const SystemNetwork> network_of(const Topology& topology,
                                                FlowOperations::Plans prepared,
                                                const FlowLifts& lifts) {
  std::vector<const SystemPlan*> plans;
  for (const auto& plan : prepared)
    if (plan->system != nullptr) plans.push_back(plan->system.get());
  if (plans.empty()) return nullptr;
  return std::make_unique<const SystemNetwork>(topology, plans, lifts);
}

}  // namespace

FlowOperations::FlowOperations(const Topology& topology, Plans plans, const std::atomic<bool>* stop,
                               const FlowLifts& lifts)
    : topology_(topology),
      stop_(stop),
      lifts_(lifts),
      turns_(topology, lifts.turns),
      system_(network_of(topology, plans, lifts)),
      simulation_(system_ ? system_->capacities() : turns_.capacities(),
                  system_ ? system_->limits() : credit_limits(topology)) {
  simulation_.on_end([this](FlowSimulation::Flow flow) { end_flow(flow); });
  simulation_.on_settled([this] { skip_repeats(); });
}

FlowOperations::~FlowOperations() = default;

std::uint64_t FlowOperations::whole_cycles(double time) const {
  const auto since = static_cast<std::int64_t>(std::ceil(time));
  return static_cast<std::uint64_t>(
      std::max(static_cast<std::int64_t>(simulation_.origin()) + since, std::int64_t{0}));
}

double FlowOperations::time_of(std::uint64_t cycle) const {
  return static_cast<double>(static_cast<std::int64_t>(cycle - simulation_.origin()));
}

// ---- plans

int FlowOperations::queue_of(NodeId node, int port, int vc) {
  const auto [at, is_new] = queue_numbers_.try_emplace({node, port, vc}, std::ssize(queues_));
  if (is_new) queues_.emplace_back();
  return at->second;
}

OperationPlan& FlowOperations::flow_plan(const std::shared_ptr<const PreparedPlan>& plan) {
  std::unique_ptr<OperationPlan>& known = plans_[plan.get()];
  if (known != nullptr) return *known;
  const auto queue_of = [this](NodeId node, int port, int vc) {
    return this->queue_of(node, port, vc);
  };
  known = std::make_unique<OperationPlan>(topology_, plan, simulation_, turns_, queue_of, lifts_);
  plans_in_order_.push_back(known.get());
  return *known;
}

FlowSimulation::Flow FlowOperations::begin_flow(FairRates::FlowClass flows, double flits) {
  return flows == OperationPlan::kNoLinks ? simulation_.begin(FairRates::Demand{}, flits)
                                          : simulation_.begin(flows, flits);
}

std::vector<FlowOperations::Issued> FlowOperations::issued() const {
  std::vector<Issued> issued;
  for (const OperationPlan* plan : plans_in_order_)
    if (plan->times > 0) issued.push_back({plan->plan, plan->times, plan->cycles});
  return issued;
}

bool FlowOperations::are_in_conflict(const FlowOperation& earlier, const FlowOperation& later) {
  const auto [at, is_new] = conflicts_.try_emplace({earlier.plan.get(), later.plan.get()}, false);
  if (is_new) at->second = in_conflict(*earlier.plan, *later.plan);
  return at->second;
}

// ---- issue

OperationHandle FlowOperations::issue(std::shared_ptr<const PreparedPlan> plan,
                                      const std::vector<std::uint64_t>& starts,
                                      const IssueOptions& options) {
  for (const Dependency& dependency : options.after) {
    if (dependency.operation == 0 || dependency.operation >= next_)
      throw BadInput(fmt::format("after: found operation {}; allowed: 1 to {}, those issued",
                                 dependency.operation, next_ - 1));
  }
  forget();
  if (options.times < 2) return issue_one(plan, starts, options, nullptr);
  return begin_repeat(plan, options);
}

OperationHandle FlowOperations::issue_one(const std::shared_ptr<const PreparedPlan>& plan,
                                          const std::vector<std::uint64_t>& starts,
                                          const IssueOptions& options,
                                          std::shared_ptr<OperationRepeat> repeat) {
  const std::uint64_t now = cycle();
  OperationPlan& flow = flow_plan(plan);
  ++flow.times;
  const OperationHandle handle = next_++;
  add(std::make_unique<FlowOperation>(handle, flow, now, options, starts, std::move(repeat)),
      options);
  wake(now);
  return handle;
}

void FlowOperations::release(OperationHandle handle, int part, int rank, std::uint64_t cycle) {
  forget();
  operations_.at(handle)->release(part, rank, cycle);
  changed_ = true;
  wake(this->cycle());
}

void FlowOperations::call_at(std::uint64_t cycle, std::function<void()> callback) {
  const auto at = calls_.insert(cycle);
  forget();
  simulation_.call_at_fixed(time_of(cycle), [this, at, callback = std::move(callback)] {
    calls_.erase(at);
    forget();
    callback();
    run_cycle();
  });
}

void FlowOperations::forget() {
  recurrence_.forget();
  memo_.end();
}

// ---- run

void FlowOperations::wait_all() {
  simulation_.run();
  if (operations_.empty()) return;
  throw RunFailed(fmt::format("deadlock in cycle {}: {} operations are not complete, and nothing "
                              "is to come:{}",
                              cycle(), operations_.size(), waiting_text()),
                  FailureCause::kDeadlock);
}

std::string FlowOperations::waiting_text() const {
  std::string text;
  std::size_t listed = 0;
  for (const auto& [handle, operation] : operations_) {
    if (++listed > kMaxListed) return text + "\n  and more";
    const Part& part = operation->plan->plan.parts.front();
    const char* const state = operation->state == FlowOperation::State::kOpen
                                  ? (operation->has_begun() ? "under way" : "ranks have not begun")
                              : operation->state == FlowOperation::State::kGranted
                                  ? "waits for operations that it is in conflict with"
                                  : "no rank may begin";
    text += fmt::format("\n  operation {}, {} of {} bytes: {}", handle, to_string(part.collective),
                        part.bytes, state);
  }
  return text;
}

// Schedules a wake-up at a cycle, or now if it has passed; once per cycle.
void FlowOperations::wake(std::uint64_t cycle) {
  cycle = std::max(cycle, whole_cycles(simulation_.now()));
  if (!wakes_.insert(cycle).second) return;
  simulation_.call_at(time_of(cycle), [this] {
    wakes_.erase(wakes_.begin());  // they come in this order
    run_cycle();
  });
}

// Processes all begins and completions of this cycle.
void FlowOperations::run_cycle() {
  if (stop_ != nullptr && *stop_) throw Interrupted("interrupted while flows were simulated");
  advance();
  if (const std::uint64_t next = next_start(); next != RankStarts::kNever) wake(next);
}

FlowOperations::Grant FlowOperations::take(FlowOperation& operation) {
  operation.granted = grants_++;
  return Grant::kTaken;
}

void FlowOperations::opened(FlowOperation& operation) {
  for (const auto& [queue, trees] : operation.flow.in_queue)
    queues_[queue].operations.emplace_back(operation.handle, trees);
}

void FlowOperations::begin(FlowOperation& operation, const std::vector<RankOfPart>& due) {
  for (const RankOfPart& at : due) begin_rank(operation, at);
  begin_ready(operation);
}

void FlowOperations::begin_rank(FlowOperation& operation, const RankOfPart& at) {
  FlowOperation::OfPart& part = operation.parts[at.part];
  if (!part.start) part.start = part.end = cycle();
  FlowOperation::OfRank& rank = operation.ranks[at.part][at.rank];
  rank.has_begun = true;
  if (rank.left == 0) return schedule_end(operation, at, cycle());
  if (operation.is_system()) return begin_in_steps(operation, at);
  for (const int tree : operation.flow.ranks[at.part][at.rank].waits_for) {
    --operation.trees[tree].left_to_begin;
    begin_if_possible(operation, tree);
  }
}

void FlowOperations::begin_if_possible(FlowOperation& operation, int t) {
  FlowOperation::OfTree& tree = operation.trees[t];
  const OperationPlan::OfTree& of = operation.flow.trees[t];
  const auto is_first = [&](int queue) {
    return queues_[queue].operations.front().first == operation.handle;
  };
  if (tree.has_begun || tree.left_to_begin > 0 || !std::ranges::all_of(of.queues, is_first)) return;
  tree.has_begun = true;
  tree.begin = simulation_.now();
  const int part = operation.flow.flows[t].part;
  if (operation.parts[part].moving++ == 0)
    turns_.begin(operation.plan->plan.parts[part], operation.flow.stays[part], simulation_);
  operation.ready.push_back(t);
  ++operation.ready_in[of.bundle];
}

// Joins each bundle whose trees all begin now into one flow.
void FlowOperations::begin_ready(FlowOperation& operation) {
  const OperationPlan& plan = operation.flow;
  for (const int t : operation.ready) {
    const OperationPlan::OfTree& tree = plan.trees[t];
    const OperationPlan::Bundle& bundle = plan.bundles[tree.bundle];
    const bool is_whole =
        bundle.trees.size() > 1 &&
        std::cmp_equal(bundle.trees.size(), operation.ready_in[tree.bundle]) &&
        std::ranges::all_of(bundle.trees, [&](int other) { return plan.trees[other].handed >= 1; });
    if (!is_whole) {
      move(operation, t, tree.handed);
    } else if (t == bundle.trees.front()) {
      moving_.emplace(begin_flow(bundle.flows, bundle.flits),
                      Moving{.operation = &operation, .tree = t, .is_bundle = true});
    }
  }
  for (const int t : operation.ready) operation.ready_in[plan.trees[t].bundle] = 0;
  operation.ready.clear();
}

// Each step waits for the ranks that take part in it.
void FlowOperations::prepare_steps(FlowOperation& operation) {
  const auto begun = [this, &operation](FlowSimulation::Flow flow,
                                        const SystemFlows::Moving& step) {
    moving_.emplace(flow, Moving{.operation = &operation, .step = step});
  };
  const auto complete = [this, &operation](int step) {
    for (const int i : operation.flow.ranks_in_step[step]) {
      if (--operation.system_ranks[i].steps_left > 0) continue;
      const SystemRanks& ranks = operation.flow.system_ranks[i];
      for (const int r : ranks.ranks)
        end_trees_at(operation, ranks.collective, r, 1, simulation_.now());
    }
  };
  operation.steps = std::make_unique<SystemFlows>(
      *system_, simulation_, *operation.plan->system, operation.flow.step_offset,
      SystemFlows::Callbacks{.begun = begun, .complete = complete});
  for (const SystemRanks& ranks : operation.flow.system_ranks) {
    operation.system_ranks.push_back({ranks.ranks.size(), ranks.steps.size()});
    for (const int step : ranks.steps) operation.steps->hold(step);
  }
}

void FlowOperations::begin_in_steps(FlowOperation& operation, const RankOfPart& at) {
  if (operation.steps == nullptr) prepare_steps(operation);
  const int i = operation.flow.system_ranks_of[at.part][at.rank];
  if (--operation.system_ranks[i].left_to_begin > 0) return;
  for (const int step : operation.flow.system_ranks[i].steps) operation.steps->release(step);
}

// Starts the flow of a tree's share: the whole tree, or its first piece.
void FlowOperations::move(FlowOperation& operation, int t, double share) {
  moving_.emplace(begin_flow(operation.flow.trees[t].flows, share * operation.flow.flows[t].flits),
                  Moving{.operation = &operation, .tree = t, .is_first = share < 1});
}

// ---- ends

void FlowOperations::end_flow(FlowSimulation::Flow flow) {
  const Moving moved = moving_.extract(flow).mapped();
  FlowOperation& operation = *moved.operation;
  if (moved.step) return operation.steps->end_flow(*moved.step);
  const int t = moved.tree;
  const TreeFlow& of = operation.flow.flows[t];
  const OperationPlan::OfTree& tree = operation.flow.trees[t];
  const double now = simulation_.now();
  if (moved.is_bundle) return end_bundle(operation, tree.bundle);
  const bool has_handed_over = tree.handed < 1;
  if (moved.is_first) {
    for (const OperationPlan::Member& member : tree.members)
      if (!member.receives) end_trees_at(operation, of.part, member.rank, 1, now);
    moving_.emplace(begin_flow(tree.flows, (1 - tree.handed) * of.flits),
                    Moving{.operation = &operation, .tree = t});
    return;
  }
  const double begin = operation.trees[t].begin;
  const double end = begin + with_fill(of, now - begin);
  for (const OperationPlan::Member& member : tree.members)
    if (member.receives || !has_handed_over)
      end_trees_at(operation, of.part, member.rank, 1, member.receives ? end : now);
  leave_turns(operation, of.part, 1);
  leave_queues(operation, t);
}

void FlowOperations::end_bundle(FlowOperation& operation, int number) {
  const OperationPlan::Bundle& bundle = operation.flow.bundles[number];
  const int first = bundle.trees.front();
  const int part = operation.flow.flows[first].part;
  const double begin = operation.trees[first].begin;
  const double now = simulation_.now();
  for (const OperationPlan::Bundle::Member& member : bundle.members) {
    const double end = member.receives ? begin + with_fill(member.longest, now - begin) : now;
    end_trees_at(operation, part, member.rank, member.trees, end);
  }
  leave_turns(operation, part, static_cast<int>(bundle.trees.size()));
}

// Handles trees of a part that have moved.
void FlowOperations::leave_turns(FlowOperation& operation, int part, int trees) {
  operation.parts[part].moving -= trees;
  if (operation.parts[part].moving == 0)
    turns_.end(operation.plan->plan.parts[part], operation.flow.stays[part], simulation_);
}

void FlowOperations::end_trees_at(FlowOperation& operation, int part, int number, int trees,
                                  double cycle) {
  FlowOperation::OfRank& rank = operation.ranks[part][number];
  rank.end = std::max(rank.end, cycle);
  rank.left -= trees;
  if (rank.left > 0 || !rank.has_begun) return;
  const auto& offset = operation.flow.offset;
  const double late = offset.empty() ? 0 : offset[part][number].cycles;
  schedule_end(operation, {part, number}, whole_cycles(rank.end + late) + 1);
}

// Operations behind this tree in its queues may have become the first.
void FlowOperations::leave_queues(FlowOperation& operation, int t) {
  for (const int number : operation.flow.trees[t].queues) {
    auto& queue = queues_[number].operations;
    if (--queue.front().second > 0) continue;
    queue.pop_front();
    if (queue.empty()) continue;
    FlowOperation& next = *operations_.at(queue.front().first);
    for (int tree = 0; tree < std::ssize(next.trees); ++tree) begin_if_possible(next, tree);
    begin_ready(next);
  }
}

void FlowOperations::schedule_end(const FlowOperation& operation, const RankOfPart& at,
                                  std::uint64_t cycle) {
  cycle = std::max(cycle, whole_cycles(simulation_.now()));
  ends_[cycle].push_back({operation.granted, operation.handle, at.part, at.rank});
  wake(cycle);
}

// Handles complete ranks and operations.
bool FlowOperations::collect() {
  bool some = false;
  while (!ends_.empty() && ends_.begin()->first <= cycle()) {
    std::vector<End> ends = ends_.extract(ends_.begin()).mapped();
    std::ranges::sort(ends);
    some = true;
    for (const End& end : ends) {
      FlowOperation& operation = *operations_.at(end.handle);
      FlowOperation::OfPart& part = operation.parts[end.part];
      part.end = std::max(part.end, cycle() - std::min<std::uint64_t>(cycle(), 1));
      --part.ranks_left;
      operation.complete_rank(end.part, end.rank, cycle());
      notify_rank(operation, {end.part, end.rank});
    }
    for (const End& end : ends) {
      const auto at = operations_.find(end.handle);
      if (at != operations_.end() && at->second->complete()) finish_operation(*at->second);
    }
  }
  return some;
}

void FlowOperations::finish_operation(FlowOperation& operation) {
  OperationReport report = std::move(operation.report);
  for (const FlowOperation::OfPart& part : operation.parts) {
    report.parts.push_back({*part.start, part.end});
    report.ended = std::max(report.ended, part.end);
  }
  OperationPlan& plan = operation.flow;
  plan.cycles += report.ended - report.started;
  totals_.count(report, 0, plan.bytes);
  const std::shared_ptr<OperationRepeat> repeat = operation.repeat;
  remove(operation);
  if (on_progress_) on_progress_(cycle(), totals_.bytes);
  if (repeat) return go_on(repeat, std::move(report));
  forget();
  if (callbacks_.complete) callbacks_.complete(report);
}

}  // namespace fredsim
