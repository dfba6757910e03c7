// SPDX-License-Identifier: Apache-2.0
// Loads of the input of the next iteration: bytes from each I/O controller to each worker, exact to
// the byte.
//
// Working controllers share the load of a worker as evenly as whole flits in every slice allow, so
//   that slices of a FRED tree do the same (operations/equal_slices.h). The remainder of a worker's
//   load, and some more of it, goes to this worker alone from the controllers in turn. The flits of
//   such a load match the slices that carry a flit more of the layers' reductions along MP (the
//   first slices), one each, so that these slices carry the whole remainder and stay equal. Without
//   such reductions, or where the numbers do not divide, the remainder goes flit by flit, all by
//   the first slice.
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
