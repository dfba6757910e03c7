// SPDX-License-Identifier: Apache-2.0
// Task graph of the inference of a transformer: passes over all layers whose outputs are tokens.
//
// Phases: prefill reads prompts of `context` tokens and generates the first token of each sequence;
//   decode generates one token per step and sequence, with `context` earlier tokens in the KV
//   cache, one more after each step.
// Workers: MP x DP x PP as in training (workload/training_graph.h); `batch` sequences over all
//   replicas, a replica's sequences in microbatches that follow each other through the stages.
//   Stages have whole layers, in numbers as equal as possible.
// Overlap: of several microbatches that share the NPUs of a stage, one computes while another
//   communicates, as serving systems hide dispatch and combine (DeepSeek-V3 with two, section 3.4
//   of arXiv 2412.19437). They take turns, half a layer each: an NPU computes for one until its
//   next communication, then for the next one, in a fixed order that is the same on all NPUs of the
//   stage. Weights are read once for each.
// Traffic: two all-reduces per layer along MP, of sequences x tokens x hidden activations; between
//   stages MP worker 0 multicasts as many bytes to all MP workers of the next stage, and only they
//   wait for it. In decode the last stage multicasts its tokens to the first, 4 bytes per sequence,
//   which begins its next step with them.
// Experts: in expert layers dispatch and combine (workload/worker_graph.h) replace the second
//   all-reduce, followed by an all-gather along MP, whose workers have a share of the tokens each.
// Time: workload/transformer_shape.h. The last stage also computes logits, of each sequence's last
//   token. Choosing tokens from them takes no time and sends nothing: an idealisation.
// Memory of an NPU: its stage's weights, embedding and head at the ends, and the KV cache of all
//   its sequences until the last step.
// Errors: BadInput for strategies and batches that do not fit the machine or model, and for data
//   that does not fit the memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/parallelism.h"
#include "topology/topology.h"
#include "workload/expert_layers.h"
#include "workload/task_graph.h"
#include "workload/transformer_shape.h"

namespace fredsim {

enum class InferencePhase : std::uint8_t { kPrefill, kDecode };

struct InferenceOptions {
  InferencePhase phase = InferencePhase::kDecode;
  Strategy strategy{};
  SequenceSplit split{};                 // contexts are in strategy.dp
  std::vector<int> npus{};               // by worker; empty: the paper's placement
  std::uint64_t batch = 1, context = 1;  // sequences, tokens
  std::uint64_t microbatches = 1;
  int overlap = 1;  // microbatches that share the NPUs of a stage, which divides them
  int steps = 1;
  std::string algorithm = "auto";
  ExpertOptions experts{};
};

// `routing`: if given, filled with the tokens that experts took and dropped.
TaskGraph inference_graph(const std::string& name, const TransformerShape& shape,
                          const InferenceOptions& options, const ComputeSpeed& speed,
                          const Topology& topology, ExpertRouting* routing = nullptr);

}  // namespace fredsim
