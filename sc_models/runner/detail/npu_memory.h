// SPDX-License-Identifier: Apache-2.0
// Memory that training a model needs on a machine's NPUs, as a result and as text.
#pragma once

#include <optional>
#include <string>

#include "config/npu_compute.h"
#include "results/training_results.h"
#include "workload/model_shape.h"
#include "workload/training_options.h"

namespace fredsim {

// Memory of the NPU that needs the most.
NpuMemory npu_memory(const ModelShape& model, const TrainingOptions& training,
                     const NpuCompute& npu);

// NPUs whose memory is exceeded, for the list of idealisations; none: all fits.
std::optional<std::string> memory_beyond(const NpuMemory& memory, const NpuCompute& npu);

}  // namespace fredsim
