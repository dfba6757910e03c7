// SPDX-License-Identifier: Apache-2.0
// Bounds of works of several parts, from hand-made plans: each part's busiest link alone, all flits
// of a link after the first start, and sequential parts.
#include "plan/link_load.h"

#include <gtest/gtest.h>

#include <vector>

#include "fabrics.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kMega = 1'000'000;

double one_link_ns(double bytes) { return bytes / test::kMeshLink * 1e9; }
double cycles_ns(double cycles) { return cycles / 1.5; }

// Unicasts on a row of four NPUs: 0 … 3.
struct Unicast {
  int from, to;
  std::uint64_t bytes;
  std::uint64_t start_cycle = 0;
  std::vector<int> after = {};
};

class Bounds : public testing::Test {
 protected:
  Plan plan_of(const std::vector<Unicast>& work) const {
    std::vector<CollectiveSpec> specs;
    for (const Unicast& unicast : work) {
      CollectiveSpec& spec = specs.emplace_back();
      spec.collective = Collective::kUnicast;
      spec.group = {unicast.from, unicast.to};
      spec.bytes = unicast.bytes * kFlitBytes;
      spec.start_cycle = unicast.start_cycle;
    }
    Plan plan = make_plan(row_, specs);
    for (std::size_t p = 0; p < work.size(); ++p) plan.parts[p].after = work[p].after;
    set_bounds(row_, plan);
    for (std::size_t p = 0; p < work.size(); ++p)
      EXPECT_DOUBLE_EQ(plan.parts[p].bound_ns, flits_ns(work[p].bytes)) << p;
    return plan;
  }
  double bound_of(const std::vector<Unicast>& work) const { return plan_of(work).bound_ns; }
  static double flits_ns(std::uint64_t flits) {
    return one_link_ns(static_cast<double>(flits) * kFlitBytes);
  }

  const Topology row_ = test::mesh(4, 1);
};

TEST_F(Bounds, PartsOnDifferentLinksBoundByTheLongest) {
  EXPECT_DOUBLE_EQ(bound_of({{0, 1, 3000}, {1, 0, 5000}, {2, 3, 4000}}), flits_ns(5000));
}

TEST_F(Bounds, PartsOnOneLinkAddUp) {
  // 1 -> 2 carries all three.
  EXPECT_DOUBLE_EQ(bound_of({{0, 2, 3000}, {1, 2, 5000}, {1, 3, 4000}}), flits_ns(12'000));
  EXPECT_DOUBLE_EQ(bound_of({{0, 1, 3000}, {1, 2, 5000}, {0, 3, 4000}}), flits_ns(9000));
}

// The flits of a link leave after the earliest start of any source.
TEST_F(Bounds, TheBusiestLinkBeginsWithTheFirstStart) {
  EXPECT_DOUBLE_EQ(bound_of({{0, 1, 3000, 900}, {0, 1, 5000, 600}}),
                   cycles_ns(600) + flits_ns(8000));
  EXPECT_DOUBLE_EQ(bound_of({{0, 1, 3000, 900}, {0, 1, 5000, 600}, {2, 1, 1, 30}}),
                   cycles_ns(30) + flits_ns(8000));
}

TEST_F(Bounds, ALateStartCounts) {
  EXPECT_DOUBLE_EQ(bound_of({{0, 1, 3000}, {0, 1, 100, kMega}}), cycles_ns(kMega) + flits_ns(100));
  EXPECT_DOUBLE_EQ(bound_of({{0, 1, 100, kMega}, {0, 1, 3000}}), cycles_ns(kMega) + flits_ns(100));
}

TEST_F(Bounds, PartsAfterOthersFollowTheirEnds) {
  EXPECT_DOUBLE_EQ(bound_of({{0, 1, 3000}, {1, 0, 5000, 0, {0}}}), flits_ns(8000));
  EXPECT_DOUBLE_EQ(bound_of({{0, 1, 3000}, {1, 0, 5000, 0, {0}}, {2, 3, 4000, 0, {1}}}),
                   flits_ns(12'000));
  // After the later of two, which are given in either order.
  EXPECT_DOUBLE_EQ(bound_of({{0, 1, 3000}, {1, 0, 5000}, {2, 3, 4000, 0, {0, 1}}}), flits_ns(9000));
  EXPECT_DOUBLE_EQ(bound_of({{0, 1, 3000}, {1, 0, 5000}, {2, 3, 4000, 0, {1, 0}}}), flits_ns(9000));
  // A part that is named before the one that it comes after.
  EXPECT_DOUBLE_EQ(bound_of({{1, 0, 5000, 0, {1}}, {0, 1, 3000}}), flits_ns(8000));
  EXPECT_DOUBLE_EQ(bound_of({{1, 0, 5000, 0, {2}}, {2, 3, 1000}, {0, 1, 3000, 0, {1}}}),
                   flits_ns(9000));
}

// Its own start cycle or the end of the one before, whichever is later.
TEST_F(Bounds, StartsAndEndsTogether) {
  EXPECT_DOUBLE_EQ(bound_of({{0, 1, 3000, 600}, {1, 0, 5000, 900, {0}}}),
                   cycles_ns(600) + flits_ns(8000));
  EXPECT_DOUBLE_EQ(bound_of({{0, 1, 3000, 600}, {1, 0, 5000, kMega, {0}}}),
                   cycles_ns(kMega) + flits_ns(5000));
}

// Sequential parts on one link: exactly the sum of its flits.
TEST_F(Bounds, AfterOnOneLinkIsTheSum) {
  EXPECT_DOUBLE_EQ(bound_of({{0, 1, 3000}, {0, 1, 5000, 0, {0}}}), flits_ns(8000));
  EXPECT_DOUBLE_EQ(bound_of({{0, 1, 3000}, {0, 1, 5000, 0, {0}}, {0, 1, 4000}}), flits_ns(12'000));
}

// A part that sends nothing ends as it starts.
TEST_F(Bounds, APartOfOneNpuTakesNoTime) {
  Plan plan = plan_of({{0, 1, 3000}});
  Part alone;
  alone.members = {row_.npus[2]};
  alone.after = {0};
  plan.parts.push_back(alone);
  Part next = plan.parts[0];
  next.after = {1};
  plan.parts.push_back(next);
  Tree tree = plan.trees[0];
  tree.part = 2;
  plan.trees.push_back(tree);
  set_bounds(row_, plan);
  EXPECT_EQ(plan.parts[1].bound_ns, 0);
  EXPECT_DOUBLE_EQ(plan.bound_ns, flits_ns(6000));
}

TEST_F(Bounds, FlitsOfALinkAreThoseOfAllParts) {
  const Plan plan = plan_of({{0, 2, 3000}, {1, 3, 5000}});
  const std::vector<std::uint64_t> flits = link_flits(row_, plan);
  const auto between = [&](int from, int to) {
    for (std::size_t l = 0; l < flits.size(); ++l) {
      const Link& link = row_.links[l];
      const Node& a = row_.nodes[link.from];
      const Node& b = row_.nodes[link.to];
      if (a.is_switch() && b.is_switch() && a.mesh.x == from && b.mesh.x == to) return flits[l];
    }
    ADD_FAILURE() << "no link";
    return std::uint64_t{0};
  };
  EXPECT_EQ(between(0, 1), 3000U);
  EXPECT_EQ(between(1, 2), 8000U);
  EXPECT_EQ(between(2, 3), 5000U);
  EXPECT_EQ(between(1, 0), 0U);
}

}  // namespace
}  // namespace fredsim
