// SPDX-License-Identifier: Apache-2.0
#include "engine/operation.h"

#include <utility>

namespace fredsim {

Operation::Operation(OperationHandle number, std::shared_ptr<const PreparedPlan> what,
                     std::uint64_t now, const IssueOptions& options,
                     const std::vector<std::uint64_t>& starts)
    : StagedOperation(number, std::move(what), now, options, starts),
      seed(options.seed),
      label(options.label) {}

bool Operation::part_has_ended(int part) const { return job != nullptr && job->ended(part); }

void Operation::add_state(std::uint64_t cycle, StateDigest& digest) const {
  digest.add(plan->identity);
  digest.add(static_cast<std::uint64_t>(state));
  digest.add(delay());
  digest.add(static_cast<std::uint64_t>(first_tree));
  digest.add(eligible == kNever ? kNever : cycle - eligible);
  digest.add(ready_at ? cycle - *ready_at : kNever);
  for (const StoredPhase* phase : rows.phases) digest.add(static_cast<std::uint64_t>(phase->index));
  add_ranks(cycle, digest);
  add_report(cycle, digest);
  if (job != nullptr) job->add_state_with_counts(cycle, digest);
}

// Adds the state that the operation will report.
void Operation::add_report(std::uint64_t cycle, StateDigest& digest) const {
  digest.add(state == State::kOpen ? cycle - report.started : 0);
  digest.add(report.waited_for_rows);
  digest.add(report.waited_for_others);
  for (const int phases : {report.rows_loaded, report.rows_found, report.rows_evicted})
    digest.add(static_cast<std::uint64_t>(phases));
}

void Operation::shift(std::uint64_t cycles) {
  shift_stages(cycles);
  if (job != nullptr) job->shift(cycles);
}

}  // namespace fredsim
