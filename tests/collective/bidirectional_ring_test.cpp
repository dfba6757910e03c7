// SPDX-License-Identifier: Apache-2.0
// bidirectional_ring: results of its trees, on random groups from seeds, and the load of either
// direction.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "fabrics.h"
#include "plan_evaluator.h"
#include "support/collective_specs.h"
#include "support/temporary_folder.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

std::shared_ptr<const Topology> ring_of(int npus) {
  const TemporaryFolder folder;
  const std::string path = folder.file("ring.yaml");
  std::ofstream(path) << fmt::format(
      "name: rings\nclock: 1.5 GHz\nfabric:\n  type: dimensions\n  dimensions:\n"
      "    - {{block: ring, size: {}, bandwidth: 100 GB/s, latency: 100 ns}}\n"
      "    - {{block: switch, size: 2, bandwidth: 100 GB/s, latency: 100 ns}}\n",
      npus);
  return load_config(path).topology.blocks.front().topology;
}

TEST(BidirectionalRing, GivesEveryRankItsResult) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const int npus = 2 + static_cast<int>(random.below(9));
    const auto topology = ring_of(npus);
    std::vector<int> group = first_ranks(npus);
    for (std::size_t i = group.size() - 1; i > 0; --i)
      std::swap(group[i], group[random.below(i + 1)]);
    group.resize(2 + random.below(static_cast<std::size_t>(npus) - 1));
    const std::uint64_t bytes = 1 + random.below(100'000);
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
      SCOPED_TRACE(fmt::format("seed {}: {} of {} bytes by {} of {} NPUs", seed,
                               to_string(collective), bytes, group.size(), npus));
      const std::vector<CollectiveSpec> work{
          spec_of(collective, group, bytes, {.algorithm = "bidirectional_ring"})};
      expect_plan(*topology, work, make_plan(*topology, work));
    }
  }
}

// Half as long as one way around.
TEST(BidirectionalRing, TakesHalfAsLongAsARing) {
  for (const int npus : {3, 4, 8, 16}) {
    const auto topology = ring_of(npus);
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
      const auto bound = [&](const std::string& algorithm) {
        const std::vector<CollectiveSpec> work{
            spec_of(collective, first_ranks(npus), 64 << 20, {.algorithm = algorithm})};
        return make_plan(*topology, work).bound_ns;
      };
      EXPECT_NEAR(bound("ring") / bound("bidirectional_ring"), 2, 0.001) << npus;
      EXPECT_LE(bound("auto"), 1.001 * bound("bidirectional_ring")) << npus;
    }
  }
}

TEST(BidirectionalRing, NeedsARing) {
  const std::vector<CollectiveSpec> work{
      spec_of(Collective::kAllReduce, first_ranks(4), 4096, {.algorithm = "bidirectional_ring"})};
  try {
    make_plan(fred_tree(), work);
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("needs a fabric that is one ring"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace fredsim::test
