// SPDX-License-Identifier: Apache-2.0
// Orders of dimensions and of service against a reference that is written from the paper's
// algorithm and shares nothing with them, on random systems from seeds.
#include "systems/detail/chunk_schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"

namespace fredsim::test {
namespace {

constexpr std::uint64_t kSystems = 10'000;

// Times are whole numbers, so that sums are exact.
struct RandomSystem {
  std::vector<std::uint64_t> sizes{}, latencies{}, cost{};  // cost: time per byte count
  std::vector<std::uint64_t> chunks{};

  explicit RandomSystem(Random& random) {
    const std::size_t dimensions = 2 + random.below(4);
    for (std::size_t d = 0; d < dimensions; ++d) {
      sizes.push_back(2 + random.below(31));
      latencies.push_back(1 + random.below(1'000'000));
      cost.push_back(1 + random.below(64));
    }
    for (std::size_t c = 1 + random.below(24); c > 0; --c)
      chunks.push_back((1 + random.below(1'000'000)) * 16);
  }
  std::uint64_t time(std::size_t d, std::uint64_t bytes) const { return cost[d] * bytes; }
};

// Algorithm 1 of the paper: the least loaded of the dimensions that are left comes next.
std::vector<std::vector<int>> reference_orders(const RandomSystem& system,
                                               std::uint64_t threshold) {
  std::vector<std::uint64_t> load = system.latencies;
  std::vector<std::vector<int>> all;
  for (const std::uint64_t chunk : system.chunks) {
    std::size_t low = 0, high = 0;
    for (std::size_t d = 0; d < load.size(); ++d) {
      if (load[d] < load[low]) low = d;
      if (load[d] > load[high]) high = d;
    }
    const bool is_balanced = (load[high] - load[low]) * threshold < system.time(low, chunk);
    std::vector<int> order;
    std::vector<bool> taken(load.size());
    while (order.size() < load.size()) {
      std::size_t next = load.size();
      for (std::size_t d = 0; d < load.size(); ++d) {
        if (taken[d]) continue;
        if (next == load.size() || (!is_balanced && load[d] < load[next])) next = d;
      }
      taken[next] = true;
      order.push_back(static_cast<int>(next));
    }
    std::uint64_t bytes = chunk;
    for (const int d : order) {
      load[d] += system.time(d, bytes);
      bytes = bytes / system.sizes[d] + (bytes % system.sizes[d] > 0 ? 1 : 0);
    }
    all.push_back(order);
  }
  return all;
}

std::vector<std::vector<int>> orders_of(const RandomSystem& system, const Chunking& chunking) {
  ScheduledDimensions dimensions;
  dimensions.sizes = system.sizes;
  dimensions.latencies.assign(system.latencies.begin(), system.latencies.end());
  dimensions.transfer = [&](int d, std::uint64_t bytes) {
    return static_cast<double>(system.time(static_cast<std::size_t>(d), bytes));
  };
  return dimension_orders(dimensions, system.chunks, chunking);
}

TEST(ChunkSchedule, TakesDimensionsAsThePapersAlgorithmDoes) {
  std::size_t reordered = 0;
  for (std::uint64_t seed = 1; seed <= kSystems; ++seed) {
    Random random(seed);
    const RandomSystem system(random);
    const int threshold = 1 << random.below(8);
    const auto orders =
        orders_of(system, {.dimension_order = DimensionOrder::kThemis, .threshold = threshold});
    ASSERT_EQ(orders, reference_orders(system, static_cast<std::uint64_t>(threshold)))
        << "seed " << seed;
    for (const std::vector<int>& order : orders) reordered += std::ranges::is_sorted(order) ? 0 : 1;
  }
  EXPECT_GT(reordered, kSystems);
}

TEST(ChunkSchedule, BaselineTakesTheLowestDimensionFirst) {
  Random random(1);
  const RandomSystem system(random);
  for (const std::vector<int>& order : orders_of(system, {}))
    EXPECT_TRUE(std::ranges::is_sorted(order));
}

// Each dimension in turn takes the first step that can begin.
std::vector<std::vector<int>> reference_service(const std::vector<std::vector<ChunkStep>>& chunks,
                                                bool smallest_first) {
  const std::size_t count = chunks.size();
  std::vector<std::vector<int>> places;
  std::vector<std::size_t> next(count);  // step of each chunk
  std::vector<double> ready(count);      // when it is there
  std::vector<double> free(8);
  std::size_t left = 0;
  for (const auto& steps : chunks) {
    places.emplace_back(steps.size());
    left += steps.size();
  }
  for (int served = 0; left > 0; ++served, --left) {
    double begin = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < count; ++c) {
      if (next[c] == chunks[c].size()) continue;
      begin = std::min(begin, std::max(ready[c], free[chunks[c][next[c]].dimension]));
    }
    std::size_t chosen = count;
    const auto key = [&](std::size_t c) {
      const std::uint64_t bytes = smallest_first ? chunks[c][next[c]].bytes : 0;
      return std::tuple(bytes, ready[c], c);
    };
    int dimension = -1;  // the first that can begin
    for (std::size_t c = 0; c < count; ++c) {
      if (next[c] == chunks[c].size()) continue;
      const int d = chunks[c][next[c]].dimension;
      if (ready[c] > begin || free[d] > begin || (dimension >= 0 && d != dimension)) continue;
      dimension = d;
      if (chosen == count || key(c) < key(chosen)) chosen = c;
    }
    const ChunkStep& step = chunks[chosen][next[chosen]];
    places[chosen][next[chosen]] = served;
    free[step.dimension] = begin + step.transfer;
    ready[chosen] = free[step.dimension] + step.latency;
    ++next[chosen];
  }
  return places;
}

// Steps of each dimension in the order of service.
std::vector<std::vector<std::pair<int, int>>> by_dimension(
    const std::vector<std::vector<ChunkStep>>& chunks,
    const std::vector<std::vector<int>>& places) {
  std::vector<std::vector<std::pair<int, std::pair<int, int>>>> sorted(8);
  for (int c = 0; c < std::ssize(chunks); ++c)
    for (int s = 0; s < std::ssize(chunks[c]); ++s)
      sorted[chunks[c][s].dimension].push_back({places[c][s], {c, s}});
  std::vector<std::vector<std::pair<int, int>>> steps(8);
  for (std::size_t d = 0; d < sorted.size(); ++d) {
    std::ranges::sort(sorted[d]);
    for (const auto& [place, step] : sorted[d]) steps[d].push_back(step);
  }
  return steps;
}

TEST(ChunkSchedule, ServesInTheOrderOfArrivalOrOfSize) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    const std::size_t dimensions = 1 + random.below(5);
    std::vector<std::vector<ChunkStep>> chunks(1 + random.below(20));
    for (std::vector<ChunkStep>& steps : chunks) {
      for (std::size_t s = 1 + random.below(8); s > 0; --s) {
        steps.push_back({static_cast<int>(random.below(dimensions)),
                         static_cast<double>(1 + random.below(1U << 30)),
                         static_cast<double>(random.below(1U << 30)), 1 + random.below(1000)});
      }
    }
    for (const ChunkOrder order : {ChunkOrder::kFifo, ChunkOrder::kScf}) {
      const auto places = service_order(chunks, order);
      ASSERT_EQ(by_dimension(chunks, places),
                by_dimension(chunks, reference_service(chunks, order == ChunkOrder::kScf)))
          << "seed " << seed;
      for (const std::vector<int>& of_chunk : places) EXPECT_TRUE(std::ranges::is_sorted(of_chunk));
    }
  }
}

}  // namespace
}  // namespace fredsim::test
