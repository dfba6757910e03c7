// SPDX-License-Identifier: Apache-2.0
// Comparison of a run with the baseline's run of the same work (`fredsim compare`).
//
// Units: speedup is a ratio of simulated times, > 1 where the run is faster than the base (1 where
// both take no time). A traffic reduction is a ratio too, bytes of the base / bytes of the run: 1.9
// = the base moves 1.9 times as many, < 1 where the run moves more, 1 where both move nothing.
#pragma once

#include "results/results.h"

namespace fredsim {

struct Comparison {
  double speedup = 1;
  double injected_traffic_reduction =
      1;                              // ratio of injected_bytes: bytes that NPUs put on the fabric
  double link_traffic_reduction = 1;  // ratio of link_bytes: payload bytes × links crossed
};

Comparison compare_to_base(const RunResult& base, const RunResult& run);

}  // namespace fredsim
