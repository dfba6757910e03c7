// SPDX-License-Identifier: Apache-2.0
#include "workload/model_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/error.h"
#include "base/key_reader.h"
#include "base/units.h"
#include "workload/transformer_shape.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kMaxLayers = 10'000;
constexpr double kMaxParameters = std::uint64_t{1} << 44;
constexpr double kMaxFlops = 1e21;
constexpr double kMaxWidth = 1 << 20;
constexpr double kMaxExperts = 1 << 12;
constexpr double kGated = 3;  // matrices of an MLP

constexpr auto kModelKeys = std::to_array<FileKey>({
    {.path = "name", .meaning = "name of the model, in results", .holds = Holds::kText},
    {.path = "sample",
     .meaning = "size of the input of a sample",
     .unit = "size",
     .aliases = "input sample_bytes",
     .instead = "transformer"},
    {.path = "layers",
     .meaning = "layers in the order of the forward pass; numbers are per sample",
     .holds = Holds::kList,
     .instead = "transformer",
     .form = "list of layers, each with '- ' and keys"},
    {"layers.name", "name of the layer; default: `layer N`", Holds::kText, "", true},
    {.path = "layers.parameters",
     .meaning = "number of parameters; gradients have as many values, of 2 bytes",
     .holds = Holds::kNumber,
     .max = kMaxParameters,
     .aliases = "params weights",
     .form = ", such as 118e6"},
    {.path = "layers.flops",
     .meaning = "operations of the forward pass; a multiply-add counts as two. The backward pass "
                "has twice as many",
     .holds = Holds::kNumber,
     .max = kMaxFlops,
     .aliases = "flop compute operations",
     .form = ", such as 118e6"},
    {.path = "layers.output",
     .meaning = "size of the activations passed to the next layer; gradients on the way back have "
                "the same size",
     .unit = "size",
     .aliases = "activations output_bytes"},
    {.path = "layers.reduces",
     .meaning = "true: with --mp above 1, workers all-reduce the output, and in the backward pass "
                "the gradient of the input",
     .holds = Holds::kBoolean,
     .default_value = "false",
     .aliases = "all_reduce reduce"},
    {.path = "layers.repeat",
     .meaning = "number of copies of the layer, one after the other",
     .holds = Holds::kInteger,
     .default_value = "1",
     .min = 1,
     .max = kMaxLayers,
     .aliases = "count times"},
    {.path = "layers.forward",
     .meaning = "time of the forward pass of a microbatch on one worker; replaces the time "
                "computed from the FLOPs",
     .is_optional = true,
     .unit = "time"},
    {.path = "layers.backward",
     .meaning = "time of the backward pass of a microbatch on one worker; replaces the time "
                "computed from the FLOPs",
     .is_optional = true,
     .unit = "time"},
    {.path = "transformer",
     .meaning = "shape of a transformer; replaces `sample` and `layers`",
     .holds = Holds::kKeys,
     .is_optional = true},
    {.path = "transformer.layers",
     .meaning = "number of layers, each an attention and an MLP",
     .holds = Holds::kInteger,
     .min = 1,
     .max = kMaxLayers / 2,
     .aliases = "num_hidden_layers num_layers n_layer"},
    {.path = "transformer.hidden",
     .meaning = "values per token between layers",
     .holds = Holds::kInteger,
     .min = 1,
     .max = kMaxWidth,
     .aliases = "hidden_size d_model n_embd"},
    {.path = "transformer.heads",
     .meaning = "query heads of the attention",
     .holds = Holds::kInteger,
     .min = 1,
     .max = kMaxWidth,
     .aliases = "num_attention_heads n_head"},
    {.path = "transformer.kv_heads",
     .meaning = "key and value heads, a divisor of heads; default: heads",
     .holds = Holds::kInteger,
     .is_optional = true,
     .min = 1,
     .max = kMaxWidth,
     .aliases = "num_key_value_heads num_kv_heads",
     .instead = "kv_rank"},
    {.path = "transformer.head_size",
     .meaning = "values per head; default: hidden / heads",
     .holds = Holds::kInteger,
     .is_optional = true,
     .min = 1,
     .max = kMaxWidth,
     .aliases = "head_dim"},
    {.path = "transformer.mlp",
     .meaning = "values inside the MLP",
     .holds = Holds::kInteger,
     .min = 1,
     .max = kMaxWidth,
     .aliases = "intermediate_size ffn_hidden_size d_ff"},
    {.path = "transformer.mlp_matrices",
     .meaning = "matrices of hidden x mlp in an MLP: 2, or 3 for a gated MLP (SwiGLU)",
     .holds = Holds::kInteger,
     .default_value = "2",
     .min = 2,
     .max = kGated},
    {.path = "transformer.vocabulary",
     .meaning = "words of the vocabulary, for the embedding and the output head",
     .holds = Holds::kInteger,
     .min = 1,
     .max = kMaxWidth,
     .aliases = "vocab_size vocab"},
    {.path = "transformer.sequence",
     .meaning = "tokens per sample in training; inference uses --context",
     .holds = Holds::kInteger,
     .min = 1,
     .max = kMaxWidth,
     .aliases = "sequence_length seq_len max_position_embeddings"},
    {.path = "transformer.kv_rank",
     .meaning = "latent attention (MLA): values per token in the KV cache, from which the keys and "
                "values of all heads are computed",
     .holds = Holds::kInteger,
     .is_optional = true,
     .min = 1,
     .max = kMaxWidth,
     .aliases = "kv_lora_rank"},
    {.path = "transformer.rope_size",
     .meaning = "latent attention: values of a key that carry the position",
     .holds = Holds::kInteger,
     .default_value = "0",
     .max = kMaxWidth,
     .aliases = "qk_rope_head_dim",
     .with = "kv_rank"},
    {.path = "transformer.q_rank",
     .meaning = "latent attention: values per token from which the queries are computed; 0: the "
                "hidden values",
     .holds = Holds::kInteger,
     .default_value = "0",
     .max = kMaxWidth,
     .aliases = "q_lora_rank",
     .with = "kv_rank"},
    {.path = "transformer.experts",
     .meaning = "routed experts per layer; default: no experts",
     .holds = Holds::kInteger,
     .is_optional = true,
     .min = 1,
     .max = kMaxExperts,
     .aliases = "num_experts num_local_experts n_routed_experts"},
    {.path = "transformer.top_k",
     .meaning = "routed experts per token, at most all; required with experts",
     .holds = Holds::kInteger,
     .is_optional = true,
     .min = 1,
     .max = kMaxExperts,
     .aliases = "num_experts_per_tok",
     .with = "experts"},
    {.path = "transformer.expert_mlp",
     .meaning = "values inside the MLP of an expert; default: mlp",
     .holds = Holds::kInteger,
     .is_optional = true,
     .min = 1,
     .max = kMaxWidth,
     .aliases = "moe_intermediate_size",
     .with = "experts"},
    {.path = "transformer.shared_experts",
     .meaning = "experts that process every token",
     .holds = Holds::kInteger,
     .default_value = "0",
     .max = kMaxExperts,
     .aliases = "n_shared_experts num_shared_experts",
     .with = "experts"},
    {.path = "transformer.dense_layers",
     .meaning =
         "number of layers without experts, at the beginning of the model; fewer than all layers",
     .holds = Holds::kInteger,
     .default_value = "0",
     .max = kMaxLayers / 2 - 1,
     .aliases = "first_k_dense_replace",
     .with = "experts"},
});

ModelLayer layer_of(const KeyReader& keys, std::size_t number) {
  const double parameters = keys.number("parameters");
  if (parameters != std::floor(parameters))
    throw BadInput(fmt::format("{}: found '{}'; allowed: a whole number", keys.label("parameters"),
                               keys.text("parameters")));
  const bool is_named = keys.has("name");
  return {.name = is_named ? keys.text("name") : fmt::format("layer {}", number),
          .parameters = static_cast<std::uint64_t>(parameters),
          .flops = keys.number("flops"),
          .output_bytes = keys.size("output"),
          .reduces = keys.flag("reduces"),
          .forward_ps = keys.has("forward") ? keys.time_ps("forward") : 0,
          .backward_ps = keys.has("backward") ? keys.time_ps("backward") : 0};
}

void read_latent_attention(const KeyReader& keys, TransformerShape& shape) {
  if (!keys.has("kv_rank")) return;
  shape.kv_rank = keys.whole("kv_rank");
  if (keys.has("rope_size")) shape.rope_size = keys.whole("rope_size");
  shape.q_rank = keys.whole("q_rank");
}

void read_experts(const KeyReader& keys, TransformerShape& shape) {
  if (!keys.has("experts")) return;
  shape.experts = static_cast<int>(keys.whole("experts"));
  shape.top_k = static_cast<int>(keys.whole("top_k"));
  if (shape.top_k > shape.experts)
    throw BadInput(fmt::format("{}: found {}; allowed: at most {}, the experts",
                               keys.label("top_k"), shape.top_k, shape.experts));
  shape.expert_mlp = keys.has("expert_mlp") ? keys.whole("expert_mlp") : shape.mlp;
  shape.shared_experts = static_cast<int>(keys.whole("shared_experts"));
  if (keys.has("dense_layers"))
    shape.dense_layers =
        static_cast<int>(parse_number(keys.text("dense_layers"), keys.label("dense_layers"), 0,
                                      static_cast<std::uint64_t>(shape.layers) - 1));
}

TransformerShape transformer_of(const KeyReader& keys) {
  keys.check_together();
  TransformerShape shape;
  shape.layers = static_cast<int>(keys.whole("layers"));
  shape.hidden = keys.whole("hidden");
  shape.heads = keys.whole("heads");
  shape.kv_heads = keys.has("kv_heads") ? keys.whole("kv_heads", shape.heads) : shape.heads;
  if (shape.heads % shape.kv_heads != 0)
    throw BadInput(fmt::format("{}: found {}; allowed: a divisor of the {} heads",
                               keys.label("kv_heads"), shape.kv_heads, shape.heads));
  if (!keys.has("head_size") && shape.hidden % shape.heads != 0)
    throw BadInput(
        fmt::format("{}: found {}, which {} heads do not divide; allowed: together with "
                    "head_size",
                    keys.label("hidden"), shape.hidden, shape.heads));
  shape.head_size = keys.has("head_size") ? keys.whole("head_size") : shape.hidden / shape.heads;
  shape.mlp = keys.whole("mlp");
  shape.mlp_matrices = keys.whole("mlp_matrices");
  shape.vocabulary = keys.whole("vocabulary");
  shape.sequence = keys.whole("sequence");
  read_latent_attention(keys, shape);
  read_experts(keys, shape);
  return shape;
}

}  // namespace

const FileKeys& model_file_keys() {
  static constexpr FileKeys kFile{.name = "model",
                                  .title = "model files",
                                  .given = "`fredsim train --workload FILE`",
                                  .source = "sc_models/workload/model_file.cpp",
                                  .keys = kModelKeys};
  return kFile;
}

ModelShape read_model_file(const std::string& path) {
  const ConfigNode root = read_config_file(path);
  const KeyReader model(root, model_file_keys());
  model.check_together();
  if (model.has("transformer"))
    return model_of(model.text("name"), transformer_of(model.map("transformer")));
  ModelShape shape{.name = model.text("name"),
                   .sample_bytes = model.size("sample"),
                   .layers = {},
                   .states_sizes = true};
  for (const KeyReader& keys : model.list("layers")) {
    const std::uint64_t repeat = keys.whole("repeat");
    const ModelLayer layer = layer_of(keys, shape.layers.size());
    if (shape.layers.size() + repeat > kMaxLayers)
      throw BadInput(fmt::format("{}: found more than {} layers", path, kMaxLayers));
    for (std::uint64_t i = 0; i < repeat; ++i) {
      shape.layers.push_back(layer);
      if (repeat > 1) shape.layers.back().name += fmt::format(" {}", i);
    }
  }
  return shape;
}

}  // namespace fredsim
