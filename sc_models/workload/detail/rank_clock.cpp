// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/rank_clock.h"

#include <algorithm>

namespace fredsim {
namespace {

// Adds the waiting up to the beginning of a computation, or to the end. Waiting since another
// computation leaves a gap in the sum, which the check of the sum detects.
void add_waiting(const WaitTime& waited, std::uint64_t free, RankTime& time) {
  if (waited.since != free) return;
  for (std::size_t i = 0; i < waited.exposed.size(); ++i) time.parts[i] += waited.exposed[i];
  time.bubble += waited.bubble;
}

}  // namespace

void RankClock::compute(std::uint64_t begin, std::uint64_t cycles, TimeCategory category,
                        const WaitTime& waited) {
  if (begin > free_) add_waiting(waited, free_, time_);
  time_.parts[static_cast<std::size_t>(category)] += cycles;
  free_ = begin + cycles;
}

void RankClock::wait_for(const Communication& communication, WaitTime& waited) const {
  const auto& [ready, start, end, category, is_bubble] = communication;
  if (waited.since != free_ || ready <= free_) waited = {.since = free_};
  const std::uint64_t came = std::max(free_, ready);
  if (end <= came) return;
  const std::uint64_t before = std::min(std::max(came, start), end) - came;
  std::uint64_t& exposed = waited.exposed[static_cast<std::size_t>(category)];
  exposed += end - came - before;
  (is_bubble ? waited.bubble : exposed) += before;
}

void RankClock::complete(std::uint64_t cycle, const WaitTime& waited) {
  if (cycle < time_.end) return;
  time_.end = cycle;
  to_end_ = waited;
}

RankTime RankClock::time() const {
  RankTime time = time_;
  if (time.end > free_) add_waiting(to_end_, free_, time);
  return time;
}

}  // namespace fredsim
