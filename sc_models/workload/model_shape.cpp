// SPDX-License-Identifier: Apache-2.0
#include "workload/model_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/suggest.h"

namespace fredsim {
namespace {

struct Transformer {
  std::string_view name;
  int layers;
  std::uint64_t hidden, sequence, heads;
};

constexpr std::array kTransformers{Transformer{"transformer_17b", 78, 4256, 1024, 28},
                                   Transformer{"gpt3", 96, 12288, 2048, 96},
                                   Transformer{"transformer_1t", 128, 25600, 2048, 160}};
constexpr std::uint64_t kVocabulary = 50257;
constexpr std::string_view kResNet = "resnet152";

ModelShape transformer(const Transformer& t) {
  ModelShape model{
      .name = std::string(t.name), .sample_bytes = t.sequence * kTokenBytes, .layers = {}};
  const std::uint64_t h = t.hidden;
  model.transformer = {.layers = t.layers,
                       .hidden = h,
                       .heads = t.heads,
                       .kv_heads = t.heads,
                       .head_size = h / t.heads,
                       .mlp = 4 * h,
                       .vocabulary = kVocabulary,
                       .sequence = t.sequence};
  const auto tokens = static_cast<double>(t.sequence);
  const auto square = static_cast<double>(h * h);
  for (int k = 0; k < t.layers; ++k) {
    ModelLayer half{.name = fmt::format("attention {}", k),
                    .parameters = 4 * h * h + 6 * h,
                    .flops = 8 * tokens * square + 4 * tokens * tokens * static_cast<double>(h),
                    .output_bytes = t.sequence * h * kValueBytes,
                    .reduces = true};
    model.layers.push_back(half);
    half.name = fmt::format("mlp {}", k);
    half.parameters = 8 * h * h + 7 * h;
    half.flops = 16 * tokens * square;
    model.layers.push_back(std::move(half));
    set_kept(*model.transformer, *(model.layers.end() - 2), model.layers.back());
  }
  return model;
}

// A convolution of `kernel` x `kernel`, with its batch normalisation.
ModelLayer convolution(std::string name, std::uint64_t kernel, std::uint64_t in, std::uint64_t out,
                       std::uint64_t side) {
  const std::uint64_t weights = kernel * kernel * in * out;
  return {.name = std::move(name),
          .parameters = weights + 2 * out,
          .flops = 2.0 * static_cast<double>(weights * side * side),
          .output_bytes = side * side * out * kValueBytes};
}

void add_bottleneck(ModelShape& model, const std::string& name, std::uint64_t in,
                    std::uint64_t width, std::uint64_t side, std::uint64_t stride) {
  const std::uint64_t out = 4 * width;
  model.layers.push_back(convolution(name + " 1x1", 1, in, width, side * stride));
  model.layers.push_back(convolution(name + " 3x3", 3, width, width, side));
  model.layers.push_back(convolution(name + " 1x1 out", 1, width, out, side));
  if (in != out) model.layers.push_back(convolution(name + " shortcut", 1, in, out, side));
}

ModelShape resnet152() {
  constexpr std::uint64_t kPixels = 224;
  constexpr std::uint64_t kClasses = 1000;
  constexpr std::array kBlocks{3, 8, 36, 3};
  ModelShape model{.name = std::string(kResNet),
                   .sample_bytes = kPixels * kPixels * 3 * kValueBytes,
                   .layers = {}};
  std::uint64_t channels = 64;
  std::uint64_t side = kPixels / 4;
  model.layers.push_back(convolution("conv1", 7, 3, channels, kPixels / 2));
  for (std::size_t stage = 0; stage < kBlocks.size(); ++stage) {
    const std::uint64_t width = std::uint64_t{64} << stage;
    for (int block = 0; block < kBlocks[stage]; ++block) {
      const bool is_smaller = stage > 0 && block == 0;
      if (is_smaller) side /= 2;
      add_bottleneck(model, fmt::format("conv{}.{}", stage + 2, block), channels, width, side,
                     is_smaller ? 2 : 1);
      channels = 4 * width;
    }
  }
  model.layers.push_back({.name = "fc",
                          .parameters = channels * kClasses + kClasses,
                          .flops = 2.0 * static_cast<double>(channels * kClasses),
                          .output_bytes = kClasses * kValueBytes});
  return model;
}

}  // namespace

std::uint64_t ModelShape::parameters() const {
  std::uint64_t sum = 0;
  for (const ModelLayer& layer : layers) sum += layer.parameters;
  return sum;
}

double ModelShape::flops() const {
  double sum = 0;
  for (const ModelLayer& layer : layers) sum += layer.flops;
  return sum;
}

std::uint64_t bytes_of(double values, double value_bytes) {
  return static_cast<std::uint64_t>(std::ceil(values * value_bytes));
}

double TransformerShape::score_flops() const {
  const std::uint64_t of_pair = heads * (2 * head_size + rope_size);
  return static_cast<double>(sequence) * static_cast<double>(sequence) *
         static_cast<double>(of_pair);
}

void set_kept(const TransformerShape& s, ModelLayer& attention, ModelLayer& mlp,
              double activation_bytes) {
  const auto bytes = [](std::uint64_t values, double each) {
    return bytes_of(static_cast<double>(values), each);
  };
  // Two values and the mask of a dropout, a byte.
  const double masked = 2 * activation_bytes + 1;
  // Per token: inputs of the norm and of the matrices, and the mask of the dropout, a byte each.
  attention.kept_bytes = mlp.kept_bytes = bytes(s.sequence * s.hidden, masked);
  // Queries, keys and values, and the input of the projection of the output.
  attention.kept_split_bytes =
      bytes(s.sequence * s.head_size * (2 * s.heads + 2 * s.kv_heads), activation_bytes);
  // Softmax, the mask of its dropout and the dropout's output; a pair of tokens and a head each.
  attention.score_bytes = bytes(s.sequence * s.sequence * s.heads, masked);
  attention.score_flops = s.score_flops();
  attention.joins_next = true;
  attention.heads = s.heads;
  // Input and output of the activation, and of a gated one both factors.
  mlp.kept_split_bytes = bytes(s.sequence * s.mlp * s.mlp_matrices, activation_bytes);
  if (mlp.expert_layer < 0) return;
  // Experts keep the tokens that came, too.
  const auto routed = static_cast<std::uint64_t>(s.top_k);
  const auto shared = static_cast<std::uint64_t>(s.shared_experts);
  const std::uint64_t inside = s.expert_mlp * s.mlp_matrices;
  mlp.kept_split_bytes =
      bytes(s.sequence * (routed * (s.hidden + inside) + shared * inside), activation_bytes);
}

ModelShape at_value_bytes(ModelShape model, const ValueBytes& values) {
  if (model.states_sizes || values.activations == kValueBytes) return model;
  const auto scale = [&](std::uint64_t& bytes) {
    bytes = bytes_of(static_cast<double>(bytes) / kValueBytes, values.activations);
  };
  if (!model.transformer) scale(model.sample_bytes);  // else tokens
  for (ModelLayer& layer : model.layers) scale(layer.output_bytes);
  for (std::size_t l = 0; model.transformer && l + 1 < model.layers.size(); l += 2)
    set_kept(*model.transformer, model.layers[l], model.layers[l + 1], values.activations);
  return model;
}

std::vector<std::string_view> built_in_models() {
  std::vector<std::string_view> names{kResNet};
  for (const Transformer& t : kTransformers) names.push_back(t.name);
  return names;
}

void check_is_transformer(const ModelShape& model, std::string_view option) {
  if (model.transformer) return;
  throw BadInput(
      fmt::format("{}: found {}, which is no transformer by its numbers; allowed: gpt3, "
                  "llama3_70b or another model with the key 'transformer'",
                  option, model.name));
}

bool is_built_in_model(std::string_view name) {
  return std::ranges::count(built_in_models(), name) > 0;
}

ModelShape built_in_model(std::string_view name) {
  if (name == kResNet) return resnet152();
  const auto* const found = std::ranges::find(kTransformers, name, &Transformer::name);
  if (found != kTransformers.end()) return transformer(*found);
  const std::vector<std::string_view> names = built_in_models();
  throw BadInput(fmt::format("workload: found '{}'; {}", name, advice(name, names)));
}

}  // namespace fredsim
