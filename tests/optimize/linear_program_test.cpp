// SPDX-License-Identifier: Apache-2.0
// Linear programs against their corners, all of which are tried.
#include "optimize/linear_program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "support/random_range.h"

namespace fredsim::test {
namespace {

struct Corner {
  double x = 0, y = 0;
};

bool satisfies(const Corner& at, const LinearRow& row) {
  const double off = row.weights[0] * at.x + row.weights[1] * at.y - row.bound;
  if (row.relation == Relation::kEqual) return std::abs(off) < 1e-7;
  return row.relation == Relation::kAtMost ? off < 1e-7 : off > -1e-7;
}

// Two variables: minimum cost over the corners, where two rows or axes intersect; infinite without
// a corner.
double least_corner(const std::vector<double>& cost, const std::vector<LinearRow>& rows) {
  std::vector<LinearRow> lines = rows;
  lines.push_back({.weights = {1, 0}, .relation = Relation::kAtLeast, .bound = 0});
  lines.push_back({.weights = {0, 1}, .relation = Relation::kAtLeast, .bound = 0});
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < lines.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const auto& [p, q] = std::pair(lines[a].weights, lines[b].weights);
      const double determinant = p[0] * q[1] - p[1] * q[0];
      if (std::abs(determinant) < 1e-9) continue;
      const Corner at{(lines[a].bound * q[1] - lines[b].bound * p[1]) / determinant,
                      (p[0] * lines[b].bound - q[0] * lines[a].bound) / determinant};
      bool is_allowed = true;
      for (const LinearRow& row : lines) is_allowed = is_allowed && satisfies(at, row);
      if (is_allowed) least = std::min(least, cost[0] * at.x + cost[1] * at.y);
    }
  }
  return least;
}

TEST(LinearProgram, FindsTheBestCornerOfRandomPrograms) {
  constexpr std::uint64_t kSeed = 45;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  int feasible = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<LinearRow> rows{{.weights = {1, 1}, .relation = Relation::kAtMost, .bound = 20}};
    const int more = random_between(random, 1, 5);
    for (int r = 0; r < more; ++r) {
      rows.push_back(
          {.weights = {1.0 * random_between(random, -3, 3), 1.0 * random_between(random, -3, 3)},
           .relation = static_cast<Relation>(random_between(random, 0, 2)),
           .bound = 1.0 * random_between(random, -9, 9)});
    }
    const std::vector<double> cost{1.0 * random_between(random, -5, 5),
                                   1.0 * random_between(random, -5, 5)};
    const double expected = least_corner(cost, rows);
    const LinearSolution found = minimise(cost, rows);
    ASSERT_EQ(found.is_feasible, std::isfinite(expected)) << "trial " << trial;
    if (!found.is_feasible) continue;
    ++feasible;
    ASSERT_TRUE(found.is_bounded);
    ASSERT_NEAR(found.cost, expected, 1e-6) << "trial " << trial;
    for (const LinearRow& row : rows)
      ASSERT_TRUE(satisfies({found.values[0], found.values[1]}, row)) << "trial " << trial;
  }
  EXPECT_GT(feasible, 200);
  EXPECT_LT(feasible, 1800);
}

TEST(LinearProgram, SaysThatThereIsNoBound) {
  const std::vector<LinearRow> rows{
      {.weights = {1, -1}, .relation = Relation::kAtMost, .bound = 1}};
  EXPECT_FALSE(minimise(std::vector{-1.0, 0.0}, rows).is_bounded);
}

TEST(LinearProgram, NamesTheRowsThatClash) {
  const std::vector<LinearRow> rows{
      {.weights = {1, 1}, .relation = Relation::kEqual, .bound = 10, .text = "sum"},
      {.weights = {1, 0}, .relation = Relation::kAtMost, .bound = 9, .text = "harmless"},
      {.weights = {1, 0}, .relation = Relation::kAtLeast, .bound = 6, .text = "x"},
      {.weights = {0, 1}, .relation = Relation::kAtLeast, .bound = 5, .text = "y"}};
  std::vector<std::string> texts;
  for (const LinearRow& row : clashing_rows(2, rows)) texts.push_back(row.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"sum", "x", "y"}));
}

}  // namespace
}  // namespace fredsim::test
