// SPDX-License-Identifier: Apache-2.0
// An open operation of the flow-level engine (flow/flow_operations.h), internal to it. Cycles are
// whole and count from the start of the run, times with fractions from the origin of the simulation
// (flow/flow_simulation.h).
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/state_digest.h"
#include "flow/operation_plan.h"
#include "flow/operation_repeats.h"
#include "flow/system_flows.h"
#include "operations/operation_lifecycle.h"

namespace fredsim {

struct FlowOperation final : StagedOperation {
  struct OfTree {
    int left_to_begin = 0;  // ranks
    bool has_begun = false;
    double begin = 0;
  };
  struct OfRank {
    int left = 0;  // trees
    bool has_begun = false;
    double end = 0;
  };
  struct OfPart {
    int ranks_left = 0;
    int moving = 0;  // trees
    std::optional<std::uint64_t> start{};
    std::uint64_t end = 0;
  };

  FlowOperation(OperationHandle number, OperationPlan& of, std::uint64_t now,
                const IssueOptions& options, const std::vector<std::uint64_t>& starts,
                std::shared_ptr<OperationRepeat> repeated)
      : StagedOperation(number, of.plan, now, options, starts),
        flow(of),
        repeat(std::move(repeated)) {
    for (const OperationPlan::OfTree& tree : of.trees)
      trees.push_back({.left_to_begin = tree.contributors});
    ready_in.resize(of.bundles.size());
    for (const auto& part : of.ranks) {
      parts.push_back({.ranks_left = static_cast<int>(part.size())});
      auto& own = ranks.emplace_back();
      for (const OperationPlan::OfRank& rank : part) own.push_back({.left = rank.trees});
    }
  }

  bool is_system() const { return plan->system != nullptr; }
  bool part_has_ended(int part) const override { return parts[part].ranks_left == 0; }

  // Adds the state to a digest, with times relative to `cycle`. `number_of`: as for add_later();
  // `repeat_number`: among the repeats in flight.
  // For an operation that is issued once, the times that only its report needs are left out.
  template <class NumberOf>
  void add_state(std::uint64_t cycle, std::uint64_t repeat_number, const NumberOf& number_of,
                 StateDigest& digest) const;
  // Copy of an operation on which no other one depends, not on systems.
  std::unique_ptr<FlowOperation> copy(OperationHandle number,
                                      std::shared_ptr<OperationRepeat> of_repeat) const;
  // Moves the origin of fractional times later by `time`.
  void move_origin(double time);
  // Delays all cycle times by `cycles`.
  void shift(std::uint64_t cycles);

  OperationPlan& flow;
  const std::shared_ptr<OperationRepeat> repeat;  // null: issued once
  int granted = 0;                                // earlier grants
  std::vector<OfTree> trees{};
  std::vector<int> ready{};                  // trees that can begin now
  std::vector<int> ready_in{};               // number of ready trees by bundle
  std::vector<std::vector<OfRank>> ranks{};  // by part
  std::vector<OfPart> parts{};
  struct OfSystemRanks {
    std::size_t left_to_begin = 0;  // ranks
    std::size_t steps_left = 0;
  };
  std::vector<OfSystemRanks> system_ranks{};  // by OperationPlan::system_ranks
  std::unique_ptr<SystemFlows> steps{};       // on a system, once a rank has begun
};

template <class NumberOf>
void FlowOperation::add_state(std::uint64_t cycle, std::uint64_t repeat_number,
                              const NumberOf& number_of, StateDigest& digest) const {
  const auto add_time = [&](double time) { digest.add(std::bit_cast<std::uint64_t>(time)); };
  const auto since = [&](std::uint64_t then) { digest.add(cycle - then); };
  digest.add(reinterpret_cast<std::uintptr_t>(plan.get()));
  digest.add(repeat ? 1 + repeat_number : 0);
  digest.add(static_cast<std::uint64_t>(state));
  add_ranks(cycle, digest);
  add_later(number_of, digest);
  for (const OfTree& tree : trees) {
    digest.add(static_cast<std::uint64_t>(tree.left_to_begin) << 1U | (tree.has_begun ? 1U : 0U));
    if (tree.has_begun) add_time(tree.begin);
  }
  for (const auto& part : ranks) {
    for (const OfRank& rank : part) {
      digest.add(static_cast<std::uint64_t>(rank.left) << 1U | (rank.has_begun ? 1U : 0U));
      add_time(rank.end);
    }
  }
  for (const OfPart& part : parts) {
    digest.add(static_cast<std::uint64_t>(part.ranks_left) << 32U |
               static_cast<std::uint32_t>(part.moving << 1U | (part.start ? 1U : 0U)));
    if (!repeat || !part.start) continue;
    since(*part.start);
    since(part.end);
  }
  if (!repeat) return;
  since(report.issued);
  since(ready_at.value_or(cycle));
  since(state == State::kOpen ? report.started : cycle);
}

}  // namespace fredsim
