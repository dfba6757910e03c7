// SPDX-License-Identifier: Apache-2.0
// Ring attention of a worker with a share of the tokens: its computations in each step, while the
// workers pass keys and values around a ring (sequence_split.h).
//
// Step 0 has the worker's own tokens, step k the tokens of the worker k places before it. Only
//   query-key pairs that a causal mask leaves are counted. Chunks are assigned to workers such that
//   all workers have equally many pairs in a step: half of all pairs of its two blocks, in every
//   step but the first.
// Training: the time of a half's pass is split by FLOPs over projections and steps. Models count
//   every pair, masked ones included, as their sources do: the share of a step in the time of
//   attention is its share of the unmasked pairs.
// Inference: each part by roofline; a step reads a whole block of keys and values and all own
//   queries.
#pragma once

#include <cstdint>

#include "workload/compute_time.h"
#include "workload/model_shape.h"
#include "workload/transformer_shape.h"

namespace fredsim {

// Part of a half of a layer that is computed at once.
struct HalfPart {
  enum class Kind : std::uint8_t {
    kAll,
    kInputs,   // attention: projections to queries, keys and values
    kStep,     // attention: a step of the ring
    kOutputs,  // attention: the projection of its output
    // Backward pass without a ring: gradients of the input, gradients of weights.
    kInputGradients,
    kWeightGradients,
  };
  Kind kind = Kind::kAll;
  int step = 0;
  Pass pass = Pass::kForward;  // forward in a backward pass: computed again
};

// Bytes of keys and values of a sample that a worker passes on in a step, `value_bytes` each.
// `model`: the part of a worker.
std::uint64_t block_bytes(const ModelShape& model, int mp, double value_bytes);

// Query-key pairs of a worker with `tokens` tokens of a sequence.
double ring_pairs(std::uint64_t tokens, int step);

// Share of a part in the time of a half's pass. `l`: layer of the worker's part of a model.
double half_share(const ModelShape& model, int l, const HalfPart& part, Pass pass,
                  Recompute recompute);

// Prefill time of attention with a ring. `work`: of a worker.
double ring_attention_ps(const ComputeSpeed& speed, const TransformerShape& shape,
                         const InferenceWork& work, int mp, const HalfPart& part);

}  // namespace fredsim
