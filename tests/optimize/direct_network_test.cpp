// SPDX-License-Identifier: Apache-2.0
// Shortest paths against all paths of small random networks.
#include "optimize/direct_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"
#include "support/random_range.h"

namespace fredsim {
namespace {

void add_lengths(const DirectNetwork& network, std::vector<int>& nodes, int to,
                 std::vector<std::size_t>& lengths) {
  if (nodes.back() == to) {
    lengths.push_back(nodes.size() - 1);
    return;
  }
  for (const DirectLink& link : network.links()) {
    if (link.from != nodes.back() || std::ranges::find(nodes, link.to) != nodes.end()) continue;
    nodes.push_back(link.to);
    add_lengths(network, nodes, to, lengths);
    nodes.pop_back();
  }
}

DirectNetwork random_network(Random& random) {
  DirectNetwork network(test::random_between(random, 2, 7));
  const int links = test::random_between(random, 1, 3 * network.nodes());
  for (int i = 0; i < links; ++i) {
    const int from = test::random_between(random, 0, network.nodes() - 1);
    const int to = test::random_between(random, 0, network.nodes() - 1);
    if (from != to) network.add(from, to);
  }
  return network;
}

TEST(DirectNetwork, ShortestPathsAreTheShortestOfAll) {
  constexpr std::uint64_t kSeed = 3;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const DirectNetwork network = random_network(random);
    const int to = network.nodes() - 1, count = test::random_between(random, 1, 6);
    std::vector<std::size_t> lengths;
    std::vector<int> nodes{0};
    add_lengths(network, nodes, to, lengths);
    std::ranges::sort(lengths);
    const auto paths = shortest_paths(network, 0, to, count);
    ASSERT_EQ(paths.size(), std::min<std::size_t>(lengths.size(), count));
    std::set<std::vector<int>> different;
    for (std::size_t k = 0; k < paths.size(); ++k) {
      ASSERT_EQ(paths[k].size(), lengths[k]);
      ASSERT_TRUE(different.insert(paths[k]).second);
      int at = 0;
      for (const int link : paths[k]) {
        ASSERT_TRUE(link >= 0 && link < std::ssize(network.links()));
        ASSERT_EQ(network.links()[link].from, at);
        at = network.links()[link].to;
      }
      ASSERT_EQ(at, to);
    }
  }
}

TEST(DirectNetwork, CountsParallelLinksAndInterfaces) {
  DirectNetwork network(3);
  EXPECT_EQ(network.add(0, 1), network.add(0, 1));
  EXPECT_FALSE(network.joins_all());
  EXPECT_EQ(network.diameter(), -1);
  network.add(1, 2);
  network.add(2, 0);
  EXPECT_EQ(network.links().front().count, 2);
  EXPECT_EQ(network.link(1, 0), -1);
  EXPECT_EQ(network.interfaces(1), 2);
  EXPECT_EQ(network.interfaces(2), 1);
  EXPECT_TRUE(network.joins_all());
  EXPECT_EQ(network.diameter(), 2);
}

}  // namespace
}  // namespace fredsim
