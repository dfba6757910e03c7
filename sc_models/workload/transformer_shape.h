// SPDX-License-Identifier: Apache-2.0
// Derivation of layers and work from the numbers of a transformer: its layers for training, its
// work in inference.
//
// A layer: projections to queries, keys and values, attention, projection of its output; and an MLP
//   of `mlp_matrices` matrices of hidden x mlp (2; 3 where it is gated). `kv_heads` below `heads`:
//   grouped queries, which share keys and values.
//   Only matrices are counted: norms and biases are left out.
// Inference: a token with `context` earlier tokens attends to these and itself. An NPU has the
//   share of one of `mp` workers: whole heads (with a remainder, the largest share), and the keys
//   and values of every group that one of its heads is in. Time: roofline, part after part. Two
//   projections and the matrices of the MLP read their weights once; attention reads keys and
//   values of all tokens; activations are written to memory and read again between parts. Weights,
//   activations, and keys and values have the widths of the machine (npu.value_bytes).
// Units: bytes; tokens; picoseconds.
#pragma once

#include <cstdint>
#include <string>

#include "workload/compute_time.h"
#include "workload/model_shape.h"

namespace fredsim {

// Model whose layers are two halves each, both of which reduce. Embeddings are left out.
ModelShape model_of(std::string name, const TransformerShape& shape);

// Share of a worker, rounded up.
std::uint64_t share_of_workers(std::uint64_t all, int workers);

// Work of one pass: `tokens` of each of `sequences`, behind `context` earlier ones.
struct InferenceWork {
  std::uint64_t sequences = 0, tokens = 0, context = 0;
  double pairs =
      0;  // tokens of a sequence in attention; 0: each token attends to earlier ones and itself
};

// Number of pairs of a token and an attended token.
double attended_pairs(const InferenceWork& work);

// Time of a matrix times `tokens` vectors: `in` values per vector become `out`, and `kv` values go
// to the cache.
double product_ps(const ComputeSpeed& speed, std::uint64_t parameters, std::uint64_t tokens,
                  std::uint64_t in, std::uint64_t out, std::uint64_t kv = 0);
// Time of attention itself: values of the cache that it reads, and activations.
double attention_core_ps(const ComputeSpeed& speed, double flops, double cached,
                         double activations);
// Times of the parts of attention: projections, attention itself, the projection of its output.
struct AttentionTimes {
  double inputs_ps = 0, scores_ps = 0, output_ps = 0;
};
AttentionTimes attention_times(const ComputeSpeed& speed, const TransformerShape& shape,
                               const InferenceWork& work, int mp);

// Times on one of `mp` workers.
double attention_ps(const ComputeSpeed& speed, const TransformerShape& shape,
                    const InferenceWork& work, int mp);
double mlp_ps(const ComputeSpeed& speed, const TransformerShape& shape, const InferenceWork& work,
              int mp);
// Time of the logits of the last token of each sequence.
double head_ps(const ComputeSpeed& speed, const TransformerShape& shape, const InferenceWork& work,
               int mp);

std::uint64_t attention_parameters(const TransformerShape& shape, int mp);

// Weight bytes of a worker in a layer.
std::uint64_t layer_weight_bytes(const TransformerShape& shape, int mp,  // without experts
                                 const ValueBytes& values = {});
// Bytes of the embedding, or of the head, of a worker.
std::uint64_t vocabulary_bytes(const TransformerShape& shape, int mp,
                               const ValueBytes& values = {});
// Bytes of the KV cache per token and layer.
std::uint64_t kv_bytes(const TransformerShape& shape, int mp, const ValueBytes& values = {});

}  // namespace fredsim
