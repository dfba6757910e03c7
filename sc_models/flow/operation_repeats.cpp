// SPDX-License-Identifier: Apache-2.0
#include "flow/operation_repeats.h"

namespace fredsim {

RepeatCounts RepeatCounts::since(const RepeatCounts& before) const {
  RepeatCounts period = *this;
  period.cycle -= before.cycle;
  for (std::size_t r = 0; r < issued.size(); ++r) period.issued[r] -= before.issued[r];
  for (std::size_t p = 0; p < of_plans.size(); ++p) {
    period.of_plans[p].times -= before.of_plans[p].times;
    period.of_plans[p].cycles -= before.of_plans[p].cycles;
  }
  period.operations -= before.operations;
  period.bytes -= before.bytes;
  period.waited_for_others -= before.waited_for_others;
  return period;
}

std::optional<RepeatCounts> RepeatRecurrence::find(const StateDigest& state,
                                                   const RepeatCounts& counts) {
  const auto known = known_.find(state);
  if (known != known_.end()) return known->second;
  known_.emplace(state, counts);
  return std::nullopt;
}

}  // namespace fredsim
