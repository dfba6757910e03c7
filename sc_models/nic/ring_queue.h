// SPDX-License-Identifier: Apache-2.0
// A first-in first-out queue of plain values in one array that grows on demand and never shrinks:
// no allocation in steady state.
#pragma once

#include <cstddef>
#include <vector>

namespace fredsim {

template <class T>
class RingQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return slots_[first_]; }
  const T& front() const { return slots_[first_]; }

  const T& at(std::size_t i) const { return slots_[(first_ + i) & (slots_.size() - 1)]; }

  void push(const T& value) {
    if (size_ == slots_.size()) grow();
    slots_[(first_ + size_++) & (slots_.size() - 1)] = value;
  }
  T pop() {
    const T value = slots_[first_];
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
    return value;
  }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 4 : 2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = slots_[(first_ + i) & (slots_.size() - 1)];
    slots_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> slots_;  // size: a power of two, or none yet
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace fredsim
