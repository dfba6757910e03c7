// SPDX-License-Identifier: Apache-2.0
// Boxes of the algorithms that go level by level, or dimension by dimension where a fabric has no
// levels.
#include <gtest/gtest.h>

#include "collective/detail/member_boxes.h"
#include "fabrics.h"
#include "plan/members.h"

namespace fredsim::test {
namespace {

using Sides = std::vector<int>;
using Ranks = std::vector<int>;

TEST(LevelBox, OfATreeIsByItsSwitches) {
  const Topology tree = fred_tree();
  EXPECT_EQ(level_box(tree, members_of(tree, first_ranks(20))).sides, (Sides{4, 5}));
  EXPECT_EQ(level_box(tree, members_of(tree, {0, 1, 4, 5})).sides, (Sides{2, 2}));
  EXPECT_EQ(level_box(tree, members_of(tree, {0, 1, 4})).sides, (Sides{3}));
}

TEST(LevelBox, OfATorusIsByItsDimensions) {
  const Topology torus = torus3d(4, 3, 2);
  EXPECT_EQ(level_box(torus, members_of(torus, first_ranks(24))).sides, (Sides{4, 3, 2}));
  // Members in another order: (0, 0, 0), (2, 0, 0), (0, 0, 1), (2, 0, 1) in the box.
  const RingBox box = level_box(torus, members_of(torus, {14, 0, 2, 12}));
  EXPECT_EQ(box.sides, (Sides{2, 2}));
  EXPECT_EQ(box.ranks, (Ranks{1, 2, 3, 0}));
  // A line, and groups that are not boxes.
  EXPECT_EQ(level_box(torus, members_of(torus, {1, 5, 9})).sides, (Sides{3}));
  EXPECT_EQ(level_box(torus, members_of(torus, {0, 1, 5, 6})).sides, (Sides{4}));
}

TEST(LevelBox, IsAskedForInMessages) {
  const Topology torus = torus3d(4, 3, 2);
  EXPECT_EQ(levels_refusal(torus, members_of(torus, {0, 1, 4, 5}), "hier_ring", "ring"), "");
  EXPECT_EQ(levels_refusal(torus, members_of(torus, {0, 1, 5}), "hier_ring", "ring"),
            "hier_ring on torus3d needs NPUs that fill a box of two dimensions or more, this group "
            "of 3 does not; allowed: auto or ring");
}

}  // namespace
}  // namespace fredsim::test
