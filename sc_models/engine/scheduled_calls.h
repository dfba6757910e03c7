// SPDX-License-Identifier: Apache-2.0
// Callbacks at given cycles: by cycle, then in the order of their registration.
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
  // Makes the call scheduled for next(); it may add others. Requires a scheduled call.
  void call_next() { calls_.extract(calls_.begin()).mapped()(); }

 private:
  std::multimap<std::uint64_t, std::function<void()>> calls_;
};

}  // namespace fredsim
