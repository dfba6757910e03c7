// SPDX-License-Identifier: Apache-2.0
#include "results/comparison.h"

#include <cassert>
#include <limits>

namespace fredsim {

namespace {

// Ratio of base to run; a group of one NPU takes no time and moves nothing.
double ratio(double base, double run) {
  if (run > 0) return base / run;
  return base > 0 ? std::numeric_limits<double>::infinity() : 1;
}

}  // namespace

Comparison compare_to_base(const RunResult& base, const RunResult& run) {
  assert(base.size_bytes == run.size_bytes);
  return {.speedup = ratio(base.time_ns, run.time_ns),
          .injected_traffic_reduction = ratio(static_cast<double>(base.injected_bytes),
                                              static_cast<double>(run.injected_bytes)),
          .link_traffic_reduction =
              ratio(static_cast<double>(base.link_bytes), static_cast<double>(run.link_bytes))};
}

}  // namespace fredsim
