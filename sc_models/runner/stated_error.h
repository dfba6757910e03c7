// SPDX-License-Identifier: Apache-2.0
// Error that is stated of a run of flows: more than what was measured, since the run itself was not.
//
// The addition was found on random works on small machines of all kinds of switches, and 95 % of others are within it
//   (docs/studies/flow_error.md, scripts/reproduce flow_error --stated).
// Sizes between those of a file: errors at sizes of its checks are measured, those at others are larger where times are no straight lines
//   between two of them.
// Operations after each other: each is known alone, not how several share links, buffers and arbiters. Parts of the breakdown of an iteration
//   are off by as much of the iteration as the iteration itself.
// Systems: measured at other sizes, on a smaller one where the system is large.
// Units: percent of the time, of iterations and their parts of an iteration's.
#pragma once

#include "results/results.h"

namespace fredsim {

struct ErrorMargin {
  double factor = 1;  // times the error that was measured
  double percent = 0;
};
inline constexpr double kBetweenSizesOfAim =
    0.3;  // share of the error that is aimed at (flow/calibrator.h)
inline constexpr ErrorMargin kWorkMargin{1, 20};
inline constexpr ErrorMargin kTrainingMargin{1, 3};
inline constexpr ErrorMargin kSystemMargin{1.5, 0.5};
inline constexpr ErrorMargin kSystemTrainingMargin{1, 5};

inline FlowErrorResult stated(FlowErrorResult measured, const ErrorMargin& margin) {
  for (double* percent : {&measured.mean_percent, &measured.worst_percent})
    *percent = *percent * margin.factor + margin.percent;
  return measured;
}

}  // namespace fredsim
