// SPDX-License-Identifier: Apache-2.0
// Registers of switches that have been written, with their last values: part of the state that a
// fabric's future depends on.
//
// Memory: slightly more than 256 bytes per block of 64 neighbouring registers of a switch, if one
//   of them was written. Most are rows of phase stores and routing tables, which are written as a
//   whole.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/random.h"

namespace fredsim {

class RegisterWrites {
 public:
  explicit RegisterWrites(std::size_t nodes) : pages_(nodes) {}

  void note(std::uint32_t node, std::uint16_t address, std::uint32_t value) {
    const auto hash = [&](std::uint32_t written) {
      return mix64(mix64(std::uint64_t{node} << 16 | address) + written);
    };
    Page& page = page_of(pages_[node], static_cast<std::uint16_t>(address / kRegisters));
    const std::size_t at = address % kRegisters;
    const std::uint64_t bit = std::uint64_t{1} << at;
    if ((page.written & bit) != 0) sum_ -= hash(page.values[at]);
    page.written |= bit;
    page.values[at] = value;
    sum_ += hash(value);
  }
  void clear() {
    for (auto& pages : pages_) pages.clear();
    sum_ = 0;
  }
  // Digest of the values, independent of the order of writes.
  std::uint64_t digest() const { return sum_; }

 private:
  static constexpr std::size_t kRegisters = 64;  // words of a page: bits of `written`
  struct Page {
    std::uint64_t written = 0;
    std::array<std::uint32_t, kRegisters> values{};
  };
  struct Numbered {
    std::uint16_t number = 0;  // address / kRegisters
    std::unique_ptr<Page> page;
  };
  using Pages = std::vector<Numbered>;  // ascending by number

  static Page& page_of(Pages& pages, std::uint16_t number) {
    const auto at = std::ranges::lower_bound(pages, number, {}, &Numbered::number);
    if (at != pages.end() && at->number == number) return *at->page;
    return *pages.insert(at, {number, std::make_unique<Page>()})->page;
  }

  std::vector<Pages> pages_;  // index: node
  std::uint64_t sum_ = 0;     // sum of hashes
};

}  // namespace fredsim
