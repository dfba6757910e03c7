// SPDX-License-Identifier: Apache-2.0
// The search without derivatives against the convex one, on the same function.
#include "optimize/simulated_search.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace fredsim::test {
namespace {

// All-reduces along two groups of 8 x 4 x 2.
TimeModel two_collectives() {
  TimeModel model(3);
  TimeBranch branch{.constant_ns = 1e5};
  model.add_to(branch, {7e6, 1.5e6, 0});
  model.add_to(branch, {0, 2e6, 3e6}, 2);
  model.add({branch});
  return model;
}

AllocationSpace bounded_space() {
  AllocationSpace space({"a", "b", "c"}, 600);
  space.add_at_most("c", 150, "c");
  space.add_at_least("b", 120, "b");
  return space;
}

TEST(SimulatedSearch, ComesNearTheConvexOptimum) {
  const TimeModel model = two_collectives();
  const AllocationSpace space = bounded_space();
  const Optimum exact = least_time(model, space);
  ASSERT_TRUE(exact.converged);
  std::uint64_t asked = 0;
  const auto objective = [&](const std::vector<double>& gbps) {
    ++asked;
    EXPECT_LE(space.violation(gbps), 1e-9);
    return model.time_ns(gbps);
  };
  const Optimum found = least_simulated(objective, space, {.tolerance = 1e-4});
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.evaluations, asked);
  EXPECT_GE(found.objective, exact.objective * (1 - 1e-6));
  EXPECT_LE(found.objective, exact.objective * (1 + 2e-3));
}

TEST(SimulatedSearch, KeepsTheBestAtItsLimit) {
  const TimeModel model = two_collectives();
  double least = 1e300;
  const auto objective = [&](const std::vector<double>& gbps) {
    const double ns = model.time_ns(gbps);
    least = std::min(least, ns);
    return ns;
  };
  const Optimum found = least_simulated(objective, bounded_space(), {.max_evaluations = 7});
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.evaluations, 7);
  EXPECT_EQ(found.objective, least);
}

TEST(SimulatedSearch, AsksOnceWhereEqualitiesLeaveNothing) {
  AllocationSpace space({"a", "b"}, 100);
  space.add_sum({"a"}, 30, "a");
  const Optimum found =
      least_simulated([](const std::vector<double>& gbps) { return gbps[0]; }, space);
  EXPECT_EQ(found.evaluations, 1);
  EXPECT_NEAR(found.gbps[1], 70, 1e-9);
}

TEST(SimulatedSearch, PassesOnWhatTheObjectiveThrows) {
  const AllocationSpace space({"a", "b"}, 100);
  int calls = 0;
  EXPECT_THROW(least_simulated(
                   [&](const std::vector<double>&) -> double {
                     if (++calls > 3) throw BadInput("no");
                     return 1.0 / calls;
                   },
                   space),
               BadInput);
  EXPECT_EQ(calls, 4);
}

}  // namespace
}  // namespace fredsim::test
