// Placements that look at the fabric: the snake, and the choice between it and the paper's.
#include "collective/worker_placement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "base/error.h"
#include "fabrics.h"

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
      std::map<int, int> at;  // by place in the paper's order
      for (std::size_t w = 0; w < npus.size(); ++w) at[paper[w]] = npus[w];
      EXPECT_EQ(at[0], 0);
      for (int i = 1; i < s.workers(); ++i) EXPECT_EQ(distance(grid, at[i - 1], at[i]), 1) << i;
      std::vector<int> sorted = npus;
      std::ranges::sort(sorted);
      EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
    }
  }
}

TEST(WorkerPlacement, OnTreesItIsThePapers) {
  const Strategy s = parse_strategy("mp3-dp3-pp2");
  EXPECT_EQ(snake_placement(s, test::fred_tree()), paper_placement(s));
  EXPECT_EQ(auto_placement(s, test::fred_tree(), "paper").name, "paper");
}

// How many rings of MP groups, each both ways with half of the data, go through the fullest link, by X-Y routes.
double most_rings(const Grid& grid, const Strategy& s, const std::vector<int>& npus) {
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
  double most = 0;
  for (const auto& [link, rings] : load) most = std::max(most, rings);
  return most;
}

TEST(WorkerPlacement, AutoTakesTheOneWhoseMpGroupsShareLinksLess) {
  const Grid grid{4, 5};
  const Topology mesh = test::mesh(grid.width, grid.height);
  const auto chosen = [&](const char* strategy) {
    return auto_placement(parse_strategy(strategy), mesh, "ring").name;
  };
  EXPECT_EQ(chosen("mp3-dp3-pp2"), "snake");
  EXPECT_EQ(chosen("mp2-dp5-pp2"), "paper");  // pairs are neighbours either way, DP groups columns
  EXPECT_EQ(chosen("mp4-dp5-pp1"), "paper");
  int snakes = 0;
  for (const Strategy& s : all_strategies(20)) {
    if (s.mp < 2) continue;
    const WorkerPlacement placement = auto_placement(s, mesh, "ring");
    EXPECT_LE(most_rings(grid, s, placement.npus), most_rings(grid, s, paper_placement(s)))
        << to_string(s);
    if (placement.name == "snake") ++snakes;
  }
  EXPECT_GT(snakes, 10);
}

TEST(WorkerPlacement, MoreWorkersThanNpusAreRefused) {
  EXPECT_THROW(snake_placement(parse_strategy("mp5"), test::mesh(2, 2)), BadInput);
}

}  // namespace
}  // namespace fredsim
