// SPDX-License-Identifier: Apache-2.0
#include "workload/compute_time.h"

#include <algorithm>
#include <cmath>

namespace fredsim {
namespace {

constexpr double kPsPerSecond = 1e12;

}  // namespace

std::uint64_t cycles_of(double picoseconds, std::uint64_t clock_hz) {
  return static_cast<std::uint64_t>(
      std::ceil(picoseconds * static_cast<double>(clock_hz) / kPsPerSecond));
}

double roofline_ps(const ComputeSpeed& speed, double flops, const MemoryBytes& bytes) {
  constexpr double kFlopsPerGflop = 1e9;
  if (speed.rate > 0) return flops / speed.rate * kPsPerSecond;
  const double peak =
      static_cast<double>(speed.npu.peak_gflops) * kFlopsPerGflop * speed.npu.efficiency;
  return std::max(flops / peak * kPsPerSecond, memory_ps(speed, bytes));
}

double memory_ps(const ComputeSpeed& speed, const MemoryBytes& bytes) {
  const double own = bytes.all - bytes.expanded;
  double seconds = own / static_cast<double>(speed.npu.memory_bandwidth);
  if (bytes.expanded > 0)
    seconds += bytes.expanded / static_cast<double>(speed.npu.expanded_bandwidth);
  return seconds * kPsPerSecond;
}

double sharing_workers(const ModelLayer& layer, int mp) {
  const auto workers = static_cast<std::uint64_t>(mp);
  if (layer.heads == 0) return mp;
  const std::uint64_t of_slowest = (layer.heads + workers - 1) / workers;
  return static_cast<double>(layer.heads) / static_cast<double>(of_slowest);
}

double kept_bytes(const ModelLayer& layer, int mp, Recompute recompute) {
  const auto split = [mp](std::uint64_t bytes) { return static_cast<double>(bytes) / mp; };
  const auto whole = [&](std::uint64_t bytes) {
    return layer.splits_tokens ? split(bytes) : static_cast<double>(bytes);
  };
  if (recompute == Recompute::kFull && layer.joins_next) return 0;
  if (recompute == Recompute::kFull || layer.kept_bytes == 0)
    return layer.reduces ? whole(layer.output_bytes) : split(layer.output_bytes);
  const std::uint64_t shared =
      layer.kept_split_bytes + (recompute == Recompute::kNone ? layer.score_bytes : 0);
  return whole(layer.kept_bytes) + static_cast<double>(shared) / sharing_workers(layer, mp);
}

std::optional<double> training_flops(const ModelShape& model, double samples, Recompute recompute) {
  double flops = 0;
  for (const ModelLayer& layer : model.layers) {
    if (layer.has_times() || layer.expert_layer >= 0) return std::nullopt;
    constexpr double kForwardAndBackward = 3;
    flops += (kForwardAndBackward + (recompute == Recompute::kFull ? 1 : 0)) * layer.flops;
    if (recompute == Recompute::kSelective) flops += layer.score_flops;
  }
  return samples * flops;
}

double compute_ps(const ComputeSpeed& speed, const ModelLayer& layer, std::uint64_t input_bytes,
                  Pass pass, double samples, int mp, Recompute recompute,
                  const ExpandedShares& expanded) {
  const bool is_forward = pass == Pass::kForward;
  const bool repeats = !is_forward && recompute == Recompute::kFull;
  if (layer.has_times()) {
    return static_cast<double>((is_forward || repeats ? layer.forward_ps : 0) +
                               (is_forward ? 0 : layer.backward_ps));
  }
  const double passes = (is_forward ? 1 : 2) + (repeats ? 1 : 0);
  double flops = passes * layer.flops;
  if (!is_forward && recompute == Recompute::kSelective) flops += layer.score_flops;
  const double weight_bytes = speed.npu.value_bytes.weights;
  const double workers = sharing_workers(layer, mp);
  const double weights = weight_bytes * static_cast<double>(layer.parameters) / workers;
  const double gradients = static_cast<double>(kGradientBytes * layer.parameters) / workers;
  const double activations =
      samples * static_cast<double>(input_bytes + layer.output_bytes) / workers;
  const double weight_reads = is_forward ? 1 : passes - 1;
  // The backward pass writes gradients where it does not read weights.
  MemoryBytes bytes{.all = passes * (weights + activations) +
                           (passes - weight_reads) * (gradients - weights)};
  const double of_sample = kept_bytes(layer, mp, recompute);
  if (expanded.activations > 0 && of_sample > 0) {
    const double kept = expanded.activations * samples * of_sample;
    bytes.all += kept - expanded.activations * passes * activations;
    bytes.expanded += kept;
  }
  bytes.expanded += weight_reads * weights * expanded.weights +
                    (passes - weight_reads) * gradients * expanded.gradients;
  return roofline_ps(speed, flops * samples / workers, bytes);
}

}  // namespace fredsim
