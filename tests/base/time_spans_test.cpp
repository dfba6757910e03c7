// SPDX-License-Identifier: Apache-2.0
// Covered and uncovered time of random spans, against counting every unit of time.
#include "base/time_spans.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "base/random.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kEnd = 64;
using Units = std::array<bool, kEnd>;

TimeSpans<std::uint64_t> random_spans(Random& random, Units& units) {
  TimeSpans<std::uint64_t> spans;
  for (std::uint64_t n = random.below(8); n > 0; --n) {
    const std::uint64_t begin = random.below(kEnd);
    const std::uint64_t end = begin + random.below(kEnd - begin + 1);
    spans.emplace_back(begin, end);
    for (std::uint64_t at = begin; at < end; ++at) units[at] = true;
  }
  return spans;
}

TEST(TimeSpans, CoverWhatTheirUnitsDo) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Units of_spans{}, of_others{};
    const TimeSpans<std::uint64_t> spans = random_spans(random, of_spans);
    const TimeSpans<std::uint64_t> others = random_spans(random, of_others);
    std::uint64_t covered = 0, uncovered = 0;
    for (std::uint64_t at = 0; at < kEnd; ++at) {
      covered += of_spans[at] ? 1 : 0;
      uncovered += of_spans[at] && !of_others[at] ? 1 : 0;
    }
    ASSERT_EQ(covered_time(spans), covered);
    ASSERT_EQ(uncovered_time(spans, others), uncovered);
  }
}

}  // namespace
}  // namespace fredsim
