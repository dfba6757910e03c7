// SPDX-License-Identifier: Apache-2.0
// Sizes of the halves of a transformer's layer with split sequences, as added by
// WorkerGraph::run_half() (workload/worker_graph.h).
#pragma once

#include <cstdint>

#include "workload/ring_attention.h"
#include "workload/sequence_split.h"

namespace fredsim {

// Tasks of a worker for a half: collectives along MP, steps of its ring, computations.
struct HalfCounts {
  std::uint64_t along_mp = 0, passed_on = 0, computations = 0;
};
HalfCounts half_counts(const SequenceSplit& split, bool is_attention, Pass pass, bool repeats);

}  // namespace fredsim
