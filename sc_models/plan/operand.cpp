// SPDX-License-Identifier: Apache-2.0
#include "plan/operand.h"

#include <array>
#include <cassert>
#include <vector>

#include "base/flit.h"
#include "base/random.h"

namespace fredsim {

namespace {

// Deepest stack without heap allocation: a chain over a mesh of 64 × 64.
constexpr std::size_t kStack = 4096;

// Common key of the operands of one rank, from the mixed seed.
constexpr std::uint64_t key_of(std::uint64_t mixed_seed, int rank) {
  return mixed_seed ^ static_cast<std::uint64_t>(rank) << 44;
}

std::uint16_t draw(FpFormat format, std::uint64_t key, std::uint64_t flit, int lane) {
  const std::uint64_t place = flit * kFlitLanes + static_cast<std::uint64_t>(lane);
  const std::uint64_t hash = mix64(key ^ place);
  const auto sign = static_cast<std::uint32_t>(hash >> 63) << 15;
  const auto step = static_cast<std::uint32_t>(hash >> 61 & 3U);  // exponent -2 … 1
  const auto mantissa = static_cast<std::uint32_t>(hash);
  const std::uint32_t bits = format == FpFormat::kFp16 ? (15 - 2 + step) << 10 | (mantissa & 0x3FFU)
                                                       : (127 - 2 + step) << 7 | (mantissa & 0x7FU);
  return static_cast<std::uint16_t>(sign | bits);
}

std::uint16_t evaluate(FpFormat format, std::uint64_t mixed_seed, const SumOrder& order,
                       std::uint64_t flit, int lane, std::uint16_t* stack) {
  std::size_t depth = 0;
  for (const int n : order.postfix) {
    if (n == SumOrder::kAdd) {
      assert(depth >= 2);
      --depth;
      stack[depth - 1] = fp_add(format, stack[depth - 1], stack[depth]);
    } else {
      stack[depth++] = draw(format, key_of(mixed_seed, n), flit, lane);
    }
  }
  assert(depth == 1);
  return stack[0];
}

}  // namespace

std::uint64_t operand_seed(std::uint64_t seed, int part) {
  return part == 0 ? seed : mix64(mix64(seed) + static_cast<std::uint64_t>(part));
}

std::uint16_t operand(FpFormat format, std::uint64_t seed, int rank, std::uint64_t flit, int lane) {
  return draw(format, key_of(mix64(seed), rank), flit, lane);
}

void fill_operands(FpFormat format, std::uint64_t seed, int rank, std::uint64_t first_flit,
                   int flits, int lanes, std::uint16_t* out) {
  const std::uint64_t key = key_of(mix64(seed), rank);
  for (int f = 0; f < flits; ++f) {
    for (int l = 0; l < lanes; ++l) {
      *out++ = draw(format, key, first_flit + static_cast<std::uint64_t>(f), l);
    }
  }
}

std::uint16_t expected(FpFormat format, std::uint64_t seed, const SumOrder& order,
                       std::uint64_t flit, int lane) {
  // Bound: a stack never holds more than the operands, whose number is the number of additions plus
  // one.
  if (order.postfix.size() < 2 * kStack) {
    std::array<std::uint16_t, kStack> stack;
    return evaluate(format, mix64(seed), order, flit, lane, stack.data());
  }
  std::vector<std::uint16_t> stack(order.postfix.size());
  return evaluate(format, mix64(seed), order, flit, lane, stack.data());
}

}  // namespace fredsim
