// SPDX-License-Identifier: Apache-2.0
#include "operations/system_operations.h"

#include <algorithm>
#include <optional>

namespace fredsim {

std::span<const Part> asked_parts(const Plan& plan) {
  return plan.collectives.empty() ? plan.parts : plan.collectives;
}

// Maps ranks of a plan's steps to ranks of its collectives, and back.
struct SystemOperations::Ranks {
  std::shared_ptr<const PreparedPlan> plan{};                 // keeps the plan's address valid
  std::vector<std::vector<std::vector<RankOfPart>>> asked{};  // ranks by step and rank
  std::vector<std::vector<std::vector<RankOfPart>>> steps{};  // ranks by collective and rank
};

SystemOperations::SystemOperations(OperationEngine& steps) : steps_(steps) {
  steps_.on_rank_complete(
      [this](OperationHandle handle, int part, int rank) { complete_step(handle, part, rank); });
  steps_.on_complete([this](const OperationReport& report) { complete(report); });
}

SystemOperations::~SystemOperations() = default;

const SystemOperations::Ranks& SystemOperations::ranks_of(
    const std::shared_ptr<const PreparedPlan>& prepared) {
  std::unique_ptr<Ranks>& known = known_[prepared.get()];
  if (known != nullptr) return *known;
  known = std::make_unique<Ranks>();
  Ranks& ranks = *known;
  ranks.plan = prepared;
  const Plan& plan = prepared->plan;
  std::vector<std::map<NodeId, int>> rank_of;  // by collective
  for (const Part& collective : plan.collectives) {
    ranks.steps.emplace_back(collective.members.size());
    auto& of_collective = rank_of.emplace_back();
    for (int r = 0; r < std::ssize(collective.members); ++r)
      of_collective.emplace(collective.members[r], r);
  }
  for (int p = 0; p < std::ssize(plan.parts); ++p) {
    const Part& part = plan.parts[p];
    auto& of_step = ranks.asked.emplace_back(part.members.size());
    for (int r = 0; r < std::ssize(part.members); ++r) {
      for (const int one : part.collective_of) {
        const auto asked = rank_of[one].find(part.members[r]);
        if (asked == rank_of[one].end()) continue;
        of_step[r].push_back({one, asked->second});
        ranks.steps[one][asked->second].push_back({p, r});
      }
    }
  }
  return ranks;
}

// Steps that belong to the parts of an operation in flight.
std::vector<int> SystemOperations::steps_of(const Dependency& dependency) const {
  const auto earlier = in_flight_.find(dependency.operation);
  if (earlier == in_flight_.end()) return {};
  std::vector<int> steps;
  const std::vector<Part>& parts = earlier->second.plan->plan.parts;
  for (int p = 0; p < std::ssize(parts); ++p) {
    const auto is_step = [&](int asked) {
      return std::ranges::find(parts[p].collective_of, asked) != parts[p].collective_of.end();
    };
    if (std::ranges::any_of(dependency.parts, is_step)) steps.push_back(p);
  }
  return steps;
}

OperationHandle SystemOperations::issue(std::shared_ptr<const PreparedPlan> plan,
                                        const std::vector<std::uint64_t>& starts,
                                        const IssueOptions& options) {
  IssueOptions of_steps = options;
  for (Dependency& dependency : of_steps.after)
    if (in_flight_.contains(dependency.operation)) dependency.parts = steps_of(dependency);
  if (plan->plan.collectives.empty()) return steps_.issue(std::move(plan), starts, of_steps);
  std::vector<std::uint64_t> starts_of_steps;
  of_steps.label.parts.clear();
  for (const Part& part : plan->plan.parts) {
    const auto asked = static_cast<std::size_t>(part.collective_of.front());
    if (!starts.empty()) starts_of_steps.push_back(asked < starts.size() ? starts[asked] : 0);
    if (asked < options.label.parts.size())
      of_steps.label.parts.push_back(options.label.parts[asked]);
  }
  const Ranks& ranks = ranks_of(plan);
  Running operation{.plan = plan, .ranks = &ranks};
  for (const auto& of_collective : ranks.steps) {
    auto& left = operation.left.emplace_back();
    for (const auto& steps : of_collective) left.push_back(static_cast<int>(steps.size()));
  }
  const OperationHandle handle = steps_.issue(std::move(plan), starts_of_steps, of_steps);
  in_flight_.emplace(handle, std::move(operation));
  return handle;
}

void SystemOperations::release(OperationHandle handle, int part, int rank, std::uint64_t cycle) {
  const auto at = in_flight_.find(handle);
  if (at == in_flight_.end()) return steps_.release(handle, part, rank, cycle);
  for (const RankOfPart& step : at->second.ranks->steps[part][rank])
    steps_.release(handle, step.part, step.rank, cycle);
}

void SystemOperations::complete_step(OperationHandle handle, int part, int rank) {
  const auto at = in_flight_.find(handle);
  if (at == in_flight_.end()) {
    if (callbacks_.rank_complete) callbacks_.rank_complete(handle, part, rank);
    return;
  }
  Running& operation = at->second;
  for (const RankOfPart& asked : operation.ranks->asked[part][rank]) {
    if (--operation.left[asked.part][asked.rank] > 0 || !callbacks_.rank_complete) continue;
    callbacks_.rank_complete(handle, asked.part, asked.rank);
  }
}

void SystemOperations::complete(const OperationReport& report) {
  auto ended = in_flight_.extract(report.handle);
  if (!callbacks_.complete) return;
  if (ended.empty()) return callbacks_.complete(report);
  const Plan& plan = ended.mapped().plan->plan;
  std::vector<std::optional<OperationReport::PartTimes>> parts(plan.collectives.size());
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    for (const int asked : plan.parts[p].collective_of) {
      const OperationReport::PartTimes& step = report.parts[p];
      auto& part = parts[asked];
      if (!part) part = step;
      part->start = std::min(part->start, step.start);
      part->end = std::max(part->end, step.end);
      part->has_begun = part->has_begun || step.has_begun;
      part->has_ended = part->has_ended && step.has_ended;
    }
  }
  OperationReport by_collective = report;
  by_collective.parts.clear();
  for (const auto& part : parts)
    by_collective.parts.push_back(part.value_or(OperationReport::PartTimes{}));
  callbacks_.complete(by_collective);
}

}  // namespace fredsim
