// SPDX-License-Identifier: Apache-2.0
// Memory of an NPU in training, and the part of it that exceeds the NPU's own memory.
//
// Weights (in the width of the machine) and gradients (FP16): of the worker's share of its stage
//   or, if streamed, of the groups of layers on the NPU at a time. With ZeRO-2 and gradients that
//   are sent as soon as they are computed (overlap), gradients of its own share and of one bucket.
// Optimizer: the state of workload/optimizer.h, of the parameters that the worker updates.
// Activations: of all samples of a replica, since all microbatches go forward before one goes
//   backward; and for one microbatch the recomputed activations of the current layer. With full
//   recomputation a transformer's layer keeps its input, and both of its halves are recomputed
//   together; a layer that is cut, by stages or streamed groups, keeps the input of either half.
//   Not counted: buffers of communication, fragmentation of the allocator.
// Expanded memory takes the excess, data with the fewest accesses per byte first: state of the
//   optimizer, activations, gradients, weights.
// Units: bytes.
// Errors: BadInput from expanded_shares() if the data exceeds both memories.
#pragma once

#include <cstdint>
#include <string>

#include "workload/compute_time.h"
#include "workload/model_shape.h"
#include "workload/training_options.h"

namespace fredsim {

struct TrainingMemory {
  std::uint64_t weights = 0, gradients = 0, optimizer = 0, activations = 0;
  std::uint64_t total() const { return weights + gradients + optimizer + activations; }
};

// Memory of a worker of this stage, with the most samples. `model`: before at_value_bytes().
TrainingMemory training_memory(const ModelShape& model, const TrainingOptions& options, int stage,
                               const ValueBytes& values = {});
// Memory of the stage that needs the most.
TrainingMemory max_training_memory(const ModelShape& model, const TrainingOptions& options,
                                   const ValueBytes& values = {});

// Bytes in expanded memory.
std::uint64_t expanded_bytes(const TrainingMemory& memory, const NpuCompute& npu);
// Shares of data in expanded memory. `machine`: name for the message if the data does not fit.
ExpandedShares expanded_shares(const TrainingMemory& memory, const NpuCompute& npu,
                               const std::string& machine);

}  // namespace fredsim
