// SPDX-License-Identifier: Apache-2.0
#include "plan/operand.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "fabrics.h"

namespace fredsim {
namespace {

double value(FpFormat format, std::uint16_t bits) {
  const int mantissa_bits = format == FpFormat::kFp16 ? 10 : 7;
  const int exponent_bits = 15 - mantissa_bits;
  const int exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  EXPECT_GT(exponent, 0);
  EXPECT_LT(exponent, (1 << exponent_bits) - 1);
  const double fraction =
      1 + static_cast<double>(bits & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits);
  return std::ldexp(bits >> 15 != 0 ? -fraction : fraction, exponent - bias);
}

TEST(Operand, PartsHaveSeedsOfTheirOwn) {
  std::set<std::uint64_t> seeds;
  for (const std::uint64_t seed : {1, 2, 7}) {
    EXPECT_EQ(operand_seed(seed, 0), seed);
    for (int part = 0; part < 100; ++part) seeds.insert(operand_seed(seed, part));
  }
  EXPECT_EQ(seeds.size(), 300U);
}

TEST(Operand, ValuesAreFiniteOfBothSignsAndModerate) {
  for (const FpFormat format : {FpFormat::kFp16, FpFormat::kBf16}) {
    int negative = 0;
    std::set<int> exponents;
    std::set<std::uint16_t> distinct;
    for (int i = 0; i < 4096; ++i) {
      const std::uint16_t bits = operand(format, 7, i % 20, static_cast<std::uint64_t>(i), i % 256);
      const double v = value(format, bits);
      EXPECT_GE(std::fabs(v), 0.25);
      EXPECT_LT(std::fabs(v), 4);
      negative += v < 0;
      exponents.insert(std::ilogb(v));
      distinct.insert(bits);
    }
    EXPECT_NEAR(negative, 2048, 200);
    EXPECT_EQ(exponents, (std::set<int>{-2, -1, 0, 1}));
    EXPECT_GT(distinct.size(), format == FpFormat::kFp16 ? 2500U : 1000U);
  }
}

TEST(Operand, EveryArgumentMatters) {
  constexpr FpFormat kFormat = FpFormat::kFp16;
  int equal[4] = {};
  for (int i = 0; i < 1000; ++i) {
    const auto n = static_cast<std::uint64_t>(i);
    const std::uint16_t base = operand(kFormat, n, i, n, i % 256);
    equal[0] += base == operand(kFormat, n + 1, i, n, i % 256);
    equal[1] += base == operand(kFormat, n, i + 1, n, i % 256);
    equal[2] += base == operand(kFormat, n, i, n + 1, i % 256);
    equal[3] += base == operand(kFormat, n, i, n, (i + 1) % 256);
    EXPECT_EQ(base, operand(kFormat, n, i, n, i % 256));
  }
  for (const int count : equal) EXPECT_LT(count, 10);
}

TEST(Operand, ExpectedAddsInOrder) {
  constexpr int kAdd = SumOrder::kAdd;
  for (const FpFormat format : {FpFormat::kFp16, FpFormat::kBf16}) {
    int rounded = 0;
    for (std::uint64_t flit = 0; flit < 200; ++flit) {
      const auto leaf = [&](int rank) { return operand(format, 3, rank, flit, 5); };
      const auto sum = [&](std::uint16_t a, std::uint16_t b) { return fp_add(format, a, b); };
      const std::uint16_t pairs = expected(format, 3, {{0, 1, kAdd, 2, 3, kAdd, kAdd}}, flit, 5);
      EXPECT_EQ(pairs, sum(sum(leaf(0), leaf(1)), sum(leaf(2), leaf(3))));
      const std::uint16_t chain = expected(format, 3, {{3, 2, 1, 0, kAdd, kAdd, kAdd}}, flit, 5);
      EXPECT_EQ(chain, sum(leaf(3), sum(leaf(2), sum(leaf(1), leaf(0)))));
      rounded += pairs != chain;
    }
    EXPECT_GT(rounded, 20);  // or a wrong order would go unseen
  }
}

TEST(Operand, LongChainsAreEvaluatedToo) {
  for (const int ranks : {4096, 6000}) {
    SumOrder order;
    for (int r = 0; r < ranks; ++r) order.postfix.push_back(r);
    order.postfix.insert(order.postfix.end(), ranks - 1, SumOrder::kAdd);
    std::uint16_t sum = operand(FpFormat::kBf16, 1, ranks - 1, 9, 0);
    for (int r = ranks - 2; r >= 0; --r)
      sum = fp_add(FpFormat::kBf16, operand(FpFormat::kBf16, 1, r, 9, 0), sum);
    EXPECT_EQ(expected(FpFormat::kBf16, 1, order, 9, 0), sum);
  }
}

}  // namespace
}  // namespace fredsim
