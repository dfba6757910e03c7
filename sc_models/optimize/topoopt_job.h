// SPDX-License-Identifier: Apache-2.0
// Jobs of a search for networks (optimize/topoopt_search.h): one training iteration, as of `fredsim
// train`, with the paper's placement.
//
// Models: weights stay on the NPUs; the minibatch is of all replicas, so that every strategy does
// the same work.
// Text workloads: MP is the strategy's unless the workload's type fixes it, and there are no
// stages.
// Errors: BadInput for a strategy that the model, its minibatch or the workload does not allow.
#pragma once

#include <cstdint>
#include <string>

#include "optimize/topoopt_search.h"
#include "topology/topology.h"
#include "workload/compute_time.h"
#include "workload/model_shape.h"
#include "workload/training_graph.h"
#include "workload_files/text_workload.h"

namespace fredsim {

struct ModelJob {
  ModelShape model{};
  TrainingOptions training{};      // its strategy, placement and iterations are ignored
  std::uint64_t microbatches = 0;  // 0: kPipelineMicrobatches of a pipeline, else 1
  ComputeSpeed speed{};
};

// NPUs around one ideal switch, as flows model it. Also the topology for code that only needs the
// number of nodes of a job.
Topology switch_topology(int nodes, std::uint64_t clock_hz, std::uint64_t bytes_per_second,
                         std::uint64_t latency_ps);

// `nodes` outlives it.
JobOfStrategy job_of(ModelJob job, const Topology& nodes);
JobOfStrategy job_of(TextWorkload workload, std::string path, const Topology& nodes);

}  // namespace fredsim
