// SPDX-License-Identifier: Apache-2.0
// Reference results of fp_add, computed in two ways that share no code with the RTL or with
// base/fp.h.
//
// reference_add: operands decoded to double, added by the host, rounded once to nearest even by the
//   encoder here. The double sum of two FP16 values is exact; of two BF16 values it is rounded to
//   53 bits, more than 2 * 8 + 2, so that rounding again is innocuous (Figueroa 1995).
// hardware_add: FP16 by the CPU's conversions (F16C), single precision in between (24 >= 2 * 11 + 2
//   bits, innocuous likewise); only where hardware_available().
// Both give the canonical quiet NaN for every NaN.
#pragma once

#include <cstdint>

namespace tb {

struct Format {
  const char* name;
  int exponent_bits;
  int mantissa_bits;
  std::uint16_t exponent_mask() const {
    return static_cast<std::uint16_t>(((1U << exponent_bits) - 1U) << mantissa_bits);
  }
  std::uint16_t quiet_nan() const {
    return static_cast<std::uint16_t>(exponent_mask() | 1U << (mantissa_bits - 1));
  }
};

inline constexpr Format kFp16{"FP16", 5, 10};
inline constexpr Format kBf16{"BF16", 8, 7};

std::uint16_t reference_add(const Format& format, std::uint16_t a, std::uint16_t b);
bool hardware_available();
std::uint16_t hardware_add(std::uint16_t a, std::uint16_t b);  // FP16

}  // namespace tb
