// SPDX-License-Identifier: Apache-2.0
// fp_add against an independent reference in integer arithmetic.
#include "base/fp.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/int128.h"
#include "base/random.h"

namespace fredsim {
namespace {

struct Layout {
  int precision;  // bits of the significand, the hidden one included
  int min;        // exponent of the smallest subnormal
  std::uint16_t infinity;
  std::uint16_t nan;
};
constexpr Layout kFp16Layout{11, -24, 0x7C00, 0x7E00};
constexpr Layout kBf16Layout{8, -133, 0x7F80, 0x7FC0};

// A finite number is significand * 2^exponent.
struct Exact {
  Int128 significand;
  int exponent;
};

Exact decode(const Layout& layout, std::uint16_t a) {
  const int fraction_bits = layout.precision - 1;
  const int magnitude = a & 0x7FFF;
  const int field = magnitude >> fraction_bits;
  int significand = magnitude & ((1 << fraction_bits) - 1);
  if (field != 0) significand += 1 << fraction_bits;
  return {(a & 0x8000) != 0 ? -significand : significand,
          layout.min + (field == 0 ? 0 : field - 1)};
}

std::uint16_t encode(const Layout& layout, Exact value) {
  const int sign = value.significand < 0 ? 0x8000 : 0;
  auto magnitude = static_cast<Uint128>(sign != 0 ? -value.significand : value.significand);
  int length = 0;
  for (auto rest = magnitude; rest != 0; rest >>= 1) ++length;
  int quantum = std::max(value.exponent + length - layout.precision, layout.min);
  if (quantum > value.exponent) {
    const int shift = quantum - value.exponent;
    const Uint128 half = static_cast<Uint128>(1) << (shift - 1);
    const Uint128 rest = magnitude & (2 * half - 1);
    magnitude >>= shift;
    if (rest > half || (rest == half && magnitude % 2 == 1)) ++magnitude;
  } else {
    magnitude <<= value.exponent - quantum;
  }
  if (magnitude >> layout.precision != 0) {
    magnitude >>= 1;
    ++quantum;
  }
  const int fraction_bits = layout.precision - 1;
  const int field = magnitude >> fraction_bits == 0 ? 0 : quantum - layout.min + 1;
  const auto fraction = static_cast<int>(magnitude & ((1U << fraction_bits) - 1));
  const int bits = field << fraction_bits | fraction;
  return static_cast<std::uint16_t>(sign | std::min<int>(bits, layout.infinity));
}

std::uint16_t reference_add(const Layout& layout, std::uint16_t a, std::uint16_t b) {
  const int a_magnitude = a & 0x7FFF;
  const int b_magnitude = b & 0x7FFF;
  if (a_magnitude > layout.infinity || b_magnitude > layout.infinity) return layout.nan;
  if (a_magnitude == layout.infinity) {
    return b_magnitude == layout.infinity && a != b ? layout.nan : a;
  }
  if (b_magnitude == layout.infinity) return b;
  Exact high = decode(layout, a);
  Exact low = decode(layout, b);
  if (high.exponent < low.exponent) std::swap(high, low);
  // Beyond this distance the smaller number only says on which side of a tie the sum lies.
  constexpr int kFar = 60;
  if (high.exponent - low.exponent > kFar && high.significand != 0) {
    low.significand = low.significand > 0 ? 1 : low.significand < 0 ? -1 : 0;
    low.exponent = high.exponent - kFar;
  }
  const int distance = high.significand == 0 ? 0 : high.exponent - low.exponent;
  const Exact sum{high.significand * (static_cast<Int128>(1) << distance) + low.significand,
                  low.exponent};
  if (sum.significand == 0) return a == 0x8000 && b == 0x8000 ? 0x8000 : 0;
  return encode(layout, sum);
}

class FpAdd : public testing::TestWithParam<FpFormat> {
 protected:
  const Layout& layout() const { return GetParam() == FpFormat::kFp16 ? kFp16Layout : kBf16Layout; }
  // Counts instead of asserting per pair: a hundred million assertions would take minutes.
  bool agrees(std::uint16_t a, std::uint16_t b) {
    const std::uint16_t found = fp_add(GetParam(), a, b);
    const std::uint16_t wanted = reference_add(layout(), a, b);
    if (found == wanted) return true;
    ADD_FAILURE() << std::hex << a << " + " << b << " = " << found << ", not " << wanted;
    return false;
  }
};

TEST_P(FpAdd, EverySpecialWithEveryNumber) {
  const std::uint16_t infinity = layout().infinity;
  const auto one_ulp = static_cast<std::uint16_t>(1U << (layout().precision - 1));  // min normal
  const std::vector<std::uint16_t> magnitudes = {0,
                                                 1,
                                                 2,
                                                 3,
                                                 static_cast<std::uint16_t>(one_ulp - 1),
                                                 one_ulp,
                                                 static_cast<std::uint16_t>(one_ulp + 1),
                                                 0x3C00,
                                                 0x3C01,
                                                 0x3F80,
                                                 0x3F81,
                                                 0x3555,
                                                 0x2EAB,
                                                 static_cast<std::uint16_t>(infinity - 1),
                                                 static_cast<std::uint16_t>(infinity - 2),
                                                 static_cast<std::uint16_t>(infinity - one_ulp),
                                                 infinity,
                                                 static_cast<std::uint16_t>(infinity + 1),
                                                 layout().nan,
                                                 0x7FFF};
  for (const std::uint16_t magnitude : magnitudes) {
    for (const unsigned sign : {0U, 0x8000U}) {
      const auto special = static_cast<std::uint16_t>(magnitude | sign);
      for (unsigned other = 0; other <= 0xFFFF; ++other) {
        ASSERT_TRUE(agrees(special, static_cast<std::uint16_t>(other)));
        ASSERT_TRUE(agrees(static_cast<std::uint16_t>(other), special));
      }
    }
  }
}

TEST_P(FpAdd, RandomPairs) {
  constexpr std::uint64_t kSeed = 2025;
  Random random(kSeed);
  for (int i = 0; i < 4'000'000; ++i) {
    const std::uint64_t bits = random.next();
    ASSERT_TRUE(agrees(static_cast<std::uint16_t>(bits), static_cast<std::uint16_t>(bits >> 16)))
        << "seed " << kSeed << ", pair " << i;
  }
}

// Neighbouring exponents and opposite signs: cancellation and ties, which random pairs rarely hit.
TEST_P(FpAdd, NearPairs) {
  constexpr std::uint64_t kSeed = 77;
  Random random(kSeed);
  for (int i = 0; i < 2'000'000; ++i) {
    const auto a = static_cast<std::uint16_t>(random.next());
    const auto offset = static_cast<int>(random.below(1U << (layout().precision + 2))) -
                        (1 << (layout().precision + 1));
    const auto b =
        static_cast<std::uint16_t>(a + offset) ^ static_cast<std::uint16_t>(random.below(2) << 15);
    ASSERT_TRUE(agrees(a, static_cast<std::uint16_t>(b))) << "seed " << kSeed << ", pair " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, FpAdd, testing::Values(FpFormat::kFp16, FpFormat::kBf16),
                         [](const auto& format) { return std::string(to_string(format.param)); });

TEST(FpAddGolden, KnownSums) {
  EXPECT_EQ(fp16_add(0x3C00, 0x3C00), 0x4000);  // 1 + 1 = 2
  EXPECT_EQ(fp16_add(0x7BFF, 0x7BFF), 0x7C00);  // 65504 + 65504 = inf
  EXPECT_EQ(fp16_add(0x7BFF, 0x4C00), 0x7C00);  // 65504 + 16 is half way: to even, which is inf
  EXPECT_EQ(fp16_add(0x7BFF, 0x4BFF), 0x7BFF);  // just below half way
  EXPECT_EQ(fp16_add(0x6800, 0x3C00), 0x6800);  // 2048 + 1: tie, stays even
  EXPECT_EQ(fp16_add(0x6801, 0x3C00), 0x6802);  // 2050 + 1: tie, goes to even
  EXPECT_EQ(fp16_add(0x0001, 0x0001), 0x0002);  // subnormals add exactly
  EXPECT_EQ(fp16_add(0x03FF, 0x0001), 0x0400);  // subnormal to normal
  EXPECT_EQ(fp16_add(0x3C00, 0xBC00), 0x0000);  // x - x = +0
  EXPECT_EQ(fp16_add(0x0000, 0x8000), 0x0000);
  EXPECT_EQ(fp16_add(0x8000, 0x8000), 0x8000);
  EXPECT_EQ(fp16_add(0x7C00, 0xFC00), 0x7E00);  // inf - inf
  EXPECT_EQ(fp16_add(0xFC01, 0x3C00), 0x7E00);  // any NaN becomes the canonical one
  EXPECT_EQ(bf16_add(0x3F80, 0x3F80), 0x4000);
  EXPECT_EQ(bf16_add(0x7F7F, 0x7F7F), 0x7F80);
  EXPECT_EQ(bf16_add(0x4380, 0x3F80), 0x4380);  // 256 + 1: tie, stays even
  EXPECT_EQ(bf16_add(0xFFFF, 0x0000), 0x7FC0);
  static_assert(fp_add(FpFormat::kBf16, 0x3F80, 0x4000) == 0x4040);  // usable at compile time
}

}  // namespace
}  // namespace fredsim
