// SPDX-License-Identifier: Apache-2.0
// Time of a rank with lanes: against a count of every cycle.
#include "workload/detail/lane_clock.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/random.h"

namespace fredsim::test {
namespace {

constexpr auto kCompute = TimeCategory::kCompute;

// accelerator |1111|    |22|
// collective     |aaaaaaa|
// CPU         |cccccccccccccc|
TEST(LaneClock, ExposesCommunicationWhileTheAcceleratorIsIdle) {
  LaneClock clock;
  clock.compute(0, 40, kCompute, false);
  clock.wait_for({.ready = 30, .start = 30, .end = 100, .category = TimeCategory::kDp});
  clock.compute(80, 20, kCompute, false);
  clock.compute(0, 130, kCompute, true);
  clock.complete(130);
  const RankTime time = clock.time();
  EXPECT_EQ(time.of(TimeCategory::kDp), 40U);
  EXPECT_EQ(time.of(kCompute), 90U) << "60 of the accelerator, 30 of the CPU alone";
  EXPECT_EQ(time.bubble, 0U);
  EXPECT_EQ(time.end, 130U);
}

TEST(LaneClock, EveryCycleHasTheFirstCauseThatCoversIt) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    constexpr std::size_t kCycles = 300;
    // 0: accelerator, 1: memory, 2 + category: communication, 20: CPU, 99: nothing.
    std::vector<int> cause(kCycles, 99);
    LaneClock clock;
    std::uint64_t end = 0;
    const auto cover = [&](std::uint64_t from, std::uint64_t to, int by) {
      for (std::uint64_t c = from; c < to; ++c) cause[c] = std::min(cause[c], by);
      end = std::max(end, to);
    };
    for (int n = 0; n < 20; ++n) {
      const std::uint64_t from = random.below(200), length = random.below(60);
      const auto category = static_cast<TimeCategory>(2 + random.below(3));
      switch (random.below(4)) {
        case 0:
          clock.compute(from, length, kCompute, false);
          cover(from, from + length, 0);
          break;
        case 1:
          clock.compute(from, length, TimeCategory::kMemory, false);
          cover(from, from + length, 1);
          break;
        case 2:
          clock.compute(from, length, kCompute, true);
          cover(from, from + length, 20);
          break;
        default: {
          const bool is_bubble = random.below(2) == 0;
          const std::uint64_t start = from + random.below(20);
          const std::uint64_t until = start + length;
          clock.wait_for({from, start, until, category, is_bubble});
          cover(is_bubble ? start : from, until, 2 + static_cast<int>(category));
        }
      }
    }
    clock.complete(end);
    RankTime expected{.end = end};
    for (std::uint64_t c = 0; c < end; ++c) {
      if (cause[c] == 99)
        ++expected.bubble;
      else if (cause[c] == 0 || cause[c] == 20)
        ++expected.parts[static_cast<std::size_t>(kCompute)];
      else if (cause[c] == 1)
        ++expected.parts[static_cast<std::size_t>(TimeCategory::kMemory)];
      else
        ++expected.parts[static_cast<std::size_t>(cause[c] - 2)];
    }
    const RankTime found = clock.time();
    EXPECT_EQ(found.parts, expected.parts);
    EXPECT_EQ(found.bubble, expected.bubble);
    EXPECT_EQ(found.end, end);
  }
}

}  // namespace
}  // namespace fredsim::test
