// SPDX-License-Identifier: Apache-2.0
// Text workloads of ASTRA-sim 1.0 and of SimAI: one line per layer.
//
// A file: line 1 has the type and its words, line 2 the number of layers. Then each layer has
//   NAME; a reserved field; compute time in ns, collective and bytes, for each of the forward pass,
//   the gradient of the input and the gradient of the weights; and the time of the update in ns.
//   Fields are separated by any white space. In HYBRID_CUSTOMIZED each layer ends with its own
//   type.
// Types: DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, HYBRID_TRANSFORMER,
//   HYBRID_TRANSFORMER_FWD_IN_BCKWD, HYBRID_DLRM, HYBRID_DLRM_ENHANCED, HYBRID_CUSTOMIZED, MICRO,
//   DISTRIBUTED_INFERENCE.
// Words, each at most once: HYBRID_TRANSFORMER…: `model_parallel_NPU_group: N`; …_FWD_IN_BCKWD also
//   `checkpoints: N I…` and `checkpoint_initiates: N I…`, layers by index. HYBRID_DLRM…: the index
//   of the last layer of the bottom MLP, with or without `DLRM_LAST_BOTTOM_LAYER:`. SimAI's, of
//   HYBRID_TRANSFORMER…: `ep:`, `pp:`, `vpp:`, `ga:`, `all_gpus:`, `mode:` and `pp_comm`
//   (docs/user/simai.md says what each does).
// Collectives: NONE; ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL, BROADCAST; where the file has
//   `ep:` also with the group that they are on, _EP or _DP_EP.
// Errors: BadInput with file, line and column, the place of the first character that is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload_files/trace_node.h"

namespace fredsim {

enum class TextWorkloadType : std::uint8_t {
  kData,
  kModel,
  kHybridDataModel,
  kHybridModelData,
  kHybridTransformer,
  kHybridTransformerFwdInBckwd,
  kHybridDlrm,
  kHybridDlrmEnhanced,
  kHybridCustomized,
  kMicro,
  kDistributedInference,
};

std::string_view to_string(TextWorkloadType type);

// Group of a collective: the usual one of its pass, the experts' (_EP), or the replicas of the same
// experts (_DP_EP).
enum class TextGroup : std::uint8_t { kUsual, kExperts, kExpertReplicas };

struct TextPass {
  std::uint64_t compute_ns = 0;
  std::optional<TraceCollective> collective{};  // no value: no communication
  std::uint64_t bytes = 0;
  TextGroup group = TextGroup::kUsual;
};

struct TextLayer {
  std::string name{};
  TextPass forward{}, input_gradient{}, weight_gradient{};
  std::uint64_t update_ns = 0;
  TextWorkloadType type = TextWorkloadType::kData;  // the layer's own type, or the file's
};

struct TextWorkload {
  TextWorkloadType type = TextWorkloadType::kData;
  int model_group = 0;             // number of NPUs, 0: not given
  int last_bottom_layer = -1;      // DLRM; -1: not given
  std::vector<int> checkpoints{};  // layers whose inputs are kept, ascending
  std::vector<int>
      recomputations{};  // layers whose gradients need the layers from the last checkpoint on to
                         // run again
  // Words of SimAI; no value: not given.
  std::optional<int> ep{};                  // NPUs that share the experts
  std::optional<int> pp{};                  // stages of the pipeline
  std::optional<int> vpp{};                 // parts of a stage that take turns
  std::optional<int> ga{};                  // microbatches, each with its own lines
  std::optional<int> npus{};                // all_gpus
  std::optional<int> mode{};                // 1: inference
  std::optional<std::uint64_t> pp_bytes{};  // pp_comm
  std::vector<TextLayer> layers{};
};

TextWorkload read_text_workload(const std::string& path);

}  // namespace fredsim
