// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/lane_clock.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fredsim {

void Intervals::add(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  auto next = ends_.upper_bound(begin);
  if (next != ends_.begin() && std::prev(next)->second >= begin) {
    --next;
    begin = next->first;
  }
  while (next != ends_.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = ends_.erase(next);
  }
  ends_.emplace_hint(next, begin, end);
}

void Intervals::add(const Intervals& other) {
  for (const auto& [begin, end] : other.ends_) add(begin, end);
}

std::uint64_t Intervals::length() const {
  std::uint64_t sum = 0;
  for (const auto& [begin, end] : ends_) sum += end - begin;
  return sum;
}

void LaneClock::compute(std::uint64_t begin, std::uint64_t cycles, TimeCategory category,
                        bool on_cpu) {
  (on_cpu ? on_cpu_ : parts_[static_cast<std::size_t>(category)]).add(begin, begin + cycles);
}

void LaneClock::wait_for(const RankClock::Communication& communication) {
  const auto& [ready, start, end, category, is_bubble] = communication;
  const std::uint64_t from = is_bubble ? std::max(ready, start) : ready;
  parts_[static_cast<std::size_t>(category)].add(std::min(from, end), end);
}

RankTime LaneClock::time() const {
  RankTime time{.end = end_};
  Intervals covered;
  std::uint64_t before = 0;
  const auto take = [&](const Intervals& intervals) {
    covered.add(intervals);
    const std::uint64_t all = covered.length();
    return all - std::exchange(before, all);
  };
  constexpr auto kCompute = static_cast<std::size_t>(TimeCategory::kCompute);
  constexpr auto kMemory = static_cast<std::size_t>(TimeCategory::kMemory);
  time.parts[kCompute] = take(parts_[kCompute]);
  time.parts[kMemory] = take(parts_[kMemory]);
  for (std::size_t part = 0; part < parts_.size(); ++part)
    if (part != kCompute && part != kMemory) time.parts[part] = take(parts_[part]);
  time.parts[kCompute] += take(on_cpu_);
  time.bubble = end_ - before;
  return time;
}

}  // namespace fredsim
