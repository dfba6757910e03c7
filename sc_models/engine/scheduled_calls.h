// SPDX-License-Identifier: Apache-2.0
// Callbacks that are due at a cycle: by cycle, then in the order in which it was asked for.
// Internal to the communicator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace fredsim {

class ScheduledCalls {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  void add(std::uint64_t cycle, std::function<void()> callback) {
    calls_.emplace(cycle, std::move(callback));
  }
  bool empty() const { return calls_.empty(); }
  std::size_t size() const { return calls_.size(); }
  std::uint64_t next() const { return calls_.empty() ? kNever : calls_.begin()->first; }
  // Makes the call due at next(); it may add others. Not where there is none.
  void call_next() { calls_.extract(calls_.begin()).mapped()(); }

 private:
  std::multimap<std::uint64_t, std::function<void()>> calls_;
};

}  // namespace fredsim
