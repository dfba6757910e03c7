// SPDX-License-Identifier: Apache-2.0
// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1): keys and values of all
// heads are made from `kv_rank` values of a token, which the cache holds with `rope_size` values of
// its position.
//
// Shapes: of each token, hidden to q_rank to heads × (head_size + rope_size) for queries, hidden to
//   kv_rank + rope_size, kv_rank to heads × 2 × head_size, heads × head_size to hidden. Workers
//   along MP have whole heads; what leads to the latent values, and the cache, is on each of them.
// Prefill makes keys and values of every token. Decode multiplies queries and sums by the matrices
//   that would make them (absorbed), so that an NPU reads the latent values once for all of its
//   heads.
// Units: parameters; picoseconds, by roofline, part after part (workload/transformer_shape.h).
#pragma once

#include <cstdint>

#include "workload/transformer_shape.h"

namespace fredsim {

bool has_latent_attention(const TransformerShape& shape);
std::uint64_t latent_attention_parameters(const TransformerShape& shape, int mp);
// Times of the parts of attention. Keys and values are computed from the latent ones as part of
// attention itself, again for each block of a ring.
AttentionTimes latent_attention_times(const ComputeSpeed& speed, const TransformerShape& shape,
                                      const InferenceWork& work, int mp);

}  // namespace fredsim
