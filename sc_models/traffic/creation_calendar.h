// When each node creates its next packet, so that nodes that wait for it cost nothing: a heap with at
// most one entry per node. Allocates only when it is made.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace fredsim {

class CreationCalendar {
 public:
  explicit CreationCalendar(int nodes) { heap_.reserve(static_cast<std::size_t>(nodes)); }

  void clear() { heap_.clear(); }
  void add(std::uint64_t cycle, int node) {
    assert(heap_.size() < heap_.capacity());
    heap_.emplace_back(cycle, node);
    std::ranges::push_heap(heap_, std::greater{});
  }
  // Calls `wake(node)` for every entry of `cycle` or before, and removes it.
  template <typename Wake>
  void remove_due(std::uint64_t cycle, Wake&& wake) {
    while (!heap_.empty() && heap_.front().first <= cycle) {
      std::ranges::pop_heap(heap_, std::greater{});
      const int node = heap_.back().second;
      heap_.pop_back();
      wake(node);
    }
  }

 private:
  std::vector<std::pair<std::uint64_t, int>> heap_;  // (cycle, node), the earliest first
};

}  // namespace fredsim
