// SPDX-License-Identifier: Apache-2.0
#include "workload/training_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "workload/execution.h"
#include "workload/stage_layers.h"

namespace fredsim {
namespace {

std::uint64_t share_of_bytes(std::uint64_t all, int places) {
  const auto count = static_cast<std::uint64_t>(places);
  return (all + count - 1) / count;
}

std::uint64_t activations_of(const ModelShape& model, const TrainingOptions& o,
                             const std::vector<LayerRange>& layers) {
  const std::uint64_t samples =
      share_of_bytes(o.minibatch, o.strategy.dp / model.split.cp);  // the largest replica's
  const std::uint64_t of_microbatch = share_of_bytes(samples, static_cast<int>(o.microbatches));
  double kept = 0;
  double inside = 0;  // max of layers that are computed again together
  for (const LayerRange& range : layers) {
    double repeated = 0;
    for (int l = range.first; l < range.end; ++l) {
      const ModelLayer& layer = model.layers[l];
      if (l == 0) kept += static_cast<double>(model.sample_bytes);
      const double own = kept_bytes(layer, o.strategy.mp, o.recompute);
      kept += own;
      repeated += kept_bytes(layer, o.strategy.mp, Recompute::kNone) - own;
      inside = std::max(inside, repeated);
      if (!layer.joins_next) repeated = 0;
    }
  }
  return static_cast<std::uint64_t>(
      std::ceil(kept * static_cast<double>(samples) + inside * static_cast<double>(of_microbatch)));
}

// Bytes of expanded memory by kind of data.
TrainingMemory expanded_of(const TrainingMemory& memory, const NpuCompute& npu) {
  TrainingMemory expanded;
  std::uint64_t left = expanded_bytes(memory, npu);
  for (const auto& [all, taken] : {std::pair(memory.optimizer, &expanded.optimizer),
                                   std::pair(memory.activations, &expanded.activations),
                                   std::pair(memory.gradients, &expanded.gradients),
                                   std::pair(memory.weights, &expanded.weights)}) {
    *taken = std::min(all, left);
    left -= *taken;
  }
  return expanded;
}

}  // namespace

TrainingMemory training_memory(const ModelShape& shape, const TrainingOptions& o, int stage,
                               const ValueBytes& values) {
  const ModelShape model = cut_recomputation(at_value_bytes(shape, values), o);
  const std::vector<LayerRange> layers = ranges_of_stage(model, o, stage);
  std::uint64_t parameters = 0;  // a worker's, layers of the stage that are there at once
  for (const LayerRange& range : layers)
    parameters = std::max(parameters, worker_parameters(model, range, o.strategy.mp, o.experts));
  const ExecutionKind::Memory held = execution_of(o).memory(parameters, o);
  return {.weights = bytes_of(static_cast<double>(held.weights), values.weights),
          .gradients = held.gradients.gradients,
          .optimizer = held.gradients.updated * optimizer_state_bytes(o.optimizer),
          .activations = activations_of(model, o, layers)};
}

TrainingMemory max_training_memory(const ModelShape& model, const TrainingOptions& options,
                                   const ValueBytes& values) {
  TrainingMemory most;
  for (int stage = 0; stage < options.strategy.pp; ++stage) {
    const TrainingMemory memory = training_memory(model, options, stage, values);
    if (memory.total() > most.total()) most = memory;
  }
  return most;
}

std::uint64_t expanded_bytes(const TrainingMemory& memory, const NpuCompute& npu) {
  return memory.total() - std::min(memory.total(), npu.memory_bytes);
}

ExpandedShares expanded_shares(const TrainingMemory& memory, const NpuCompute& npu,
                               const std::string& machine) {
  if (expanded_bytes(memory, npu) > npu.expanded_bytes) {
    throw BadInput(fmt::format(
        "--memory: found {} that an NPU needs: weights {}, gradients {}, optimizer {}, activations "
        "{}; allowed: npu.memory of {}, {}, and its npu.expanded_memory, {}",
        format_bytes(memory.total()), format_bytes(memory.weights), format_bytes(memory.gradients),
        format_bytes(memory.optimizer), format_bytes(memory.activations), machine,
        format_bytes(npu.memory_bytes), format_bytes(npu.expanded_bytes)));
  }
  const TrainingMemory expanded = expanded_of(memory, npu);
  const auto share = [](std::uint64_t part, std::uint64_t all) {
    return part == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  };
  return {.weights = share(expanded.weights, memory.weights),
          .gradients = share(expanded.gradients, memory.gradients),
          .optimizer = share(expanded.optimizer, memory.optimizer),
          .activations = share(expanded.activations, memory.activations)};
}

}  // namespace fredsim
