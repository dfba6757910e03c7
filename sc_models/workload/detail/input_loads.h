// SPDX-License-Identifier: Apache-2.0
// Loads of the input of the next iteration: bytes from each I/O controller to each worker, exact to
// the byte.
//
// Working controllers share the load of a worker as evenly as possible in rounds, a flit per slice
//   each, so that the slices of a FRED tree have equal loads (operations/equal_slices.h). The
//   remainder is sent to the worker in separate loads, by the controllers in turn. If some slices
//   (the first ones) carry a flit more of the reductions of the layers along MP than the other
//   slices, each of these loads has one flit per such slice. The remainder is enlarged by rounds
//   until it divides into such loads. These slices then carry all of it and stay equal. Without
//   such reductions, or if no remainder divides, the remainder is sent flit by flit, all over the
//   first slice.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/topology.h"
#include "workload/model_shape.h"
#include "workload/training_options.h"

namespace fredsim {

struct InputLoad {
  int controller = 0;
  std::vector<int> workers;
  std::uint64_t bytes = 0;  // bytes to each worker, not 0
};

// Loads of the first stage: each worker loads all samples of its replica, and of each sample its
// own tokens. Empty without controllers, and on systems (topology/system.h).
std::vector<InputLoad> input_loads(const ModelShape& model, const TrainingOptions& options,
                                   const Topology& topology);

}  // namespace fredsim
