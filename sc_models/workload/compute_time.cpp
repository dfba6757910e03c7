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

double roofline_ps(const ComputeSpeed& speed, double flops, double bytes) {
  constexpr double kFlopsPerGflop = 1e9;
  if (speed.rate > 0) return flops / speed.rate * kPsPerSecond;
  const double peak =
      static_cast<double>(speed.npu.peak_gflops) * kFlopsPerGflop * speed.npu.efficiency;
  return std::max(flops / peak * kPsPerSecond, memory_ps(speed, bytes));
}

double memory_ps(const ComputeSpeed& speed, double bytes) {
  return bytes / static_cast<double>(speed.npu.memory_bandwidth) * kPsPerSecond;
}

double compute_ps(const ComputeSpeed& speed, const ModelLayer& layer, std::uint64_t input_bytes,
                  Pass pass, double samples, int mp) {
  if (layer.has_times())
    return static_cast<double>(pass == Pass::kForward ? layer.forward_ps : layer.backward_ps);
  const double passes = pass == Pass::kForward ? 1 : 2;
  const double bytes =
      passes * (static_cast<double>(kValueBytes * layer.parameters) / mp +
                samples * static_cast<double>(input_bytes + layer.output_bytes) / mp);
  return roofline_ps(speed, passes * layer.flops * samples / mp, bytes);
}

}  // namespace fredsim
