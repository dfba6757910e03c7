// SPDX-License-Identifier: Apache-2.0
// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1): keys and values of all
// heads are computed from `kv_rank` latent values per token. The cache holds these, and `rope_size`
// values for the position of the token.
//
// Shapes, per token: queries, hidden to q_rank to heads × (head_size + rope_size); latent values,
//   hidden to kv_rank + rope_size; keys and values, kv_rank to heads × 2 × head_size; output, heads
//   × head_size to hidden. Heads are divided over the workers along MP, whole heads each. The
//   matrices that produce the latent values, and the cache, are on every worker.
// Prefill computes the keys and values of every token. Decode does not: it multiplies queries and
//   sums by the matrices instead (absorbed), so that an NPU reads the latent values once for all of
//   its heads.
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
