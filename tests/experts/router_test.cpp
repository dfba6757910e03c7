// SPDX-License-Identifier: Apache-2.0
// Routers: chances add up, none is above 1, Zipf's law in another order per layer.
#include "experts/router.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "support/random_range.h"

namespace fredsim::test {
namespace {

TEST(Router, UniformGivesEveryExpertAsMuch) {
  const Router router({}, 3, 4, 8, 2);
  for (const double chance : router.chances(2, 3)) EXPECT_DOUBLE_EQ(chance, 0.25);
}

TEST(Router, ZipfFollowsItsLaw) {
  const Router router(parse_router("zipf:1", 7), 2, 4, 16, 1);
  std::vector<double> sorted = router.chances(0, 0);
  std::ranges::sort(sorted, std::greater<>());
  for (std::size_t r = 1; r < sorted.size(); ++r)
    EXPECT_NEAR(sorted[0] / sorted[r], static_cast<double>(r + 1), 1e-9);
  EXPECT_NE(router.chances(0, 0), router.chances(1, 0));
  EXPECT_EQ(router.chances(0, 0), router.chances(0, 3));
  const Router same(parse_router("zipf:1", 7), 2, 4, 16, 1);
  EXPECT_EQ(router.chances(1, 0), same.chances(1, 0));
  const Router other(parse_router("zipf:1", 8), 2, 4, 16, 1);
  EXPECT_NE(router.chances(1, 0), other.chances(1, 0));
}

TEST(Router, ChancesAddUpAndNoneIsAbove1) {
  Random random(46);
  for (int trial = 0; trial < 500; ++trial) {
    const int experts = random_between(random, 1, 64);
    const int top_k = random_between(random, 1, experts);
    const double exponent = static_cast<double>(random.below(40)) / 10;
    SCOPED_TRACE(testing::Message() << trial << ": " << experts << ' ' << top_k << ' ' << exponent);
    const Router router(
        {.kind = RouterOptions::Kind::kZipf, .exponent = exponent, .seed = random.next()}, 1, 1,
        experts, top_k);
    const std::vector<double>& chances = router.chances(0, 0);
    EXPECT_NEAR(std::accumulate(chances.begin(), chances.end(), 0.0), top_k, 1e-9);
    EXPECT_LE(std::ranges::max(chances), 1);
    // Probabilities below 1 keep their ratios.
    std::vector<double> sorted = chances;
    std::ranges::sort(sorted, std::greater<>());
    for (std::size_t r = 1; r < sorted.size(); ++r) {
      if (sorted[r - 1] < 1) {
        EXPECT_NEAR(sorted[r - 1] / sorted[r],
                    std::pow(static_cast<double>(r + 1) / static_cast<double>(r), exponent), 1e-6);
      }
    }
  }
}

TEST(Router, RefusesWordsThatAreNone) {
  for (const char* text : {"zipf:", "zipf:-1", "zipf:9", "zipf:1x", "zipf:nan"})
    EXPECT_ANY_THROW(parse_router(text, 1)) << text;
}

}  // namespace
}  // namespace fredsim::test
