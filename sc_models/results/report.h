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
  // True for the additional run of --best-base: the base with its best options.
  // `speedup_best_base`: over the faster of the two.
  bool is_best_base = false;
  std::optional<double> speedup_best_base{};
};

}  // namespace fredsim
