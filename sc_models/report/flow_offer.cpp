// SPDX-License-Identifier: Apache-2.0
#include "report/flow_offer.h"

#include <fmt/format.h>

#include <algorithm>

namespace fredsim {
namespace {

// "11:05"
std::string minutes_text(double seconds) {
  const auto whole = static_cast<long long>(seconds);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::optional<double> cycle_of(const FlowTrial& trial, double operations) {
  const auto after =
      std::ranges::lower_bound(trial.progress, operations, {}, &OperationsDone::operations);
  if (after == trial.progress.end()) return std::nullopt;
  const OperationsDone before = after == trial.progress.begin() ? OperationsDone{} : *(after - 1);
  const double share = (operations - before.operations) / (after->operations - before.operations);
  return before.cycle + share * (after->cycle - before.cycle);
}

bool FlowOffer::is_due(double seconds, const WorkDone& first, const WorkDone& repeated) {
  left_.note(seconds, first, repeated);
  const std::optional<double> left = left_.seconds();
  if (was_due_ || seconds < kSettled || !left || seconds + *left <= kLongRun) return false;
  estimate_s_ = seconds + *left;
  was_due_ = true;
  return true;
}

std::string FlowOffer::text(const FlowTrial& trial, const OperationsDone& exact) const {
  const std::optional<double> cycle = cycle_of(trial, exact.operations);
  if (!cycle || exact.cycle <= 0) return {};
  const std::string cost = trial.is_complete
                               ? fmt::format("took {:.2f} s", trial.seconds)
                               : fmt::format("takes more than {:.1f} s", trial.seconds);
  return fmt::format(
      "the exact run takes {} minutes by estimate; as flows (--engine flow) it {}, without "
      "calibration, with the first {:.0f} operations complete in cycle {:.0f} in place of {:.0f} "
      "({:+.2f} %)",
      minutes_text(estimate_s_), cost, exact.operations, *cycle, exact.cycle,
      100 * (*cycle / exact.cycle - 1));
}

}  // namespace fredsim
