// SPDX-License-Identifier: Apache-2.0
// Plans of systems: bytes per dimension by formula, order of steps, and the same times and links'
// bytes whether the groups that do the same are one or all.
#include "flow/system_flows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "support/random_range.h"
#include "support/temporary_folder.h"
#include "systems/make_plan.h"
#include "topology/system.h"

namespace fredsim::test {
namespace {

struct Side {
  std::string block;
  int size = 0;
  int bandwidth = 0;  // GB/s
};

Topology system_of(const std::vector<Side>& sides) {
  const TemporaryFolder folder;
  const std::string path = folder.file("system.yaml");
  std::ofstream file(path);
  file << "name: system\nclock: 1.5 GHz\nfabric:\n  type: dimensions\n  dimensions:\n";
  for (const Side& side : sides) {
    file << "    - {block: " << side.block << ", size: " << side.size
         << ", bandwidth: " << side.bandwidth << " GB/s, latency: 100 ns}\n";
  }
  file << "switch: {input_buffer: 128 KiB}\n";  // covers the round trips, so that links carry their
                                                // full bandwidth
  file.close();
  return load_config(path).topology;
}

std::vector<int> all_of(const Topology& system) {
  std::vector<int> group(system.npus.size());
  std::iota(group.begin(), group.end(), 0);
  return group;
}

CollectiveSpec spec_of(Collective collective, std::vector<int> group, std::uint64_t bytes,
                       int chunks) {
  CollectiveSpec spec;
  spec.collective = collective;
  spec.group = std::move(group);
  spec.bytes = bytes;
  spec.chunking.chunks = chunks;
  return spec;
}

// Bytes that an NPU sends in a dimension, by algorithms that send no more than they must.
double sent(Collective collective, const std::vector<int>& sizes, std::size_t dimension,
            double bytes) {
  double before = bytes;
  for (std::size_t d = 0; d < dimension; ++d) before /= sizes[d];
  const double n = sizes[dimension];
  switch (collective) {
    case Collective::kAllReduce:
      return 2 * before * (n - 1) / n;
    case Collective::kAllToAll:
      return bytes * (n - 1) / n;
    default:
      return before * (n - 1) / n;
  }
}

// Bytes that all NPUs send out by the ports of each dimension.
std::vector<double> bytes_sent(const Topology& system, const FlowTraffic& traffic) {
  std::vector<double> bytes(system.blocks.size());
  for (std::size_t l = 0; l < system.links.size(); ++l) {
    const Link& link = system.links[l];
    if (system.nodes[link.from].kind == NodeKind::kNpu)
      bytes[dimension_of_port(system, link.from_port)] += static_cast<double>(traffic.bytes[l]);
  }
  return bytes;
}

// To boxes that the root is not in: a hop for each dimension in which they are elsewhere, and each
// NPU of the box gets the data once.
TEST(SystemPlan, MulticastsReachABoxByHops) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<Side> sides;
    for (int d = 0; d < 3; ++d)
      sides.push_back({random.below(2) == 0 ? "switch" : "fully_connected", 4, 60});
    const Topology system = system_of(sides);
    std::vector<int> group{0};
    double hops = 0;
    std::vector<int> first(3);
    for (int& place : first) {
      place = random_between(random, 0, 2);
      if (place > 0) ++hops;
    }
    // Two positions in each dimension from `first` on, which include the root's only if it is 0.
    for (int i = 0; i < 8; ++i) {
      const int npu = first[0] + i % 2 + 4 * (first[1] + i / 2 % 2) + 16 * (first[2] + i / 4);
      if (npu > 0) group.push_back(npu);
    }
    const std::uint64_t bytes = 64 * 1024;
    const CollectiveSpec spec = spec_of(Collective::kMulticast, group, bytes, 1);
    const SystemPlan plan = plan_system(system, {&spec, 1});
    const std::vector<double> found = bytes_sent(system, flow_traffic(system, plan));
    EXPECT_EQ(std::accumulate(found.begin(), found.end(), 0.0),
              (hops + 7) * static_cast<double>(bytes));
    EXPECT_EQ(expanded(system, plan).collectives.front().members.size(), group.size());
  }
}

TEST(SystemPlan, SendsTheBytesOfTheFormulas) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<Side> sides;
    std::vector<int> sizes;
    for (int d = random_between(random, 1, 4); d > 0; --d) {
      sizes.push_back(1 << random_between(random, 1, 3));
      sides.push_back({random.below(2) == 0 ? "switch" : "ring", sizes.back(), 60});
    }
    const Topology system = system_of(sides);
    const std::uint64_t bytes = std::uint64_t{512} * 4096 * 4;
    for (const Collective collective : {Collective::kAllReduce, Collective::kReduceScatter,
                                        Collective::kAllGather, Collective::kAllToAll}) {
      SCOPED_TRACE(to_string(collective));
      CollectiveSpec spec = spec_of(collective, all_of(system), bytes, 4);
      spec.algorithm = "direct";
      const FlowTraffic traffic = flow_traffic(system, plan_system(system, {&spec, 1}));
      const std::vector<double> found = bytes_sent(system, traffic);
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        const double want = sent(collective, sizes, d, static_cast<double>(bytes)) *
                            static_cast<double>(system.npus.size());
        // Acknowledgements come on top.
        EXPECT_GE(found[d], want);
        EXPECT_LE(found[d], want * 1.02) << "dimension " << d;
      }
    }
  }
}

TEST(SystemPlan, PlansEachStepOnceForAllGroups) {
  const Topology system = system_of({{"switch", 8, 100}, {"switch", 16, 50}, {"switch", 32, 25}});
  const CollectiveSpec spec = spec_of(Collective::kAllReduce, all_of(system), 1 << 30, 512);
  const SystemPlan plan = plan_system(system, {&spec, 1});
  EXPECT_EQ(plan.steps.size(), 512U * 5);
  std::set<const Plan*> plans;
  for (const SystemStep& step : plan.steps) plans.insert(step.plan.get());
  EXPECT_EQ(plans.size(), 5U);
}

// A step follows its dependencies, and the steps of a block are sequential.
TEST(SystemPlan, HasOneStepOnABlockAtATime) {
  const Topology system = system_of({{"switch", 4, 100}, {"ring", 4, 50}});
  const CollectiveSpec spec = spec_of(Collective::kAllReduce, all_of(system), 1 << 20, 8);
  const SystemPlan plan = plan_system(system, {&spec, 1});
  std::map<int, int> last;  // by dimension
  for (int s = 0; s < std::ssize(plan.steps); ++s) {
    const SystemStep& step = plan.steps[s];
    for (const int before : step.after) EXPECT_LT(before, s);
    if (last.contains(step.dimension)) {
      EXPECT_TRUE(std::ranges::count(step.after, last[step.dimension])) << "step " << s;
    }
    last[step.dimension] = s;
  }
}

// Groups that do the same are one flow or all of them; chunks, boxes and collectives by seed.
TEST(SystemFlows, AreThoseOfTheWholePlan) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    static const std::vector<std::string> kBlocks{"ring", "fully_connected", "switch"};
    std::vector<Side> sides;
    for (int d = random_between(random, 1, 3); d > 0; --d) {
      const int size = random_between(random, 2, 5);
      sides.push_back({kBlocks[random.below(3)], size, 60 * (size - 1)});
    }
    const Topology system = system_of(sides);
    static const std::vector<Collective> kAll{Collective::kAllReduce, Collective::kReduceScatter,
                                              Collective::kAllGather, Collective::kAllToAll,
                                              Collective::kBroadcast, Collective::kReduce};
    CollectiveSpec spec = spec_of(kAll[random.below(kAll.size())], all_of(system),
                                  random_between<std::uint64_t>(random, 1000, 4'000'000),
                                  random_between(random, 1, 4));
    spec.root = static_cast<int>(random.below(spec.group.size()));
    const SystemPlan plan = plan_system(system, {&spec, 1});
    const Plan whole = expanded(system, plan);
    const double alone = run_flows(system, plan).end;
    EXPECT_NEAR(run_flows(system, whole).end / alone, 1, 1e-9);
    const FlowTraffic ours = flow_traffic(system, plan);
    const FlowTraffic its = flow_traffic(system, whole);
    EXPECT_EQ(ours.flits, its.flits);
    EXPECT_EQ(ours.bytes, its.bytes);
    EXPECT_EQ(ours.acknowledgements, its.acknowledgements);
    EXPECT_EQ(ours.result_bytes, its.result_bytes);
  }
}

// MP groups along the lowest dimension and part of the next, DP groups along the rest: all groups
// of each alike.
TEST(SystemFlows, HaveGroupsThatShareADimension) {
  const Topology system = system_of({{"switch", 4, 100}, {"switch", 6, 50}});
  std::vector<CollectiveSpec> work;
  for (int group = 0; group < 3; ++group) {
    std::vector<int> npus;
    for (int npu = 0; npu < 8; ++npu) npus.push_back(8 * group + npu);
    work.push_back(spec_of(Collective::kAllReduce, npus, 1 << 20, 2));
  }
  const SystemPlan plan = plan_system(system, work);
  EXPECT_EQ(plan.collectives.size(), 3U);
  const FlowTimes times = run_flows(system, plan);
  for (const FlowTimes::Part& part : times.parts) EXPECT_EQ(part.end, times.end);
  const Plan whole = expanded(system, plan);
  EXPECT_NEAR(run_flows(system, whole).end / times.end, 1, 1e-9);
  const CollectiveSpec one = work.front();
  // A group alone has the links of the second dimension for itself; with switches that carry every
  // pair alike it is no faster.
  EXPECT_NEAR(run_flows(system, plan_system(system, {&one, 1})).end / times.end, 1, 1e-9);
}

// All rates doubled without latencies take half as long.
TEST(SystemFlows, Scale) {
  std::vector<Side> sides{{"switch", 4, 100}, {"ring", 4, 50}};
  const auto cycles = [&] {
    Topology system = system_of(sides);
    const CollectiveSpec spec = spec_of(Collective::kAllReduce, all_of(system), 64 << 20, 2);
    return run_flows(system, plan_system(system, {&spec, 1})).end;
  };
  const double slow = cycles();
  for (Side& side : sides) side.bandwidth *= 2;
  EXPECT_NEAR(slow / cycles(), 2, 0.01);
}

std::string refusal_of(const Topology& system, const CollectiveSpec& spec) {
  try {
    plan_system(system, {&spec, 1});
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(SystemPlan, RefusesWhatHasNoHierarchy) {
  const Topology system = system_of({{"switch", 4, 100}, {"ring", 4, 50}});
  const auto expect = [&](const CollectiveSpec& spec, const std::string& found,
                          const std::string& allowed) {
    const std::string message = refusal_of(system, spec);
    EXPECT_NE(message.find(found), std::string::npos) << message;
    EXPECT_NE(message.find(allowed), std::string::npos) << message;
  };
  expect(spec_of(Collective::kAllReduce, {0, 1, 4}, 1024, 1), "found 3 NPUs", "all 4 NPUs");
  expect(spec_of(Collective::kGather, all_of(system), 1024, 1), "gather", "all_to_all");
  expect(spec_of(Collective::kAllReduce, all_of(system), 1024, 4097), "4097", "1 to 4096");
  expect(spec_of(Collective::kAllReduce, {3}, 1024, 1), "one NPU", "two or more");
  CollectiveSpec words = spec_of(Collective::kAllReduce, all_of(system), 1024, 1);
  words.algorithm = "ring,ring,ring";
  expect(words, "3 words", "one, or 2");
  words.algorithm = "ring,rung";
  expect(words, "rung", "ring");
}

}  // namespace
}  // namespace fredsim::test
