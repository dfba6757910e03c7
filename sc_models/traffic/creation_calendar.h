// SPDX-License-Identifier: Apache-2.0
// Calendar of the next packet of each node, so that nodes that wait for it cost nothing.
//
// Holds at most one entry per node. Entries of the next kSlots cycles are lists by cycle; later
//   ones wait in a heap until their cycle is near, which is rare unless the rate is low, and cheap
//   then.
// Time: call remove_due() for every cycle, 0, 1, 2, … after clear(); entries must be of later
// cycles. Allocates only when it is made.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace fredsim {

class CreationCalendar {
 public:
  explicit CreationCalendar(int nodes) : after_(static_cast<std::size_t>(nodes)) {
    later_.reserve(after_.size());
    clear();
  }

  void clear() {
    first_.fill(kNone);
    later_.clear();
    next_cycle_ = 0;
  }
  void add(std::uint64_t cycle, int node) {
    assert(cycle >= next_cycle_ && static_cast<std::size_t>(node) < after_.size());
    if (cycle - next_cycle_ < kSlots) {
      int& first = first_[cycle % kSlots];
      after_[static_cast<std::size_t>(node)] = first;
      first = node;
      return;
    }
    later_.emplace_back(cycle, node);
    std::ranges::push_heap(later_, std::greater{});
  }
  // Calls `wake(node)` for every entry of `cycle`, and removes it.
  template <typename Wake>
  void remove_due(std::uint64_t cycle, Wake&& wake) {
    assert(cycle == next_cycle_);
    next_cycle_ = cycle + 1;
    int node = std::exchange(first_[cycle % kSlots], kNone);
    while (node != kNone) {
      const int next = after_[static_cast<std::size_t>(node)];
      wake(node);
      node = next;
    }
    while (!later_.empty() && later_.front().first <= cycle) {
      std::ranges::pop_heap(later_, std::greater{});
      node = later_.back().second;
      later_.pop_back();
      wake(node);
    }
  }

 private:
  static constexpr std::size_t kSlots = 256;
  static constexpr int kNone = -1;

  std::array<int, kSlots> first_;                     // index: cycle % kSlots; a node, or kNone
  std::vector<int> after_;                            // index: node; the next one of the same cycle
  std::vector<std::pair<std::uint64_t, int>> later_;  // heap of (cycle, node), earliest first
  std::uint64_t next_cycle_ = 0;                      // next cycle of remove_due()
};

}  // namespace fredsim
