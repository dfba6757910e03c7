// SPDX-License-Identifier: Apache-2.0
// one_shot: every rank gets each vector once and adds all of them in one order, on random machines
// with failed components.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "config/describe.h"
#include "plan_evaluator.h"
#include "support/collective_specs.h"
#include "systems/make_plan.h"
#include "topology/faults.h"

namespace fredsim::test {
namespace {

using Texts = std::vector<std::string>;

Topology with_faults(const std::string& config, Texts settings, const Texts& faults) {
  if (!faults.empty()) settings.push_back(fmt::format("faults=['{}']", fmt::join(faults, "', '")));
  return load_config("configs/" + config + ".yaml", settings).topology;
}

// Parts of any sort, at random.
Texts random_faults(const Topology& whole, std::uint64_t count, Random& random) {
  Texts parts;
  std::istringstream lines(describe_parts(whole));
  for (std::string part; std::getline(lines, part);) parts.push_back(part);
  std::set<std::string> faults;
  while (faults.size() < count) faults.insert(parts[random.below(parts.size())]);
  return {faults.begin(), faults.end()};
}

// Whole or in part, in any order.
std::vector<int> random_members(const Topology& topology, Random& random) {
  std::vector<int> group = npus_left(topology);
  if (random.below(3) == 0) return group;
  for (std::size_t i = group.size() - 1; i > 0; --i)
    std::swap(group[i], group[random.below(i + 1)]);
  group.resize(2 + random.below(group.size() - 1));
  return group;
}

std::vector<std::uint64_t> bytes_received(const Plan& plan) {
  std::vector<std::uint64_t> received(plan.parts[0].members.size());
  for (const Tree& tree : plan.trees)
    for_each_send(tree.ranks, [&](int, const Send& send) { received[send.rank] += tree.bytes; });
  return received;
}

void expect_one_shot(const Topology& topology, const CollectiveSpec& spec, const Plan& plan) {
  expect_plan(topology, {&spec, 1}, plan);
  const std::uint64_t others = spec.group.size() - 1;
  for (const std::uint64_t bytes : bytes_received(plan)) EXPECT_EQ(bytes, others * spec.bytes);
  for (const Tree& tree : plan.trees) {
    int next = 0;
    for (const int leaf : tree.order.postfix())
      if (tree.operands > 0 && leaf != SumOrder::kAdd) {
        EXPECT_EQ(leaf, next++);
      }
  }
}

class OneShotPlans : public testing::TestWithParam<std::uint64_t> {};

TEST_P(OneShotPlans, BringEveryVectorToAllOnce) {
  const std::uint64_t seed = GetParam();
  Random random(seed);
  const bool is_grid = seed % 3 != 2;
  const Texts settings = is_grid ? Texts{fmt::format("npu.count={}", 12), "io.count=0",
                                         "fabric.width=4", "fabric.height=3"}
                                 : Texts{fmt::format("fabric.in_switch={}", seed % 2 == 0)};
  const std::string config = is_grid ? (seed % 3 == 0 ? "mesh" : "torus") : "fred_d";
  const Topology whole = with_faults(config, settings, {});
  Texts faults;
  const auto machine = [&]() -> Topology {
    for (;;) {
      faults = random_faults(whole, random.below(4), random);
      try {
        return with_faults(config, settings, faults);
      } catch (const BadInput&) {  // they leave no machine
      }
    }
  };
  const Topology topology = machine();
  SCOPED_TRACE(fmt::format("seed {}: {} without {}", seed, config, fmt::join(faults, " ")));
  for (int k = 0; k < 4; ++k) {
    const CollectiveSpec spec =
        spec_of(Collective::kAllReduce, random_members(topology, random),
                1 + random.below(random.below(2) == 0 ? 600 : 60'000), {.algorithm = "one_shot"});
    SCOPED_TRACE(fmt::format("{} bytes, group {}", spec.bytes, fmt::join(spec.group, ",")));
    try {
      expect_one_shot(topology, spec, make_plan(topology, {&spec, 1}));
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find("any more"), std::string::npos) << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, OneShotPlans, testing::Range<std::uint64_t>(0, 36));

// Flits that both kinds of combs would share go along rows and columns in turn; vectors of all
// lengths are covered once.
TEST(OneShot, CutsVectorsOfAnyLengthAlike) {
  const Topology topology = load_config("configs/mesh.yaml").topology;
  for (std::uint64_t flits = 1; flits < 40; ++flits) {
    SCOPED_TRACE(flits);
    const CollectiveSpec spec = spec_of(Collective::kAllReduce, npus_left(topology),
                                        flits * kFlitBytes - 3, {.algorithm = "one_shot"});
    expect_one_shot(topology, spec, make_plan(topology, {&spec, 1}));
  }
}

TEST(OneShot, IsOfAllReducesAlone) {
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  EXPECT_THROW(make_plan(topology, Collective::kAllGather, {0, 1, 2}, 5000, "one_shot"), BadInput);
}

}  // namespace
}  // namespace fredsim::test
