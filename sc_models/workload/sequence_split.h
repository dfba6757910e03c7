// SPDX-License-Identifier: Apache-2.0
// Split of sequences over several workers within a layer: sequence parallelism and context
// parallelism.
//
// Sequence parallelism (Korthikanti et al., "Reducing Activation Recomputation in Large Transformer
//   Models", MLSys 2023): between the halves of a transformer's layer each of the MP workers has
//   the activations of its share of the tokens, as norms and dropout need no more.
// Context parallelism (Liu et al., "Ring Attention with Blockwise Transformers", ICLR 2024): in all
//   layers each of `cp` workers has a share of the tokens, and their keys and values go round a
//   ring. Of 2 cp chunks worker i has chunks i and 2 cp - 1 - i, so that the work under a causal
//   mask is equal.
// Workers: the workers of a context are consecutive along DP, which counts them: Strategy::dp =
//   replicas x cp. Gradients are reduced along both.
// Errors: BadInput for models that are not defined by the numbers of a transformer, and for tokens
//   that do not divide.
#pragma once

#include <cstdint>
#include <string>

#include "plan/parallelism.h"
#include "workload/model_shape.h"

namespace fredsim {

// Text of a split strategy: "mp2-dp5-pp2", with contexts "mp2-cp5-dp1-pp2".
std::string to_string(const Strategy& strategy, const SequenceSplit& split);

// Checks the split. `tokens`: tokens that go through a layer together; each worker needs a whole
// number.
void check_split_tokens(const SequenceSplit& split, const Strategy& strategy, std::uint64_t tokens);

// Part of a model on a CP worker: layers, outputs and kept bytes of its tokens; with sequence
// parallelism the MP workers share all kept bytes.
ModelShape part_of_model(ModelShape model, const Strategy& strategy, const SequenceSplit& split);

}  // namespace fredsim
