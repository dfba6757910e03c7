// SPDX-License-Identifier: Apache-2.0
#include "workload/transformer_shape.h"

#include <fmt/format.h>

#include <utility>

#include "workload/detail/expert_time.h"
#include "workload/detail/latent_attention.h"

namespace fredsim {
namespace {

std::uint64_t share(std::uint64_t all, int mp) { return share_of_workers(all, mp); }

// Parameters of a worker.
struct Weights {
  std::uint64_t qkv = 0, out = 0, up = 0, down = 0;
};

Weights weights_of(const TransformerShape& s, int mp) {
  const std::uint64_t heads = share(s.heads, mp) + 2 * share(s.kv_heads, mp);
  const std::uint64_t width = share(s.mlp, mp);
  return {.qkv = s.hidden * s.head_size * heads,
          .out = s.hidden * s.head_size * share(s.heads, mp),
          .up = (s.mlp_matrices - 1) * s.hidden * width,
          .down = s.hidden * width};
}

}  // namespace

std::uint64_t share_of_workers(std::uint64_t all, int workers) {
  return (all + static_cast<std::uint64_t>(workers) - 1) / static_cast<std::uint64_t>(workers);
}

double attended_pairs(const InferenceWork& work) {
  const auto own = static_cast<double>(work.tokens);
  return static_cast<double>(work.sequences) *
         (work.pairs > 0 ? work.pairs
                         : own * static_cast<double>(work.context) + own * (own + 1) / 2);
}

double product_ps(const ComputeSpeed& speed, std::uint64_t parameters, std::uint64_t tokens,
                  std::uint64_t in, std::uint64_t out, std::uint64_t kv) {
  const auto flops = 2 * static_cast<double>(parameters) * static_cast<double>(tokens);
  const ValueBytes& values = speed.npu.value_bytes;
  const double vectors =
      static_cast<double>(in + out) * values.activations + static_cast<double>(kv) * values.kv;
  return roofline_ps(
      speed, flops,
      {static_cast<double>(parameters) * values.weights + static_cast<double>(tokens) * vectors});
}

double attention_core_ps(const ComputeSpeed& speed, double flops, double cached,
                         double activations) {
  const ValueBytes& values = speed.npu.value_bytes;
  return roofline_ps(speed, flops, {cached * values.kv + activations * values.activations});
}

ModelShape model_of(std::string name, const TransformerShape& s) {
  const Weights weights = weights_of(s, 1);
  const std::uint64_t attention = attention_parameters(s, 1);
  const auto tokens = static_cast<double>(s.sequence);
  const auto flops = [tokens](std::uint64_t parameters) {
    return 2 * tokens * static_cast<double>(parameters);
  };
  ModelShape model{.name = std::move(name),
                   .sample_bytes = s.sequence * kTokenBytes,
                   .layers = {},
                   .transformer = s};
  std::vector<ModelLayer>& layers = model.layers;
  for (int k = 0; k < s.layers; ++k) {
    ModelLayer half{.name = fmt::format("attention {}", k),
                    .parameters = attention,
                    .flops = flops(attention) + 2 * s.score_flops(),
                    .output_bytes = s.sequence * s.hidden * kValueBytes,
                    .reduces = true};
    layers.push_back(half);
    half.name = fmt::format("mlp {}", k);
    half.parameters = weights.up + weights.down;
    half.flops = flops(weights.up + weights.down);
    if (s.has_experts(k)) {
      half.name = fmt::format("experts {}", k);
      half.parameters = static_cast<std::uint64_t>(s.experts) * expert_parameters(s) +
                        common_expert_parameters(s);
      half.flops = flops(static_cast<std::uint64_t>(s.top_k) * expert_parameters(s) +
                         common_expert_parameters(s));
      half.reduces = false;
      half.expert_layer = k - s.dense_layers;
    }
    layers.push_back(std::move(half));
    set_kept(s, *(layers.end() - 2), layers.back());
  }
  return model;
}

AttentionTimes attention_times(const ComputeSpeed& speed, const TransformerShape& s,
                               const InferenceWork& work, int mp) {
  if (has_latent_attention(s)) return latent_attention_times(speed, s, work, mp);
  const Weights weights = weights_of(s, mp);
  const std::uint64_t queries = share(s.heads, mp) * s.head_size;
  const std::uint64_t keys = share(s.kv_heads, mp) * s.head_size;
  const std::uint64_t tokens = work.sequences * work.tokens;
  const auto sequences = static_cast<double>(work.sequences);
  // Two products per pair, of 2 FLOPs per value.
  const double flops = 4 * attended_pairs(work) * static_cast<double>(queries);
  const double cached =
      sequences * static_cast<double>(work.context + work.tokens) * 2 * static_cast<double>(keys);
  return {product_ps(speed, weights.qkv, tokens, s.hidden, queries, 2 * keys),
          attention_core_ps(speed, flops, cached, static_cast<double>(tokens * 2 * queries)),
          product_ps(speed, weights.out, tokens, queries, s.hidden)};
}

double attention_ps(const ComputeSpeed& speed, const TransformerShape& s, const InferenceWork& work,
                    int mp) {
  const AttentionTimes times = attention_times(speed, s, work, mp);
  return times.inputs_ps + times.scores_ps + times.output_ps;
}

double mlp_ps(const ComputeSpeed& speed, const TransformerShape& s, const InferenceWork& work,
              int mp) {
  const Weights weights = weights_of(s, mp);
  const std::uint64_t tokens = work.sequences * work.tokens;
  const std::uint64_t width = share(s.mlp, mp);
  return product_ps(speed, weights.up, tokens, s.hidden, width) +
         product_ps(speed, weights.down, tokens, width, s.hidden);
}

double head_ps(const ComputeSpeed& speed, const TransformerShape& s, const InferenceWork& work,
               int mp) {
  const std::uint64_t own = share(s.vocabulary, mp);
  return product_ps(speed, own * s.hidden, work.sequences, s.hidden, own);
}

std::uint64_t attention_parameters(const TransformerShape& s, int mp) {
  if (has_latent_attention(s)) return latent_attention_parameters(s, mp);
  const Weights weights = weights_of(s, mp);
  return weights.qkv + weights.out;
}

std::uint64_t layer_weight_bytes(const TransformerShape& s, int mp, const ValueBytes& values) {
  const Weights weights = weights_of(s, mp);
  return bytes_of(static_cast<double>(attention_parameters(s, mp) + weights.up + weights.down),
                  values.weights);
}

std::uint64_t vocabulary_bytes(const TransformerShape& s, int mp, const ValueBytes& values) {
  return bytes_of(static_cast<double>(share(s.vocabulary, mp) * s.hidden), values.weights);
}

std::uint64_t kv_bytes(const TransformerShape& s, int mp, const ValueBytes& values) {
  const std::uint64_t own =
      has_latent_attention(s) ? s.kv_rank + s.rope_size : 2 * share(s.kv_heads, mp) * s.head_size;
  return bytes_of(static_cast<double>(own), values.kv);
}

}  // namespace fredsim
