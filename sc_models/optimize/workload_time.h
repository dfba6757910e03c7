// SPDX-License-Identifier: Apache-2.0
// Time of a training iteration as a function of the bandwidth of each dimension of a system
// (optimize/time_model.h).
//
// Text workloads: layer by layer as LIBRA has it, forward pass, gradient of the input, gradient of
//   the weights, each a computation and
//   a collective. Serial: one after the other. Overlap: in the backward pass the collective of the
//   input's gradient goes on beside
//   the gradient of the weights and its collective; the next layer waits for both. No pass runs
//   again (checkpoints), and no update takes time.
// Models: compute, along MP an all-reduce per layer that reduces and pass, along DP one of all
//   parameters of a worker; stages of PP take as long as 1 / PP of the model, (microbatches + PP -
//   1) times a microbatch, and send activations between them over every dimension that they have.
//   Overlap: the all-reduce along DP goes on beside the backward pass. MP workers follow each
//   other, then PP, then DP.
// Errors: those of text_model_group(), group_extents() and dimension_bytes().
// Source: src/model/model_no_overlap_fwd_in_bckwd.py and model_overlap_fwd_in_bckwd.py of
//   willjwon/topology-bw-optimizer, branch sc22-artifact.
#pragma once

#include <string>
#include <vector>

#include "optimize/time_model.h"
#include "workload/training_options.h"
#include "workload_files/text_workload.h"

namespace fredsim {

// Dimensions of a system, lowest first; its name is for messages.
struct SystemSizes {
  std::string name{};
  std::vector<int> sizes{};
  int npus() const;
};

// `mp`: in place of what the file says; 0: as it says.
TimeModel text_time(const TextWorkload& workload, const std::string& path, int mp,
                    Accounting accounting, const SystemSizes& system);

// Options in use: strategy, minibatch, microbatches, accounting.
TimeModel model_time(const ModelShape& model, const TrainingOptions& options,
                     const ComputeSpeed& speed, const SystemSizes& system);

// One collective over all NPUs.
TimeModel collective_time(Collective collective, double bytes, const SystemSizes& system);

}  // namespace fredsim
