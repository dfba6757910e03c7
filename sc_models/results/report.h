// SPDX-License-Identifier: Apache-2.0
// Report of one run: its counters and, in `compare`, its standing against the base.
#pragma once

#include <optional>

#include "results/comparison.h"
#include "results/results.h"

namespace fredsim {

struct ReportedRun {
  RunResult result;
  std::optional<Comparison> comparison;  // none for `run` and for the base of `compare`
  // --best-base: the base once more, as well as it can; over the faster of the two.
  bool is_best_base = false;
  std::optional<double> speedup_best_base{};
};

}  // namespace fredsim
