// SPDX-License-Identifier: Apache-2.0
// ASTRA-sim's text workloads as a task graph, on all NPUs of a machine.
//
// An iteration is a forward pass and a backward pass, a layer after the other. Forward: the layer's
//   weights of the iteration before are
//   waited for, then it computes and communicates, and the next layer waits for both. Backward,
//   from the last layer: gradient of the
//   input, and its communication; gradient of the weights meanwhile, and theirs, for which nobody
//   waits but the update before the layer's next forward pass. Of types that are data-parallel the
//   gradient of the weights comes first.
// Communication of activations, and of gradients of inputs, is along groups of MP NPUs that share
//   the model, that of gradients of weights along the groups across those:
//   DATA: MP is 1. MODEL and DISTRIBUTED_INFERENCE (forward passes alone): all NPUs.
//   HYBRID_TRANSFORMER…, HYBRID_MODEL_DATA: MP NPUs
//   that follow each other; HYBRID_DATA_MODEL: MP NPUs that are NPUs / MP apart. HYBRID_CUSTOMIZED:
//   by layer, as said before. HYBRID_DLRM…: data-parallel, but for the first layer, whose
//   all-to-alls are of all NPUs; layers up to the last one of the bottom
//   MLP do not wait for it. MICRO: the gradient of the weights alone, over all NPUs, and waited
//   for.
// FWD_IN_BCKWD: before the gradients of a layer of `checkpoint_initiates` the layers from the last
//   checkpoint up to it run forward again.
// Errors: BadInput where MP is neither in the file nor given, does not divide the NPUs, or is given
//   where the type says it.
#pragma once

#include <string>

#include "topology/topology.h"
#include "workload/task_graph.h"
#include "workload_files/text_workload.h"

namespace fredsim {

struct TextGraphOptions {
  int mp = 0;  // NPUs that share the model, in place of what the file says; 0: as it says
  int iterations = 2;
  std::string algorithm =
      "auto";  // algorithm of all collectives that it has (CollectiveSpec), the others take `auto`
};

// As a report names `algorithm`: behind it the collectives of the workload that it does not have.
std::string text_algorithms(const TextWorkload& workload, const std::string& algorithm);

// `path`: of the file, for messages.
TaskGraph text_graph(const TextWorkload& workload, const std::string& path,
                     const TextGraphOptions& options, const Topology& topology);

}  // namespace fredsim
