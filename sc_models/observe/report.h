// What a command reports of one run: its counters and, in `compare`, its standing against the base.
#pragma once

#include <optional>

#include "observe/comparison.h"
#include "observe/results.h"

namespace fredsim {

struct ReportedRun {
  RunResult result;
  std::optional<Comparison> comparison;  // none for `run` and for the base of `compare`
};

}  // namespace fredsim
