// SPDX-License-Identifier: Apache-2.0
// Placements that look at the fabric: the snake, and the choice between it, the paper's and
// searched ones.
#include "placement/worker_placement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "base/error.h"
#include "fabrics.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

struct Grid {
  int width, height;
};

int distance(const Grid& grid, int a, int b) {
  return std::abs(a % grid.width - b % grid.width) + std::abs(a / grid.width - b / grid.width);
}

TEST(WorkerPlacement, TheSnakeIsThePapersOrderAlongNeighbours) {
  for (const Grid grid : {Grid{4, 5}, Grid{5, 4}, Grid{3, 3}, Grid{2, 6}}) {
    const Topology mesh = test::mesh(grid.width, grid.height);
    for (const Strategy& s : all_strategies(grid.width * grid.height)) {
      SCOPED_TRACE(fmt::format("{} on {} x {}", to_string(s), grid.width, grid.height));
      const std::vector<int> paper = paper_placement(s);
      const std::vector<int> npus = snake_placement(s, mesh);
      ASSERT_EQ(npus.size(), paper.size());
      std::map<int, int> at;  // index in the paper's order -> NPU
      for (std::size_t w = 0; w < npus.size(); ++w) at[paper[w]] = npus[w];
      EXPECT_EQ(at[0], 0);
      for (int i = 1; i < s.workers(); ++i) EXPECT_EQ(distance(grid, at[i - 1], at[i]), 1) << i;
      std::vector<int> sorted = npus;
      std::ranges::sort(sorted);
      EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
    }
  }
}

// MP groups talk in every layer, DP groups once.
std::vector<WorkerTraffic> traffic_of(const Strategy& strategy, const std::string& algorithm,
                                      std::uint64_t bytes = 4 << 20) {
  std::vector<WorkerTraffic> traffic;
  for (const auto& [dimension, times] :
       {std::pair(Dimension::kMp, 16), std::pair(Dimension::kDp, 1),
        std::pair(Dimension::kPp, 1)}) {
    WorkerTraffic kind{.work = {}, .times = static_cast<double>(times)};
    for (const std::vector<int>& group : groups_of(strategy, dimension)) {
      CollectiveSpec& spec = kind.work.emplace_back();
      spec.collective = collective_of(dimension);
      spec.group = group;
      spec.bytes = bytes;
      spec.vc = vc_of(dimension);
      spec.algorithm = algorithm;
    }
    if (!kind.work.empty()) traffic.push_back(std::move(kind));
  }
  return traffic;
}

TEST(WorkerPlacement, OnTreesItIsThePapers) {
  const Strategy s = parse_strategy("mp3-dp3-pp2");
  EXPECT_EQ(snake_placement(s, test::fred_tree()), paper_placement(s));
  EXPECT_EQ(auto_placement(s, test::fred_tree(), traffic_of(s, "paper")).name, "paper");
}

// Number of rings of MP groups, each both ways with half of the data, through the fullest link, by
// X-Y routes.
double max_rings(const Grid& grid, const Strategy& s, const std::vector<int>& npus) {
  std::map<std::pair<int, int>, double> load;
  const auto send = [&](int from, int to) {
    while (from != to) {
      const int dx = to % grid.width - from % grid.width;
      const int dy = to / grid.width - from / grid.width;
      const int step = dx != 0 ? (dx > 0 ? 1 : -1) : (dy > 0 ? grid.width : -grid.width);
      load[{from, from + step}] += 0.5;
      from += step;
    }
  };
  for (const std::vector<int>& group : groups_of(s, Dimension::kMp)) {
    const std::vector<int> on = placed(group, npus);
    for (std::size_t i = 0; i < on.size(); ++i) {
      send(on[i], on[(i + 1) % on.size()]);
      send(on[(i + 1) % on.size()], on[i]);
    }
  }
  double max = 0;
  for (const auto& [link, rings] : load) max = std::max(max, rings);
  return max;
}

TEST(WorkerPlacement, AutoIsNeverWorseAndTakesAnotherOneForAReason) {
  const Grid grid{4, 5};
  const Topology mesh = test::mesh(grid.width, grid.height);
  for (const char* name : {"mp3-dp3-pp2", "mp2-dp5-pp2", "mp5-dp4", "mp2-dp3", "mp7-dp2"}) {
    SCOPED_TRACE(name);
    const Strategy s = parse_strategy(name);
    const std::vector<WorkerTraffic> traffic = traffic_of(s, "ring");
    const WorkerPlacement found = auto_placement(s, mesh, traffic);
    const double ns = placement_ns(mesh, traffic, found.npus);
    const double of_paper = placement_ns(mesh, traffic, paper_placement(s));
    EXPECT_LE(ns, of_paper);
    EXPECT_LE(ns * 0.98, placement_ns(mesh, traffic, snake_placement(s, mesh)));
    EXPECT_LE(max_rings(grid, s, found.npus), max_rings(grid, s, paper_placement(s)));
    EXPECT_EQ(found.npus.size(), static_cast<std::size_t>(s.workers()));
    std::vector<int> sorted = found.npus;
    std::ranges::sort(sorted);
    EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
    EXPECT_GE(sorted.front(), 0);
    EXPECT_LT(sorted.back(), grid.width * grid.height);
    if (found.name != "paper") {
      EXPECT_LT(ns, of_paper * 0.99);
    }
    if (s.workers() < 10) {
      EXPECT_EQ(auto_placement(s, mesh, traffic).npus, found.npus) << "same seed";
    }
  }
}

// Rows of five leave one NPU of sixteen alone, which has one link; a square of four has trees of
// all links.
TEST(WorkerPlacement, SixteenOnAMeshFiveWideAreASquare) {
  const Topology mesh = test::mesh(5, 4);
  const Strategy s = parse_strategy("mp16");
  const std::vector<WorkerTraffic> traffic = traffic_of(s, "auto", 256 * 1024);
  const WorkerPlacement found = auto_placement(s, mesh, traffic);
  EXPECT_EQ(found.name, "searched");
  EXPECT_LT(placement_ns(mesh, traffic, found.npus),
            0.95 * placement_ns(mesh, traffic, paper_placement(s)));
  EXPECT_LT(placement_ns(mesh, traffic, found.npus),
            0.4 * placement_ns(mesh, traffic_of(s, "ring", 256 * 1024), paper_placement(s)));
  CollectiveSpec spec = traffic.front().work.front();
  spec.group = placed(spec.group, found.npus);
  EXPECT_EQ(make_plan(mesh, {&spec, 1}).parts.front().algorithm, "multi_tree");
}

TEST(WorkerPlacement, OnATreeGroupsStayBelowASwitchWhereTheyCan) {
  const Topology tree = test::fred_tree({}, false);
  const Strategy s = parse_strategy("mp2-dp10");
  WorkerTraffic pairs = traffic_of(s, "ring").front();
  // Partners that the paper's order has apart.
  for (CollectiveSpec& spec : pairs.work) spec.group[1] = (spec.group[1] + 9) % 20;
  const WorkerPlacement found = auto_placement(s, tree, {&pairs, 1});
  for (const CollectiveSpec& spec : pairs.work)
    EXPECT_EQ(found.npus[spec.group[0]] / 4, found.npus[spec.group[1]] / 4);
}

TEST(WorkerPlacement, WorkersOfNoStrategyAreAsGivenOrSearched) {
  const Topology mesh = test::mesh(4, 4);
  WorkerTraffic corners;
  corners.work.resize(1);
  corners.work.front().group = {0, 3, 12, 15};
  corners.work.front().bytes = 1 << 20;
  const WorkerPlacement found = auto_placement(16, mesh, {&corners, 1});
  EXPECT_EQ(found.name, "searched");
  EXPECT_LT(placement_ns(mesh, {&corners, 1}, found.npus),
            0.8 * placement_ns(mesh, {&corners, 1}, test::first_ranks(16)));
  corners.work.front().group = {0, 1, 4, 5};
  corners.work.front().algorithm = "multi_tree";
  EXPECT_EQ(auto_placement(16, mesh, {&corners, 1}).name, "identity");
}

TEST(WorkerPlacement, MoreWorkersThanNpusAreRefused) {
  EXPECT_THROW(snake_placement(parse_strategy("mp5"), test::mesh(2, 2)), BadInput);
}

}  // namespace
}  // namespace fredsim
