// SPDX-License-Identifier: Apache-2.0
// Timers that count edges: they call NPUs that start packets at times of their own (Part::frame).
//
// Time: simulated and idle edges; edges of skipped periods (engine/memo/recurrence.h) do not count,
//   so that pending timers need not be moved.
// Use: begin() after every edge, which fires the expired timers, and end() before the next one.
//   Between the two, and in the next edge itself, now() is the edge by which a packet started now
//   leaves.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace fredsim {

class EdgeTimers {
 public:
  class Waiter {
   public:
    Waiter() = default;
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    virtual ~Waiter() = default;
    virtual void time_has_come(int what) = 0;
  };

  std::uint64_t now() const { return now_; }
  void call_at(std::uint64_t time, Waiter& waiter, int what) {
    waiting_.push({time, order_++, &waiter, what});
  }
  // Edges from `edge` to the next call; the highest number if there is none.
  std::uint64_t edges_to_next(std::uint64_t edge) const {
    constexpr std::uint64_t kForEver = std::numeric_limits<std::uint64_t>::max();
    if (waiting_.empty()) return kForEver;
    const std::uint64_t now = edge - left_out_;
    return waiting_.top().time - std::min(waiting_.top().time, now);
  }
  void begin(std::uint64_t edge) {
    now_ = edge - left_out_;
    while (!waiting_.empty() && waiting_.top().time <= now_) {
      const Waiting next = waiting_.top();
      waiting_.pop();
      next.waiter->time_has_come(next.what);
    }
  }
  void end(std::uint64_t edge) { now_ = edge - left_out_ + 1; }
  void rest(std::uint64_t edges) { now_ += edges; }  // `edges`: idle edges
  void skip(std::uint64_t edges) { left_out_ += edges; }
  void reset() {
    waiting_ = {};
    now_ = left_out_ = order_ = 0;
  }

 private:
  struct Waiting {
    std::uint64_t time = 0, order = 0;
    Waiter* waiter = nullptr;
    int what = 0;
    auto operator<=>(const Waiting& other) const {
      return std::pair(time, order) <=> std::pair(other.time, other.order);
    }
  };
  std::uint64_t now_ = 0, left_out_ = 0, order_ = 0;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
};

}  // namespace fredsim
