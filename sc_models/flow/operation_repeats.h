// SPDX-License-Identifier: Apache-2.0
// Repeated operations of the flow-level engine (IssueOptions::times), and the memoisation that
// skips most of them.
//
// Whenever a repeat is complete and its cycle has no further event, the origin of fractional
//   times moves to that cycle, so that the run no longer depends on earlier times. If the state
//   digest equals an earlier one, the run is periodic: whole periods are added to all counts, up to
//   the last issue of a repeat, or the next external call. External calls and reports clear the
//   recorded states.
// Exact: all cycles and counts equal a run without skipping
//   (tests/flow/operation_repeats_test.cpp). Cost: a state digest per issue, until the state recurs
//   or kMaxStates have been recorded.
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
  OperationHandle handle = 0;  // handle of the first issue, shared by all
  std::uint64_t times = 1, issued = 0, complete = 0;
  std::vector<std::vector<std::uint64_t>> left{};  // incomplete issues by part and rank
};

// Counts that add up over operations, at a cycle or over a period.
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
  // True while fewer than kMaxStates states are recorded.
  bool looks() const { return known_.size() < kMaxStates; }
  void forget() { known_.clear(); }
  // Counts at an earlier equal state; none: this state is recorded.
  std::optional<RepeatCounts> find(const StateDigest& state, const RepeatCounts& counts);
  void count(std::uint64_t skipped) { skipped_ += skipped; }
  std::uint64_t skipped() const { return skipped_; }

 private:
  static constexpr std::size_t kMaxStates = 256;
  std::map<StateDigest, RepeatCounts> known_;
  std::uint64_t skipped_ = 0;
};

}  // namespace fredsim
