// SPDX-License-Identifier: Apache-2.0
// Scalar FP16 and BF16 addition, bit for bit that of rtl/common/fp_add.sv.
//
// Round to nearest even, subnormals kept, infinities; every NaN result is the format's canonical
// quiet NaN (FP16 0x7E00, BF16 0x7FC0). +0 + -0 = +0; -0 + -0 = -0. Never throws.
//
// How: the sum is taken in single precision and rounded again. That is exact: binary32 carries 24
// bits, at least 2p + 2 for p = 11 (FP16) and p = 8 (BF16), so rounding twice equals rounding
// once, and sums that are subnormal in the narrow format are exact in the wide one. Needs IEEE
// floats in the default mode (round to nearest, no flush to zero). Inline: it runs once per lane
// and addition.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>

namespace fredsim {

static_assert(std::numeric_limits<float>::is_iec559);

enum class FpFormat : std::uint8_t { kFp16 = 0, kBf16 = 1 };

inline constexpr std::uint16_t kFp16Nan = 0x7E00;
inline constexpr std::uint16_t kBf16Nan = 0x7FC0;

// Value of a finite FP16 number.
constexpr float fp16_to_float(std::uint16_t a) {
  const std::uint32_t sign = (std::uint32_t{a} & 0x8000U) << 16;
  const std::uint32_t magnitude = a & 0x7FFFU;
  if (magnitude < 0x0400U) {  // zero or subnormal: a multiple of 2^-24
    return std::bit_cast<float>(
        std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24F) | sign);
  }
  return std::bit_cast<float>(((magnitude << 13) + (112U << 23)) | sign);
}

// FP16 nearest to a finite or infinite `f`, ties to even, for f below 2^-14 only where exact (as
// sums of two FP16 numbers are).
constexpr std::uint16_t float_to_fp16(float f) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  std::uint32_t result = 0;
  if (magnitude >= 0x477FF000U) {  // 65520, half way from the largest finite number to 2^16
    result = 0x7C00U;
  } else if (magnitude < 0x38800000U) {  // less than 2^-14
    result = static_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p24F);
  } else {
    result = (magnitude - (112U << 23) + 0x0FFFU + (magnitude >> 13 & 1U)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | result);
}

constexpr std::uint16_t fp16_add(std::uint16_t a, std::uint16_t b) {
  constexpr std::uint32_t kInfinity = 0x7C00;
  const std::uint32_t a_magnitude = a & 0x7FFFU;
  const std::uint32_t b_magnitude = b & 0x7FFFU;
  if (a_magnitude >= kInfinity || b_magnitude >= kInfinity) {
    const bool nan = a_magnitude > kInfinity || b_magnitude > kInfinity ||
                     (a_magnitude == b_magnitude && a != b);  // inf - inf
    return nan ? kFp16Nan : a_magnitude == kInfinity ? a : b;
  }
  return float_to_fp16(fp16_to_float(a) + fp16_to_float(b));
}

constexpr std::uint16_t bf16_add(std::uint16_t a, std::uint16_t b) {
  const float sum =
      std::bit_cast<float>(std::uint32_t{a} << 16) + std::bit_cast<float>(std::uint32_t{b} << 16);
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(sum);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return kBf16Nan;
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

constexpr std::uint16_t fp_add(FpFormat format, std::uint16_t a, std::uint16_t b) {
  return format == FpFormat::kFp16 ? fp16_add(a, b) : bf16_add(a, b);
}

std::string_view to_string(FpFormat format);  // "fp16", "bf16"

}  // namespace fredsim
