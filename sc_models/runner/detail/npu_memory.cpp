// SPDX-License-Identifier: Apache-2.0
#include "runner/detail/npu_memory.h"

#include <fmt/format.h>

#include "base/units.h"
#include "workload/training_memory.h"

namespace fredsim {

NpuMemory npu_memory(const ModelShape& model, const TrainingOptions& training,
                     const NpuCompute& npu) {
  const TrainingMemory memory = max_training_memory(model, training, npu.value_bytes);
  return {.weights = memory.weights,
          .gradients = memory.gradients,
          .optimizer = memory.optimizer,
          .activations = memory.activations,
          .expanded = expanded_bytes(memory, npu)};
}

std::optional<std::string> memory_beyond(const NpuMemory& memory, const NpuCompute& npu) {
  if (memory.expanded == 0) return std::nullopt;
  return fmt::format(
      "NPUs of {} hold {}, at no cost (--memory limited: from expanded memory, or refused)",
      format_bytes(npu.memory_bytes), format_bytes(npu.memory_bytes + memory.expanded));
}

}  // namespace fredsim
