// SPDX-License-Identifier: Apache-2.0
// Speed of an NPU's computations, from the machine file: the base of a training run's compute
// times.
//
// Units: peak in GFLOP/s (decimal; dense FP16), memory in bytes/s and bytes, efficiency as the
//   achieved share of the peak.
// Values: weights, activations with their gradients, and the KV cache have their own bytes per
//   value, which change the bytes held, read and sent, but not the peak. Gradients of weights are
//   FP16.
// Errors: BadInput naming `what`, what was found and what is allowed.
#pragma once

#include <cstdint>
#include <string_view>

namespace fredsim {

// Bytes of a value; INT4 has 0.5.
struct ValueBytes {
  double weights = 2, activations = 2, kv = 2;
  bool operator==(const ValueBytes&) const = default;
};

struct NpuCompute {
  std::uint64_t peak_gflops = 0;
  std::uint64_t memory_bandwidth = 0;
  std::uint64_t memory_bytes = 0;
  // Slower memory behind the NPU's own; 0 bytes: none.
  std::uint64_t expanded_bandwidth = 0;
  std::uint64_t expanded_bytes = 0;
  double efficiency = 1;
  ValueBytes value_bytes{};
  std::uint64_t collective_overhead_ps = 0;  // time that an NPU spends on each collective
};

// Allowed values, as messages and comments name them.
inline constexpr std::string_view kAllowedFlopRate =
    "a number above 0 with GFLOP/s, TFLOP/s or PFLOP/s";
inline constexpr std::string_view kAllowedEfficiency = "a number above 0, 1 at most";
inline constexpr std::string_view kAllowedValueBytes = "0.125 to 8 bytes";

// "990 TFLOP/s": a number and GFLOP/s, TFLOP/s or PFLOP/s; GFLOP/s, > 0.
std::uint64_t parse_flop_rate(std::string_view text, std::string_view what);
// Parses a number above 0, 1 at most.
double parse_efficiency(std::string_view text, std::string_view what);
// 0.125 (a bit) to 8.
double parse_value_bytes(std::string_view text, std::string_view what);

}  // namespace fredsim
