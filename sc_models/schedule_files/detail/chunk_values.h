// SPDX-License-Identifier: Apache-2.0
// Values of chunks in a symbolic run (detail/symbolic_run.h), as a graph: operands, copies and
// sums. A value's number is larger than the numbers of the values that it is made of.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "schedule_files/detail/step_program.h"

namespace fredsim {

inline constexpr int kNoValue = -1;

struct ChunkValue {
  enum class Kind : std::uint8_t { kOperand, kCopy, kSum };
  Kind kind = Kind::kOperand;
  int rank = 0;           // rank that holds it
  int chunk = 0;          // operand: place in the rank's input
  int first = kNoValue;   // copy: value at its sender; sum: its first term
  int second = kNoValue;  // sum
};

// Part of a value: operands of a rank, and how often they are in it.
struct Contribution {
  int rank = 0, chunk = 0, times = 1;
  auto operator<=>(const Contribution&) const = default;
};
using Contributions = std::vector<Contribution>;  // ascending, each operand once

class ChunkValues {
 public:
  int operand(int rank, int chunk) { return add({.rank = rank, .chunk = chunk}); }
  int copy(int rank, int of) {
    return add({.kind = ChunkValue::Kind::kCopy, .rank = rank, .first = of});
  }
  int sum(int rank, int first, int second) {
    return add({.kind = ChunkValue::Kind::kSum, .rank = rank, .first = first, .second = second});
  }
  const ChunkValue& operator[](int value) const { return values_[static_cast<std::size_t>(value)]; }
  std::size_t size() const { return values_.size(); }
  // The value that copies stand for.
  int source(int value) const;
  const Contributions& contributions(int value) const;

 private:
  int add(const ChunkValue& value);

  std::vector<ChunkValue> values_;
  mutable std::vector<Contributions> contributions_;  // by value; empty: not known yet
};

// Contributions that the output of a rank must have at a place.
Contributions wanted(const StepProgram& program, int rank, int place);
// Difference in words: "lacks chunk 2 of rank 1", "has chunk 2 of rank 1 twice"; empty: none.
std::string difference(const Contributions& found, const Contributions& wanted);

}  // namespace fredsim
