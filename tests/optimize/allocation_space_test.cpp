// SPDX-License-Identifier: Apache-2.0
// Constraints of allocations: permitted ones, and messages if there are none.
#include "optimize/allocation_space.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace fredsim::test {
namespace {

std::string message_of(const AllocationSpace& space) {
  try {
    space.check();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(AllocationSpace, MeasuresByHowMuchAConstraintIsBroken) {
  AllocationSpace space({"d0", "d1", "d2"}, 100);
  space.add_at_least("d0", 50, "--at-least d0=50GB/s");
  space.add_sum({"d1", "d2"}, 40, "--sum d1,d2=40GB/s");
  space.add_descending("--order descending");
  EXPECT_EQ(message_of(space), "");
  EXPECT_DOUBLE_EQ(space.violation({60, 20, 20}), 0);
  EXPECT_DOUBLE_EQ(space.violation({60, 15, 25}), 0.1);
  EXPECT_DOUBLE_EQ(space.violation({45, 45, 10}), 0.15);
  EXPECT_DOUBLE_EQ(space.violation({60, 50, -10}), 0.1);
  const std::vector<double> centre = space.centre();
  EXPECT_LE(space.violation(centre), 1e-12);
  EXPECT_NEAR(centre[0], 60, 1e-9);
  EXPECT_GT(centre[1] - centre[2], 1);
}

TEST(AllocationSpace, NamesTheConstraintsThatClash) {
  AllocationSpace space({"d0", "d1", "d2"}, 100);
  space.add_at_least("d0", 70, "--at-least d0=70GB/s");
  space.add_at_most("d1", 99, "--at-most d1=99GB/s");
  space.add_sum({"d1", "d2"}, 40, "--sum d1,d2=40GB/s");
  EXPECT_EQ(message_of(space),
            "found no allocation for --total 100GB/s, --at-least d0=70GB/s, --sum d1,d2=40GB/s; "
            "allowed: any without one of these");
}

TEST(AllocationSpace, RefusesUnknownDimensionsAndTotals) {
  AllocationSpace space({"d0", "d1"}, 100);
  try {
    space.add_at_least("d7", 1, "--at-least d7=1GB/s");
    FAIL() << "accepted";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "--at-least d7=1GB/s: found dimension 'd7'; allowed: d0, d1");
  }
  EXPECT_THROW(AllocationSpace({"d0"}, 0), BadInput);
  EXPECT_THROW(AllocationSpace({"d0"}, -5), BadInput);
}

}  // namespace
}  // namespace fredsim::test
