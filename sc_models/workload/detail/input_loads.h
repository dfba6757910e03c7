// SPDX-License-Identifier: Apache-2.0
// Loads of the input of the next iteration: bytes from each I/O controller to each worker, exact to
// the byte.
//
// Controllers that have not failed share what a worker loads as evenly as whole flits in every
//   slice allow, so that slices of a FRED tree do the same (operations/equal_slices.h). What is
//   left of a worker's, and some more of it, comes to it alone from controllers in turn: in loads
//   of as many flits as there are slices, the first ones, that carry a flit more of the layers'
//   reductions along MP, so that these slices get all of it and stay like each other. Without such
//   reductions, or where that does not come out even, it comes flit by flit, all by the first
//   slice.
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
  std::uint64_t bytes = 0;  // to each of them, not 0
};

// Loads of the first stage: each worker loads all samples of its replica, and of each sample its
// own tokens. Empty without controllers, and on systems (topology/system.h).
std::vector<InputLoad> input_loads(const ModelShape& model, const TrainingOptions& options,
                                   const Topology& topology);

}  // namespace fredsim
