// SPDX-License-Identifier: Apache-2.0
#include "operations/operation_lifecycle.h"

#include <utility>

namespace fredsim {

StagedOperation::StagedOperation(OperationHandle number, std::shared_ptr<const PreparedPlan> what,
                                 std::uint64_t now, const IssueOptions& options,
                                 const std::vector<std::uint64_t>& starts)
    : RankStarts(number, std::move(what), now, options, starts) {
  report.handle = handle;
  report.issued = now;
  report.plan = plan;
}

void StagedOperation::copy_stages(const StagedOperation& other) {
  copy_starts(other);
  state = other.state;
  report = other.report;
  report.handle = handle;
  eligible = other.eligible;
  ready_at = other.ready_at;
}

void StagedOperation::shift_stages(std::uint64_t cycles) {
  shift_starts(cycles);
  report.started += cycles;
  if (eligible != kNever) eligible += cycles;
  if (ready_at) *ready_at += cycles;
}

}  // namespace fredsim
