// SPDX-License-Identifier: Apache-2.0
// Shape of a trained model, layer by layer: the properties that determine time and traffic.
//
// Units: parameters are counts. FLOPs are of the forward pass of one sample (a multiplication and
//   an addition are two; the backward pass takes twice as many). For experts, parameters are of all
//   of them, FLOPs of the experts that a token visits. Outputs are bytes of the activations of one
//   sample, and of their gradient: in FP16, until at_value_bytes() sets the width of a machine.
//   Split over MP workers (Megatron), each worker has its share of the parameters and FLOPs of a
//   layer. A layer that `reduces` ends in an all-reduce of its output in the forward pass, and of
//   the gradient of its input, assumed to be as large, in the backward pass.
// Built in: resnet152 (156 convolutions and fully connected layers of torchvision's ResNet-152, 224
//   x 224 pixels, batch normalisation with its convolution); transformers of h hidden values and
//   sequences of s tokens, 12 h^2 + 13 h parameters per layer in two halves, attention and MLP,
//   each of which reduces; embeddings are left out: transformer_17b 78 layers, h 4256, s 1024, 28
//   heads; gpt3 96, 12288, 2048, 96; transformer_1t 128, 25600, 2048, 160. Transformers keep what
//   Korthikanti et al. ("Reducing Activation Recomputation in Large Transformer Models", MLSys
//   2023, section 4) count, dropout masks among it; other layers keep their outputs. For inference
//   a vocabulary of 50257 words, that of GPT-2 and GPT-3.
// Errors: BadInput for an unknown name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/npu_compute.h"

namespace fredsim {

constexpr std::uint64_t kValueBytes = 2;     // FP16: outputs, before at_value_bytes()
constexpr std::uint64_t kGradientBytes = 2;  // FP16: gradients of parameters, on any machine
constexpr std::uint64_t kTokenBytes = 4;

// Workers over which the tokens of a sequence are split within a layer (workload/sequence_split.h).
struct SequenceSplit {
  int cp = 1;
  bool sp = false;  // by the MP workers, too
  bool is_split() const { return cp > 1 || sp; }
};

struct ModelLayer {
  std::string name;
  std::uint64_t parameters = 0;
  double flops = 0;
  std::uint64_t output_bytes = 0;
  bool reduces = false;
  // Bytes that the backward pass needs of a sample: on every MP worker, shared by them, and of
  // attention scores (shared, and computed again by so many FLOPs). All 0: the output alone.
  std::uint64_t kept_bytes = 0, kept_split_bytes = 0, score_bytes = 0;
  double score_flops = 0;
  // Full recomputation begins at the input of this layer and repeats the next layer, too: the
  // output of this layer is not kept.
  bool joins_next = false;
  std::uint64_t heads = 0;  // attention heads, each on one of the MP workers; 0: shares are equal
  int expert_layer = -1;    // index among the expert layers; -1: no experts
  bool splits_tokens =
      false;  // true if each MP worker has outputs, and kept bytes, of its share of the tokens
  // Times given by the model file: of a whole microbatch on one worker, whatever its share; else
  // both 0.
  std::uint64_t forward_ps = 0, backward_ps = 0;
  bool has_times() const { return forward_ps > 0 || backward_ps > 0; }
};

// Numbers of a transformer: workload/transformer_shape.h derives its layers from them. Norms and
// biases are left out.
struct TransformerShape {
  int layers = 0;
  std::uint64_t hidden = 0, heads = 0;
  std::uint64_t kv_heads = 0;  // fewer than heads: groups of heads share keys and values
  std::uint64_t head_size = 0;
  // Latent attention, per token. `kv_rank`: size of the latent vector for keys and values of all
  // heads; `rope_size`: size of the positional part beside it; `q_rank`: size of the latent vector
  // for queries. 0: keys and values per head, and queries from the hidden values.
  std::uint64_t kv_rank = 0, rope_size = 0, q_rank = 0;
  std::uint64_t mlp = 0, mlp_matrices = 2;  // hidden x mlp each; 3 where it is gated
  // Experts in place of the MLP of every layer but the first `dense_layers`: a token goes to
  // `top_k` of them, and to the shared ones; 0: no experts.
  int experts = 0, top_k = 0, shared_experts = 0, dense_layers = 0;
  std::uint64_t expert_mlp = 0;  // as mlp, of an expert
  bool has_experts(int layer) const { return experts > 0 && layer >= dense_layers; }
  int expert_layers() const { return experts > 0 ? layers - dense_layers : 0; }
  std::uint64_t vocabulary = 0;
  std::uint64_t sequence = 0;  // tokens of a sample in training
  // FLOPs of a sample's scores, every pair of tokens counted; sums of values take as many.
  double score_flops() const;
};

struct ModelShape {
  std::string name;
  std::uint64_t sample_bytes = 0;  // bytes of the input
  std::vector<ModelLayer> layers;
  std::optional<TransformerShape> transformer{};  // set for a transformer, which inference requires
  bool states_sizes =
      false;              // its file gives sample and outputs in bytes, which no machine changes
  SequenceSplit split{};  // layers and input are the part of one worker of a context

  std::uint64_t parameters() const;
  double flops() const;
};

std::vector<std::string_view> built_in_models();
// Refuses models that are no transformers: `option` requires one.
void check_is_transformer(const ModelShape& model, std::string_view option);
bool is_built_in_model(std::string_view name);
ModelShape built_in_model(std::string_view name);

// Bytes of so many values, rounded up.
std::uint64_t bytes_of(double values, double value_bytes);
// Sets the bytes that both halves of a layer keep for the backward pass.
void set_kept(const TransformerShape& shape, ModelLayer& attention, ModelLayer& mlp,
              double activation_bytes = kValueBytes);
// Returns the model with sizes of activations as wide as `values`.
ModelShape at_value_bytes(ModelShape model, const ValueBytes& values);

}  // namespace fredsim
