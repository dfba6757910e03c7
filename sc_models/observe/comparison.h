// A run against the baseline's run of the same work (`fredsim compare`).
//
// Units: speedup is a ratio of simulated times, > 1 where the run is faster than the base (1 where
// both take no time). A traffic reduction is the share of the base's bytes that the run saves: 1 -
// run / base; 0.474 = 47.4 % less, negative where the run moves more, 0 where the base moved
// nothing.
#pragma once

#include "observe/results.h"

namespace fredsim {

struct Comparison {
  double speedup = 1;
  double injected_traffic_reduction = 0;  // of injected_bytes: what NPUs put on the fabric
  double link_traffic_reduction = 0;      // of link_bytes: payload bytes × links crossed
};

Comparison compare_to_base(const RunResult& base, const RunResult& run);

}  // namespace fredsim
