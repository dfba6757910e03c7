// SPDX-License-Identifier: Apache-2.0
// Tournament tree: minimum of an array under point updates. An update takes O(log n), the minimum
// O(1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace fredsim {

class MinTree {
 public:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  std::size_t size() const { return size_; }
  // New places have kNone.
  void resize(std::size_t size) {
    size_ = size;
    if (size <= leaves_) return;
    const std::vector<double> before(values_.begin() + static_cast<std::ptrdiff_t>(leaves_),
                                     values_.end());
    while (leaves_ < size) leaves_ *= 2;
    values_.assign(2 * leaves_, kNone);
    std::ranges::copy(before, values_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t node = leaves_ - 1; node > 0; --node) play(node);
  }
  void set(std::size_t place, double value) {
    std::size_t node = leaves_ + place;
    values_[node] = value;
    while ((node /= 2) > 0 && play(node)) {
    }
  }
  // kNone where all have it.
  double min() const { return values_[1]; }
  // The first place that has it.
  std::size_t min_place() const {
    std::size_t node = 1;
    while (node < leaves_) node = 2 * node + (values_[2 * node] <= values_[2 * node + 1] ? 0 : 1);
    return node - leaves_;
  }

 private:
  // Recomputes a node; false: its value is unchanged.
  bool play(std::size_t node) {
    const double min = std::min(values_[2 * node], values_[2 * node + 1]);
    return std::exchange(values_[node], min) != min;
  }

  std::size_t size_ = 0;
  std::size_t leaves_ = 1;                    // a power of two
  std::vector<double> values_{kNone, kNone};  // node n has the nodes 2n and 2n + 1 below it
};

}  // namespace fredsim
