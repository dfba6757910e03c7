// SPDX-License-Identifier: Apache-2.0
// Operations that the flow-level engine issues again and again (IssueOptions::times), and how it
// passes over most of them.
//
// Whenever one of them is complete and nothing more happens at its cycle, times with fractions are
//   counted from there on, so that what follows depends on no time before. Where all that it
//   depends on is then as it was at such a point before, it repeats: whole periods are added to all
//   counts, up to the last issue of a repeat, or the next call from outside. What comes from
//   outside, or is told there, begins anew: nothing before it counts.
// Exact: with and without, all cycles and counts are the same
//   (tests/flow/operation_repeats_test.cpp).
// Cost: a digest of the state per issue until it recurs, or has not for long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/state_digest.h"
#include "operations/operation_engine.h"

namespace fredsim {

struct OperationRepeat {
  std::shared_ptr<const PreparedPlan> plan{};
  OperationHandle handle = 0;  // first issue's, for all of them
  std::uint64_t times = 1, issued = 0, complete = 0;
  std::vector<std::vector<std::uint64_t>> left{};  // by part and rank: times not complete
};

// Counts at a cycle, or of a period, of what adds up over operations.
struct RepeatCounts {
  struct OfPlan {
    std::uint64_t times = 0, cycles = 0;
  };
  std::uint64_t cycle = 0;
  std::vector<std::uint64_t> issued{};  // by repeat
  std::vector<OfPlan> of_plans{};
  std::uint64_t operations = 0, bytes = 0, waited_for_others = 0;  // OperationTotals

  RepeatCounts since(const RepeatCounts& before) const;  // `before`: same repeats and plans
};

class RepeatRecurrence {
 public:
  // No more than kMaxStates are looked at until something is forgotten.
  bool looks() const { return known_.size() < kMaxStates; }
  void forget() { known_.clear(); }
  // Counts at the state before that is as this one; none: this one is kept.
  std::optional<RepeatCounts> find(const StateDigest& state, const RepeatCounts& counts);
  void count(std::uint64_t skipped) { skipped_ += skipped; }
  std::uint64_t skipped() const { return skipped_; }

 private:
  static constexpr std::size_t kMaxStates = 256;
  std::map<StateDigest, RepeatCounts> known_;
  std::uint64_t skipped_ = 0;
};

}  // namespace fredsim
