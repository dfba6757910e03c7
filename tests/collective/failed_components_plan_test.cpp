// SPDX-License-Identifier: Apache-2.0
// Plans on FRED trees with failed components: payloads stay right for any order of additions; the
// busiest link is near the bound of the remaining capacity; and only disconnected groups are
// refused.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
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

const Texts kFredB{"fabric.uplink_bandwidth=1.5TB/s"};

// Links of NPUs, uplinks and chiplets, as they come.
Texts random_faults(const Topology& whole, std::uint64_t count, Random& random) {
  Texts parts;
  std::istringstream lines(describe_parts(whole));
  for (std::string part; std::getline(lines, part);)
    if (part.starts_with("link:npu") || part.starts_with("link:l1") || part.starts_with("switch:"))
      parts.push_back(part);
  std::set<std::string> faults;
  while (faults.size() < count) faults.insert(parts[random.below(parts.size())]);
  return {faults.begin(), faults.end()};
}

// Bytes/s of the links of a node towards a level: 0, its endpoints; 2, uplinks.
double capacity(const Topology& topology, NodeId from) {
  double sum = 0;
  for (const Link& link : topology.links)
    if (link.from == from && topology.nodes[link.to].level > topology.nodes[from].level)
      sum += static_cast<double>(link.bytes_per_second);
  return sum;
}

// Capacity bound of an all-reduce in the switches: each NPU sends the vector once, and each L1
// switch sends it up once.
double capacity_ns(const Topology& topology, std::uint64_t bytes) {
  std::map<std::string, double> of_switch;
  double min = std::numeric_limits<double>::infinity();
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    const Node& node = topology.nodes[id];
    if (node.kind == NodeKind::kNpu && !node.failed) min = std::min(min, capacity(topology, id));
    if (node.level == 1)
      of_switch[node.name.substr(0, node.name.find('.'))] += capacity(topology, id);
  }
  for (const auto& [name, up] : of_switch) min = std::min(min, up);
  return static_cast<double>(bytes) / min * 1e9;
}

CollectiveSpec spec_of_all_left(const Topology& topology, Collective collective,
                                std::uint64_t bytes, const std::string& algorithm = "auto") {
  return spec_of(collective, npus_left(topology), bytes, {.algorithm = algorithm});
}

class FailedComponents : public testing::TestWithParam<std::uint64_t> {};

TEST_P(FailedComponents, CostWhatTheCapacityLeftSays) {
  constexpr std::uint64_t kBytes = 64 << 20;
  for (const Texts& settings : {Texts{}, kFredB}) {
    Random random(GetParam());
    const Topology whole = with_faults("fred_d", settings, {});
    const Texts faults = random_faults(whole, 1 + GetParam() % 12, random);
    SCOPED_TRACE(fmt::format("seed {}: {}", GetParam(), fmt::join(faults, " ")));
    const Topology topology = with_faults("fred_d", settings, faults);
    const CollectiveSpec spec = spec_of_all_left(topology, Collective::kAllReduce, kBytes);
    const Plan plan = make_plan(topology, {&spec, 1});
    expect_plan(topology, {&spec, 1}, plan);
    const double ratio = plan.bound_ns / capacity_ns(topology, kBytes);
    // An L1 chiplet of Fred-B may leave its NPUs a few uplinks that all lead the same way.
    EXPECT_LE(ratio, settings.empty() ? 1.3 : 2.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FailedComponents, testing::Range<std::uint64_t>(0, 48));

TEST(FailedComponentsPlan, EveryCollectiveAndAlgorithmIsRight) {
  const Texts ports{"link:npu0.0->l1_0.s0.0", "link:npu5.1->l1_1.s1.1", "link:npu10.2->l1_2.s2.2",
                    "link:npu15.3->l1_3.s3.3", "link:npu16.4->l1_4.s4.0"};
  for (const Texts& settings : {Texts{}, kFredB, Texts{"fabric.in_switch=false"}}) {
    const Topology topology = with_faults("fred_d", settings, ports);
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather,
          Collective::kReduce, Collective::kBroadcast, Collective::kGather, Collective::kScatter,
          Collective::kAllToAll, Collective::kMulticast}) {
      for (const std::uint64_t bytes : {1U, 5'000U, 3'000'000U}) {
        SCOPED_TRACE(fmt::format("{} of {} bytes", to_string(collective), bytes));
        const CollectiveSpec spec = spec_of_all_left(topology, collective, bytes);
        expect_plan(topology, {&spec, 1}, make_plan(topology, {&spec, 1}));
      }
    }
    for (const char* algorithm : {"ring", "hier_ring", "tree", "direct", "hier_direct", "paper"}) {
      SCOPED_TRACE(algorithm);
      const CollectiveSpec spec =
          spec_of_all_left(topology, Collective::kAllReduce, 100'000, algorithm);
      expect_plan(topology, {&spec, 1}, make_plan(topology, {&spec, 1}));
    }
  }
}

// No slice joins NPUs 0 and 3; each of them is joined to all other NPUs by one slice.
TEST(FailedComponentsPlan, RanksThatNoSliceJoinsMeetByOthers) {
  const Topology topology = with_faults("fred_small", {"fabric.slices=2"},
                                        {"link:npu0.0->l1_0.s0.0", "link:npu3.1->l1_1.s1.1"});
  for (const Collective collective :
       {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather,
        Collective::kReduce, Collective::kBroadcast, Collective::kAllToAll}) {
    SCOPED_TRACE(to_string(collective));
    const CollectiveSpec spec = spec_of_all_left(topology, collective, 20'000);
    expect_plan(topology, {&spec, 1}, make_plan(topology, {&spec, 1}));
  }
  CollectiveSpec alone = spec_of_all_left(topology, Collective::kAllReduce, 1000);
  alone.group = {0, 3};
  EXPECT_THROW(make_plan(topology, {&alone, 1}), BadInput);
}

// Each NPU distributes its data over all of its remaining ports.
TEST(FailedComponentsPlan, AllPortsLeftShareTheLoad) {
  const Topology topology = with_faults("fred_d", {},
                                        {"link:npu0.0->l1_0.s0.0", "link:npu5.1->l1_1.s1.1",
                                         "link:npu10.2->l1_2.s2.2", "link:npu15.3->l1_3.s3.3"});
  constexpr std::uint64_t kBytes = 16 << 20;
  for (const auto& [collective, algorithm, limit] :
       std::vector<std::tuple<Collective, const char*, double>>{
           {Collective::kAllToAll, "auto", 1.05},
           {Collective::kAllReduce, "ring", 1.05},
           {Collective::kBroadcast, "chain", 1.1}}) {
    SCOPED_TRACE(to_string(collective));
    const CollectiveSpec spec = spec_of_all_left(topology, collective, kBytes, algorithm);
    const Plan plan = make_plan(topology, {&spec, 1});
    expect_plan(topology, {&spec, 1}, plan);
    const Topology whole = with_faults("fred_d", {}, {});
    const Plan before = make_plan(whole, {&spec, 1});
    EXPECT_LE(plan.bound_ns / before.bound_ns, 1.25 * limit);
  }
}

}  // namespace
}  // namespace fredsim::test
