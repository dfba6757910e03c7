// SPDX-License-Identifier: Apache-2.0
// A list with a fixed capacity, which its user does not exceed: add() is a store and a count.
// Memory is touched only as far as it was ever needed.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>

namespace fredsim {

template <typename T>
class BoundedList {
 public:
  BoundedList() = default;  // room for none
  explicit BoundedList(std::size_t capacity)
      : items_(std::make_unique_for_overwrite<T[]>(capacity)), capacity_(capacity) {}

  T* begin() const { return items_.get(); }
  T* end() const { return items_.get() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void add(const T& item) { *grow(1) = item; }
  // Appends `by` items, to be written by the caller.
  T* grow(std::size_t by) {
    size_ += by;
    assert(size_ <= capacity_);
    return end() - by;
  }
  void clear() { size_ = 0; }
  // Ends the list at `end`, up to which the caller has written; within the capacity.
  void set_end(const T* end) {
    size_ = static_cast<std::size_t>(end - begin());
    assert(size_ <= capacity_);
  }

 private:
  std::unique_ptr<T[]> items_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace fredsim
