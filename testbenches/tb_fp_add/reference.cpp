// SPDX-License-Identifier: Apache-2.0
#include "reference.h"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace tb {
namespace {

double decode(const Format& format, std::uint16_t bits) {
  const int fraction = bits & ((1 << format.mantissa_bits) - 1);
  const int exponent = (bits & 0x7FFF) >> format.mantissa_bits;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  double magnitude = 0;
  if (exponent == (1 << format.exponent_bits) - 1) {
    magnitude = fraction != 0 ? NAN : INFINITY;
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, 1 - bias - format.mantissa_bits);
  } else {
    magnitude =
        std::ldexp(fraction + (1 << format.mantissa_bits), exponent - bias - format.mantissa_bits);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint16_t encode(const Format& format, double value) {
  if (std::isnan(value)) return format.quiet_nan();
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | format.exponent_mask();
  if (magnitude == 0) return sign;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  // Weight of the last place (ULP) in the value's binade, at least the ULP of subnormals.
  const int binade = std::ilogb(magnitude);
  const int ulp = std::max(binade, 1 - bias) - format.mantissa_bits;
  // A whole number of last places; nearbyint rounds to nearest even (the host's default mode).
  const int places = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -ulp)));
  // Hidden bit included, so the exponent field counts from the binade below; carries run into it.
  const int field = (std::max(binade, 1 - bias) + bias - 1) << format.mantissa_bits;
  const int encoded = field + places;
  return static_cast<std::uint16_t>(sign | std::min<int>(encoded, format.exponent_mask()));
}

}  // namespace

std::uint16_t reference_add(const Format& format, std::uint16_t a, std::uint16_t b) {
  return encode(format, decode(format, a) + decode(format, b));
}

#if defined(__x86_64__)

// Clang's __builtin_cpu_supports does not know F16C; with AVX the system keeps the registers it
// uses.
bool hardware_available() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx") != 0 && __get_cpuid(1, &a, &b, &c, &d) != 0 &&
         (c & bit_F16C) != 0;
}

__attribute__((target("f16c"))) std::uint16_t hardware_add(std::uint16_t a, std::uint16_t b) {
  const float sum = _cvtsh_ss(a) + _cvtsh_ss(b);
  if (std::isnan(sum)) return kFp16.quiet_nan();
  return _cvtss_sh(sum, _MM_FROUND_TO_NEAREST_INT);
}

#else

bool hardware_available() { return false; }

std::uint16_t hardware_add(std::uint16_t, std::uint16_t) { return 0; }

#endif

}  // namespace tb
