// SPDX-License-Identifier: Apache-2.0
// Clocks of their own periods and phases, for models with more than one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fredsim {

// Times are in units of the caller's choice; a period is even. A clock's first rising edge is at
// its phase.
class Clocks {
 public:
  struct Clock {
    std::uint64_t period = 0;
    std::uint64_t next = 0;  // change of level
    bool level = false;
  };

  void add(std::uint64_t period, std::uint64_t phase) { clocks_.push_back({period, phase, false}); }
  std::uint64_t time() const { return time_; }
  bool level(int clock) const { return clocks_[clock].level; }
  std::uint64_t period(int clock) const { return clocks_[clock].period; }
  int size() const { return static_cast<int>(clocks_.size()); }

  // Advances to the next change of any level, with all simultaneous changes. Returns a mask of the
  // rising clocks.
  std::uint32_t advance() {
    time_ = clocks_.front().next;
    for (const Clock& clock : clocks_) time_ = std::min(time_, clock.next);
    std::uint32_t rising = 0;
    for (std::size_t i = 0; i < clocks_.size(); ++i) {
      Clock& clock = clocks_[i];
      if (clock.next != time_) continue;
      clock.level = !clock.level;
      clock.next += clock.period / 2;
      if (clock.level) rising |= 1U << i;
    }
    return rising;
  }

 private:
  std::vector<Clock> clocks_;
  std::uint64_t time_ = 0;
};

}  // namespace fredsim
