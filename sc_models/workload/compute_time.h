// SPDX-License-Identifier: Apache-2.0
// Compute time of a layer on an NPU.
//
// Roofline: the larger of FLOPs over (peak x efficiency) and bytes over memory bandwidth. The bytes
//   are the parameters of the layer, once, and its input and output activations in the forward
//   pass; twice as many in the backward pass, where the second half of the parameter bytes are
//   gradients. Alternatively one (fitted) rate for all layers. A layer with times of its own uses
//   these.
// Heads: each head is on one MP worker; where the workers do not divide the heads, the time is the
//   time of a worker with the most heads.
// Recomputation: the backward pass first repeats the whole forward pass of a layer (full), or the
//   FLOPs of its attention scores (selective), without memory traffic. Full recomputation of a
//   transformer's layer also repeats the computation between its halves, but no communication.
// Kept activations: bytes of the forward pass that the backward pass needs (kept_bytes).
// Expanded memory: its data moves at its own bandwidth, not at the same time as other bytes: shares
//   of parameters and gradients, and of kept activations, once into it and once back, in place of
//   the same share of inputs and outputs.
// Units: picoseconds; samples of a microbatch; `mp`: number of workers over which a layer is split.
#pragma once

#include <cstdint>
#include <optional>

#include "config/npu_compute.h"
#include "workload/model_shape.h"

namespace fredsim {

struct ComputeSpeed {
  NpuCompute npu;
  double rate = 0;  // FLOP/s of every layer; 0: the roofline
};

// Bytes to and from memory: all, and the part in expanded memory.
struct MemoryBytes {
  double all = 0, expanded = 0;
};

// Roofline time of a number of FLOPs and of bytes to and from memory.
double roofline_ps(const ComputeSpeed& speed, double flops, const MemoryBytes& bytes);

// Time of memory bytes alone, whatever the compute rate.
double memory_ps(const ComputeSpeed& speed, const MemoryBytes& bytes);

// Recomputation of activations in the backward pass: none, attention scores, or all but the outputs
// of layers (of a transformer: of whole layers, both halves together).
enum class Recompute : std::uint8_t { kNone, kSelective, kFull };

// Divisor of a layer's work: `mp`, or fewer where `mp` does not divide the heads, so that the share
// is that of a worker with the most heads.
double sharing_workers(const ModelLayer& layer, int mp);

// Bytes of a sample that one of `mp` workers, with the most heads, keeps from a layer's forward
// pass to its backward pass.
double kept_bytes(const ModelLayer& layer, int mp, Recompute recompute);

// Shares of an NPU's data that lie in expanded memory, 0 to 1.
struct ExpandedShares {
  double weights = 0, gradients = 0, optimizer = 0, activations = 0;
};

// Cycles of a time, rounded up.
std::uint64_t cycles_of(double picoseconds, std::uint64_t clock_hz);

enum class Pass : std::uint8_t { kForward, kBackward };

// FLOPs of a training iteration of `samples` samples, recomputation included; none: a layer has
// times in place of FLOPs, or experts.
std::optional<double> training_flops(const ModelShape& model, double samples, Recompute recompute);

// Compute time of a pass. `input_bytes`: of one sample, the output of the layer before.
double compute_ps(const ComputeSpeed& speed, const ModelLayer& layer, std::uint64_t input_bytes,
                  Pass pass, double samples, int mp, Recompute recompute = Recompute::kNone,
                  const ExpandedShares& expanded = {});

}  // namespace fredsim
