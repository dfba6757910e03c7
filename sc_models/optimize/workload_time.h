// SPDX-License-Identifier: Apache-2.0
// Time of a training iteration as a function of the bandwidth of each dimension of a system
// (optimize/time_model.h).
//
// Text workloads: layer by layer as in LIBRA: forward pass, input gradient and weight gradient,
//   each a computation and a collective. Serial: one after the other. Overlap: in the backward pass
//   the collective of the input gradient overlaps the weight gradient and its collective; the next
//   layer waits for both. There is no recomputation (checkpoints), and updates take no time.
// Models: computation; an all-reduce along MP per pass of each layer that `reduces`; and an
//   all-reduce along DP of all parameters of a worker. Each of the PP stages takes 1 / PP of the
//   time of the model, the pipeline takes (microbatches + PP - 1) times a microbatch, and stages
//   send activations to each other over every dimension that the stages span. Overlap: the
//   all-reduce along DP overlaps the backward pass. Order of workers: MP fastest, then PP, then DP.
// Errors: from text_layout(), group_extents() and dimension_bytes().
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

// `mp`: replaces the file's; 0: as in the file.
TimeModel text_time(const TextWorkload& workload, const std::string& path, int mp,
                    Accounting accounting, const SystemSizes& system);

// Options in use: strategy, minibatch, microbatches, accounting.
TimeModel model_time(const ModelShape& model, const TrainingOptions& options,
                     const ComputeSpeed& speed, const SystemSizes& system);

// One collective over all NPUs.
TimeModel collective_time(Collective collective, double bytes, const SystemSizes& system);

}  // namespace fredsim
