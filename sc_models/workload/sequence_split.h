// SPDX-License-Identifier: Apache-2.0
// Sequences of samples over several workers, within a layer: sequence parallelism and context
// parallelism.
//
// Sequence parallelism (Korthikanti et al., "Reducing Activation Recomputation in Large Transformer
//   Models", MLSys 2023): between the halves of a transformer's layer each of the MP workers has
//   the activations of its share of the tokens, as norms and dropout need no more.
// Context parallelism (Liu et al., "Ring Attention with Blockwise Transformers", ICLR 2024): all
//   layers have a share of the tokens on each of `cp` workers, whose keys and values go round a
//   ring. Of 2 cp chunks worker i has chunks i and 2 cp - 1 - i, so that all compute as much under
//   a causal mask.
// Workers: those of a context are consecutive along DP, which counts them: Strategy::dp = replicas
//   x cp. Gradients are reduced along both.
// Errors: BadInput for models that are no transformers by their numbers, and for tokens that do not
//   divide.
#pragma once

#include <cstdint>
#include <string>

#include "plan/parallelism.h"
#include "workload/model_shape.h"

namespace fredsim {

// "mp2-dp5-pp2", with contexts "mp2-cp5-dp1-pp2".
std::string to_string(const Strategy& strategy, const SequenceSplit& split);

// `tokens`: those that go through a layer together, of which whole ones are on each worker.
void check_split_tokens(const SequenceSplit& split, const Strategy& strategy, std::uint64_t tokens);

// The part of a model that a CP worker has: layers, outputs and what is kept are those of its
// tokens; with sequence parallelism all that is kept is shared by the MP workers.
ModelShape part_of_model(ModelShape model, const Strategy& strategy, const SequenceSplit& split);

}  // namespace fredsim
