// SPDX-License-Identifier: Apache-2.0
// Task graph of ASTRA-sim's text workloads, on all NPUs of a machine.
//
// An iteration is a forward pass and a backward pass, layer by layer. Forward: a layer waits for
//   the update of its weights in the iteration before, then computes and communicates; the next
//   layer waits for both. Backward, from the last layer on: the gradient of the input, then its
//   communication; during this communication the gradient of the weights, then its communication,
//   for which only the update before the next forward pass of the layer waits. Data-parallel types
//   compute the gradient of the weights first.
// Communication of activations, and of gradients of inputs, is along groups of MP NPUs that share
//   the model; communication of gradients of weights is along the groups across them:
//   DATA: MP is 1. MODEL and DISTRIBUTED_INFERENCE (forward passes only): MP is all NPUs.
//   HYBRID_TRANSFORMER…, HYBRID_MODEL_DATA: groups of MP consecutive NPUs. HYBRID_DATA_MODEL:
//   groups of MP NPUs that are NPUs / MP apart. HYBRID_CUSTOMIZED: by the type of each layer.
//   HYBRID_DLRM…: data-parallel, except for the first layer, whose all-to-alls are over all NPUs;
//   layers up to the last layer of the bottom MLP do not wait for it. MICRO: only the gradient of
//   the weights, over all NPUs; the next layer waits for it.
// SimAI's words: groups by workload/text_groups.h, stages of a pipeline by
//   workload/text_pipeline.h. A collective with _EP or _DP_EP is on the groups of the experts, or of
//   their replicas, in any pass. `mode: 1`: forward passes only.
// FWD_IN_BCKWD: before the gradients of a layer in `checkpoint_initiates`, all layers from the last
//   checkpoint up to this layer repeat their forward pass.
// Errors: those of text_layout().
#pragma once

#include <string>

#include "topology/topology.h"
#include "workload/graph_size.h"
#include "workload/task_graph.h"
#include "workload_files/text_workload.h"

namespace fredsim {

struct TextGraphOptions {
  int mp = 0;  // NPUs that share the model, over the value in the file; 0: the value in the file
  int iterations = 2;
  std::string algorithm =
      "auto";  // algorithm of all collectives that have it (CollectiveSpec); others take `auto`
};

// Text of `algorithm` in reports: followed by the collectives of the workload that lack it.
std::string text_algorithms(const TextWorkload& workload, const std::string& algorithm);

// `path`: of the file, for messages.
TaskGraph text_graph(const TextWorkload& workload, const std::string& path,
                     const TextGraphOptions& options, const Topology& topology);

// Size of this graph, before it is there.
GraphSize text_graph_size(const TextWorkload& workload, const std::string& path,
                          const TextGraphOptions& options, const Topology& topology);

}  // namespace fredsim
