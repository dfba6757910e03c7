// SPDX-License-Identifier: Apache-2.0
// Time in which an NPU computes a layer.
//
// By roofline: the larger of FLOPs over (peak x efficiency) and bytes over the bandwidth of its memory, which are
//   those of the layer's parameters, once, and of its input and output activations in the forward pass, twice as many
//   in the backward pass. Or by one rate for all layers, in place of that (a fitted one). A layer that has times of
//   its own takes those.
// Units: picoseconds; samples are those of a microbatch; `mp`: workers over which a layer is split.
#pragma once

#include <cstdint>

#include "config/npu_compute.h"
#include "workload/model_shape.h"

namespace fredsim {

struct ComputeSpeed {
  NpuCompute npu;
  double rate = 0;  // FLOP/s of every layer; 0: the roofline
};

// Time of work that is so many FLOPs, and bytes to and from memory.
double roofline_ps(const ComputeSpeed& speed, double flops, double bytes);

// Time of bytes to or from memory alone, whatever the rate.
double memory_ps(const ComputeSpeed& speed, double bytes);

// Rounded up to whole cycles.
std::uint64_t cycles_of(double picoseconds, std::uint64_t clock_hz);

enum class Pass : std::uint8_t { kForward, kBackward };

// `input_bytes`: of one sample, the output of the layer before.
double compute_ps(const ComputeSpeed& speed, const ModelLayer& layer, std::uint64_t input_bytes,
                  Pass pass, double samples, int mp);

}  // namespace fredsim
