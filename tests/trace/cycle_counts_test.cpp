// SPDX-License-Identifier: Apache-2.0
// Means and percentiles of a breakdown against the sorted list of all that was added.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "trace/breakdown_statistics.h"

namespace fredsim {
namespace {

// The smallest number that at least `percent` of 100 do not exceed.
std::uint64_t percentile(const std::vector<std::uint64_t>& sorted, std::uint64_t percent) {
  const std::size_t wanted = (sorted.size() * percent + 99) / 100;
  return wanted == 0 ? 0 : sorted[wanted - 1];
}

TEST(CycleCounts, FiguresAreThoseOfAllPackets) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    CycleCounts counts;
    std::vector<std::uint64_t> all;
    const std::uint64_t range = std::uint64_t{1} << random.below(16);  // beyond 4096, too
    for (std::uint64_t i = random.below(40); i > 0; --i) {
      const std::uint64_t cycles = random.below(range);
      const std::uint64_t times = 1 + random.below(5);
      counts.add(cycles, times);
      all.insert(all.end(), times, cycles);
    }
    EXPECT_EQ(counts.count(), all.size());
    EXPECT_EQ(counts.total(), std::accumulate(all.begin(), all.end(), std::uint64_t{0}));
    // Packets that did not come by count with no cycles.
    all.insert(all.end(), random.below(30), 0);
    std::ranges::sort(all);
    const CycleFigures figures = counts.figures(all.size());
    if (all.empty()) {
      EXPECT_EQ(figures.mean, 0);
      continue;
    }
    EXPECT_DOUBLE_EQ(figures.mean,
                     static_cast<double>(counts.total()) / static_cast<double>(all.size()));
    EXPECT_EQ(figures.p50, percentile(all, 50));
    EXPECT_EQ(figures.p99, percentile(all, 99));
    EXPECT_EQ(figures.max, all.back());
  }
}

TEST(StageCycles, AddsByStageAndCauseAndListsWhatIsNotZero) {
  StageCycles cycles(3);
  cycles.add(2, static_cast<DelayCause>(0), 5);
  cycles.add(2, static_cast<DelayCause>(0), 7);
  cycles.add(0, static_cast<DelayCause>(1), 1);
  std::vector<StageCycles::Item> items;
  cycles.list(items);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].stage, 0);
  EXPECT_EQ(items[0].cause, static_cast<DelayCause>(1));
  EXPECT_EQ(items[0].cycles, 1U);
  EXPECT_EQ(items[1].stage, 2);
  EXPECT_EQ(items[1].cycles, 12U);
  cycles.add(1, cycles.of(2));
  cycles.list(items);
  EXPECT_EQ(items.size(), 3U);
  cycles.clear();
  cycles.list(items);
  EXPECT_TRUE(items.empty());
}

}  // namespace
}  // namespace fredsim
