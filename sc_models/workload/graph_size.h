// SPDX-License-Identifier: Apache-2.0
// Estimate of the size of a task graph before it is built: a model with billions of parameters in
// small buckets has more tasks than a machine has memory for, and takes minutes to build.
//
// Tasks and operations: counts of training_graph() and inference_graph() for the same options,
// within a few per cent (exact but for the weights and input that I/O controllers send). Bytes:
// peak heap size, growing vectors included, within a factor of two
// (tests/workload/graph_size_test.cpp).
#pragma once

#include <cstdint>

#include "workload/inference_graph.h"
#include "workload/training_options.h"

namespace fredsim {

struct GraphSize {
  std::uint64_t tasks = 0;         // tasks of all ranks
  std::uint64_t dependencies = 0;  // dependencies on other tasks, approximate
  std::uint64_t operations = 0;
  std::uint64_t parts = 0;  // groups of all operations
};

GraphSize training_graph_size(const ModelShape& model, const TrainingOptions& options,
                              const Topology& topology);
GraphSize inference_graph_size(const TransformerShape& shape, const InferenceOptions& options);

std::uint64_t graph_bytes(const GraphSize& size);
std::uint64_t graph_run_bytes(const GraphSize& size);  // memory of a run beside the graph

}  // namespace fredsim
