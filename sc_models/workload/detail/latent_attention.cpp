// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/latent_attention.h"

namespace fredsim {
namespace {

// Parameters of a worker's matrices.
struct LatentWeights {
  std::uint64_t heads = 0, query = 0;
  std::uint64_t q_down = 0, q_up = 0, kv_down = 0, kv_up = 0, out = 0;
};

LatentWeights latent_weights(const TransformerShape& s, int mp) {
  const std::uint64_t heads = share_of_workers(s.heads, mp);
  const std::uint64_t query = heads * (s.head_size + s.rope_size);
  const std::uint64_t from = s.q_rank > 0 ? s.q_rank : s.hidden;
  return {.heads = heads,
          .query = query,
          .q_down = s.hidden * s.q_rank,
          .q_up = from * query,
          .kv_down = s.hidden * (s.kv_rank + s.rope_size),
          .kv_up = s.kv_rank * heads * 2 * s.head_size,
          .out = s.hidden * heads * s.head_size};
}

}  // namespace

bool has_latent_attention(const TransformerShape& shape) { return shape.kv_rank > 0; }

std::uint64_t latent_attention_parameters(const TransformerShape& shape, int mp) {
  const LatentWeights w = latent_weights(shape, mp);
  return w.q_down + w.q_up + w.kv_down + w.kv_up + w.out;
}

AttentionTimes latent_attention_times(const ComputeSpeed& speed, const TransformerShape& s,
                                      const InferenceWork& work, int mp) {
  const LatentWeights w = latent_weights(s, mp);
  const std::uint64_t tokens = work.sequences * work.tokens;
  const std::uint64_t values = w.heads * s.head_size, latent = s.kv_rank + s.rope_size;
  const std::uint64_t from = s.q_rank > 0 ? s.q_rank : s.hidden;
  AttentionTimes times{.inputs_ps = product_ps(speed, w.q_up, tokens, from, w.query) +
                                    product_ps(speed, w.kv_down, tokens, s.hidden, 0, latent),
                       .output_ps = product_ps(speed, w.out, tokens, values, s.hidden)};
  if (s.q_rank > 0) times.inputs_ps += product_ps(speed, w.q_down, tokens, s.hidden, s.q_rank);
  const double pairs = attended_pairs(work);
  const auto heads = static_cast<double>(w.heads);
  if (work.context == 0) {  // a prompt
    const double size = 2 * static_cast<double>(s.head_size) + static_cast<double>(s.rope_size);
    times.scores_ps = product_ps(speed, w.kv_up, tokens, s.kv_rank, 2 * values) +
                      attention_core_ps(speed, 2 * pairs * heads * size, 0,
                                        2 * static_cast<double>(tokens) * heads * size);
    return times;
  }
  // One half of the matrix for queries, the other for sums.
  const std::uint64_t absorbed = w.heads * s.kv_rank;
  const auto cached = static_cast<double>(work.sequences) *
                      static_cast<double>(work.context + work.tokens) * static_cast<double>(latent);
  times.scores_ps =
      product_ps(speed, w.kv_up / 2, tokens, values, absorbed) +
      product_ps(speed, w.kv_up / 2, tokens, absorbed, values) +
      attention_core_ps(
          speed, 2 * pairs * heads * static_cast<double>(latent + s.kv_rank), cached,
          static_cast<double>(tokens) * heads * static_cast<double>(latent + s.kv_rank));
  return times;
}

}  // namespace fredsim
