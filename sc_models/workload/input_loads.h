// Samples of the next iteration on their way in: which I/O controller sends how much to which workers, to the byte.
//
// Controllers share what a worker loads as evenly as whole flits in every slice allow, so that slices of a FRED tree do
//   the same (collective/equal_slices.h). What is left of a worker's, fewer flits than slices, comes flit by flit from
//   controllers in turn: such a flit, the last one perhaps short, takes the same slice for all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/parallelism.h"
#include "topology/topology.h"

namespace fredsim {

struct InputLoad {
  int controller = 0;
  std::vector<int> workers;
  std::uint64_t bytes = 0;  // to each of them, not 0
};

// Each worker of the first stage loads all samples of its replica. Empty without controllers.
std::vector<InputLoad> input_loads(const Strategy& strategy, std::uint64_t minibatch,
                                   std::uint64_t sample_bytes, const Topology& topology);

}  // namespace fredsim
