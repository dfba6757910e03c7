// SPDX-License-Identifier: Apache-2.0
// Parameters of an expert layer, and the compute times of its parts on a worker.
//
// The gate multiplies each token by hidden × experts. An expert is an MLP of `mlp_matrices`
//   matrices of hidden × expert_mlp; so is a shared expert, which is whole on every worker.
//   Roofline, part after part and expert after expert: each expert with tokens reads its weights
//   once.
// Units: parameters; picoseconds.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/transformer_shape.h"

namespace fredsim {

std::uint64_t expert_parameters(const TransformerShape& shape);  // one expert
// Parameters of the gate and shared experts.
std::uint64_t common_expert_parameters(const TransformerShape& shape);

double gate_ps(const ComputeSpeed& speed, const TransformerShape& shape, std::uint64_t tokens);
double shared_experts_ps(const ComputeSpeed& speed, const TransformerShape& shape,
                         std::uint64_t tokens);
// Time of a worker's experts. `tokens`: by expert of the worker.
double experts_ps(const ComputeSpeed& speed, const TransformerShape& shape,
                  const std::vector<std::uint64_t>& tokens);

}  // namespace fredsim
