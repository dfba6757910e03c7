// SPDX-License-Identifier: Apache-2.0
// In-switch collectives on a mesh whose routers add: results of the programmed routers, links used,
// and groups that conflict. The evaluator knows rows of the phase store and links, not trees.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "fabrics.h"
#include "plan/link_load.h"
#include "plan/link_walk.h"
#include "plan_evaluator.h"
#include "support/collective_specs.h"
#include "support/random_work.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

using test::first_ranks;

CollectiveSpec in_switch(Collective collective, std::vector<int> group, std::uint64_t bytes) {
  return test::spec_of(collective, std::move(group), bytes, {.algorithm = "in_switch"});
}

// Links between routers that carry something, and the flits of the busiest one.
std::pair<int, std::uint64_t> mesh_load(const Topology& topology, const Plan& plan) {
  const std::vector<std::uint64_t> flits = link_flits(topology, plan);
  std::pair<int, std::uint64_t> load;
  for (std::size_t l = 0; l < flits.size(); ++l) {
    const Link& link = topology.links[l];
    if (topology.nodes[link.from].is_endpoint() || topology.nodes[link.to].is_endpoint()) continue;
    load.first += flits[l] > 0 ? 1 : 0;
    load.second = std::max(load.second, flits[l]);
  }
  return load;
}

TEST(GridPlan, WholeMeshesCarryTheDataOnceEachWayOnALinkPerRouterButOne) {
  for (const auto& [width, height] : {std::pair{5, 4}, {2, 2}, {1, 5}, {6, 1}, {8, 3}}) {
    SCOPED_TRACE(fmt::format("{} x {}", width, height));
    const Topology topology = test::reducing_mesh(width, height);
    const std::vector<CollectiveSpec> work{
        in_switch(Collective::kAllReduce, first_ranks(width * height), 1000 * kFlitBytes)};
    const Plan plan = make_plan(topology, work);
    EXPECT_EQ(plan.parts[0].algorithm, "in_switch");
    test::expect_plan(topology, work, plan);
    EXPECT_EQ(plan.programs.size(), static_cast<std::size_t>(width * height));
    EXPECT_EQ(mesh_load(topology, plan),
              (std::pair{2 * (width * height - 1), std::uint64_t{1000}}));
    EXPECT_DOUBLE_EQ(plan.bound_ns, 1000.0 * kFlitBytes / test::kMeshLink * 1e9);
  }
}

// Every collective, alone, on any group: every rank gets exactly its results.
TEST(GridPlan, AnyCollectiveOnAnyGroup) {
  constexpr Collective kInSwitch[] = {Collective::kAllReduce,    Collective::kReduce,
                                      Collective::kBroadcast,    Collective::kMulticast,
                                      Collective::kUnicast,      Collective::kAllGather,
                                      Collective::kReduceScatter};
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const int width = 1 + static_cast<int>(random.below(7));
    const int height = (width == 1 ? 2 : 1) + static_cast<int>(random.below(6));
    const Topology topology = test::reducing_mesh(width, height);
    for (const Collective collective : kInSwitch) {
      CollectiveSpec spec = in_switch(collective, test::random_group(random, width * height),
                                      1 + random.below(30'000));
      if (spec.group.size() < 2) spec.group = {1, 0};
      if (collective == Collective::kUnicast) spec.group.resize(2);
      spec.root = static_cast<int>(random.below(spec.group.size()));
      spec.vc = static_cast<int>(random.below(3));
      const Plan plan = make_plan(topology, {&spec, 1});
      EXPECT_EQ(plan.parts[0].algorithm, "in_switch");
      test::expect_plan(topology, {&spec, 1}, plan);
      EXPECT_TRUE(plan.notes.empty());
    }
  }
}

// Ports that the packets of a part in the routers take, by virtual channel.
std::set<std::pair<int, int>> links_of(const Topology& topology, const Plan& plan, int part) {
  const LinkWalk walk(topology, plan, false);
  std::set<std::pair<int, int>> links;
  for (const Tree& tree : plan.trees) {
    if (tree.part != part || tree.transport != Transport::kInSwitch) continue;
    walk.walk(tree, [&](int link) { links.insert({plan.parts[part].vc, link}); });
  }
  return links;
}

bool waits_for(const Plan& plan, int part, int other) {
  return std::ranges::any_of(plan.parts[part].after, [&](int before) {
    return before == other || waits_for(plan, before, other);
  });
}

// Several concurrent collectives of all types: the assumptions of the header of grid_trees.h.
TEST(GridPlan, ConcurrentPartsShareNoLinkOfAChannel) {
  int later = 0;
  int apart = 0;
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology topology = test::reducing_mesh(2 + static_cast<int>(random.below(5)),
                                                  1 + static_cast<int>(random.below(5)));
    const auto npus = static_cast<int>(topology.npus.size());
    std::vector<CollectiveSpec> work = test::random_work(random, npus, 6, 20'000);
    for (CollectiveSpec& spec : work)  // forced into routers, even if the model prefers another
                                       // algorithm
      if (spec.algorithm == "auto") spec.algorithm = "paper";
    const Plan plan =
        make_plan(topology, work, seed % 2 == 0 ? OnConflict::kLater : OnConflict::kUnicast);
    test::expect_plan(topology, work, plan);
    const int parts = static_cast<int>(plan.parts.size());
    std::vector<std::set<std::pair<int, int>>> links;
    for (int part = 0; part < parts; ++part) links.push_back(links_of(topology, plan, part));
    std::vector<std::set<int>> unicasts(plan.parts.size());  // channels
    for (const Tree& tree : plan.trees) {
      for (const TreeRank& rank : tree.ranks) {
        for (const auto* sends : {&rank.reduce_to, &rank.broadcast_to})
          for (const Send& send : *sends) unicasts[tree.part].insert(send.vc);
      }
    }
    for (int a = 0; a < parts; ++a) {
      for (int b = 0; b < parts; ++b) {
        if (a == b || waits_for(plan, a, b) || waits_for(plan, b, a)) {
          later += waits_for(plan, a, b) ? 1 : 0;
          continue;
        }
        std::vector<std::pair<int, int>> both;
        std::ranges::set_intersection(links[a], links[b], std::back_inserter(both));
        EXPECT_TRUE(both.empty()) << "parts " << a << " and " << b;
        if (!links[a].empty()) {
          EXPECT_FALSE(unicasts[b].contains(plan.parts[a].vc)) << "parts " << a << " and " << b;
        }
        apart += !links[a].empty() && !links[b].empty() ? 1 : 0;
      }
    }
  }
  EXPECT_GT(later, 100);
  EXPECT_GT(apart, 100);
}

std::string refusal_of(const Topology& topology, const std::vector<std::vector<int>>& groups) {
  std::vector<CollectiveSpec> work;
  for (const auto& group : groups) work.push_back(in_switch(Collective::kAllReduce, group, 8000));
  try {
    make_plan(topology, work);
  } catch (const GroupConflict& conflict) {
    return conflict.what();
  }
  return "";
}

// A group whose first tree collides with another one takes another column, or goes along columns
// first: the corners would meet in the middle column, which the other group needs.
TEST(GridPlan, GroupsGoAnotherWayWhereTheirTreesWouldMeet) {
  const Topology topology = test::reducing_mesh(3, 3);
  EXPECT_EQ(refusal_of(topology, {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}), "");
  EXPECT_EQ(refusal_of(topology, {{0, 3, 6}, {1, 4, 7}, {2, 5, 8}}), "");
  EXPECT_EQ(refusal_of(topology, {{0, 2, 6, 8}, {1, 7}}), "");
  EXPECT_EQ(refusal_of(topology, {{0, 2, 6, 8}, {1, 7}, {3, 5}}), "");
  EXPECT_NE(refusal_of(topology, {{0, 4}, {1, 3}}), "");  // two corners of a square, and the
                                                          // opposite corners
}

TEST(GridPlan, AConflictNamesTheGroupsAndARouter) {
  const Topology row = test::reducing_mesh(4, 1);
  const std::string message = refusal_of(row, {{0, 2}, {1, 3}});
  for (const char* word : {"group 0,2", "group 1,3", "r1_0", "together", "--on-conflict"})
    EXPECT_NE(message.find(word), std::string::npos) << message;
  // Opposite directions of a link are two.
  std::vector<CollectiveSpec> opposite{in_switch(Collective::kUnicast, {0, 2}, 8000),
                                       in_switch(Collective::kUnicast, {3, 1}, 8000)};
  EXPECT_TRUE(make_plan(row, opposite).parts[1].after.empty());
}

TEST(GridPlan, AskedForOnRoutersThatDoNotAddItIsRefused) {
  const CollectiveSpec spec = in_switch(Collective::kAllReduce, {0, 1, 2}, 8000);
  try {
    make_plan(test::mesh(2, 2), {&spec, 1});
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(),
                 "algorithm: in_switch needs switches that add, mesh has others; allowed: auto, "
                 "paper, ring, detours … (11 more: fredsim help run --all)");
  }
}

}  // namespace
}  // namespace fredsim
