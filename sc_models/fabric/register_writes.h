// SPDX-License-Identifier: Apache-2.0
// Registers of switches that have been written, with their last values: part of what the state of a fabric depends on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/random.h"

namespace fredsim {

class RegisterWrites {
 public:
  explicit RegisterWrites(std::size_t nodes) : values_(nodes) {}

  void note(std::uint32_t node, std::uint16_t address, std::uint32_t value) {
    const auto hash = [&](std::uint32_t written) {
      return mix64(mix64(std::uint64_t{node} << 16 | address) + written);
    };
    const auto [known, is_new] = values_[node].try_emplace(address, value);
    if (!is_new) sum_ -= hash(std::exchange(known->second, value));
    sum_ += hash(value);
  }
  void clear() {
    for (auto& values : values_) values.clear();
    sum_ = 0;
  }
  // The same for the same values, in whatever order they were written.
  std::uint64_t digest() const { return sum_; }

 private:
  std::vector<std::unordered_map<std::uint16_t, std::uint32_t>> values_;  // by node and address
  std::uint64_t sum_ = 0;                                                 // sum of hashes
};

}  // namespace fredsim
