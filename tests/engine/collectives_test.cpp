// SPDX-License-Identifier: Apache-2.0
// Works of any collectives on whole machines: payload exact, every byte counted, the same in every
// implementation. Random machines, groups, sizes and priorities, from seeds.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/member.h"
#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "engine/small_windows.h"
#include "plan/acknowledgements.h"
#include "support/comparable_results.h"
#include "support/random_work.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

struct Fabric {
  const char* config;
  std::vector<std::string> overrides;
};

// Machines whose switches are Verilated too.
const std::vector<Fabric>& small_fabrics() {
  static const std::vector<Fabric> kFabrics{
      {"configs/mesh_2x2.yaml", {}},
      {"configs/fred_small.yaml", {}},
      {"configs/fred_small.yaml", {"fabric.in_switch=false"}},
      {"configs/fred_small.yaml", {"fabric.uplink_bandwidth=200 GB/s"}}};
  return kFabrics;
}

Topology build(const Fabric& fabric) {
  return load_config(fabric.config, fabric.overrides).topology;
}

// Bytes that the NPUs put on the fabric.
std::uint64_t injected_bytes(const Plan& plan) {
  std::uint64_t bytes = 0;
  for (const Tree& tree : plan.trees) {
    for (const TreeRank& rank : tree.ranks) {
      bytes += tree.bytes * (tree.transport == Transport::kInSwitch
                                 ? (rank.contributes ? 1 : 0)
                                 : rank.reduce_to.size() + rank.broadcast_to.size());
    }
  }
  return bytes;
}

// Packets that its ranks send to acknowledge.
std::uint64_t acknowledgement_packets(const Plan& plan) {
  std::uint64_t packets = 0;
  for (const Tree& tree : plan.trees) {
    const Part& part = plan.parts[tree.part];
    const auto longest = static_cast<std::uint64_t>(part.packet_flits);
    for (const TreeRank& rank : tree.ranks)
      packets += acknowledgements(part, tree, rank, (tree.flits + longest - 1) / longest);
  }
  return packets;
}

void expect_good(const Plan& plan, const RunResult& r) {
  EXPECT_EQ(r.payload, "exact");
  EXPECT_EQ(r.injected_bytes, injected_bytes(plan));
  EXPECT_EQ(r.acknowledgement_packets, acknowledgement_packets(plan));
  EXPECT_GE(r.time_ns, r.bound_ns);
  for (const LinkResult& link : r.links) EXPECT_LE(link.utilization, 1) << link.name;
  ASSERT_EQ(r.parts.size(), plan.parts.size());
  for (std::size_t p = 0; p < r.parts.size(); ++p) {
    const PartResult& part = r.parts[p];
    EXPECT_GE(part.start_cycle, plan.parts[p].start_cycle);
    EXPECT_GE(part.time_ns, part.bound_ns);
    EXPECT_LE(part.start_cycle + part.cycles, r.cycles);
    for (const int before : plan.parts[p].after)
      EXPECT_GT(part.start_cycle, r.parts[before].start_cycle + r.parts[before].cycles);
  }
}

class RandomWorks : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomWorks, AreExactInEveryImplementation) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Random random(GetParam());
  const Topology topology = build(small_fabrics()[GetParam() % small_fabrics().size()]);
  Simulation simulation;
  Machine tlm("tlm", topology, {});
  Machine lockstep("lockstep", topology, {.model = SwitchModel::kLockstep});
  simulation.run([&] {
    for (int run = 0; run < 4; ++run) {
      const std::vector<CollectiveSpec> work = random_work(random, 4, 4, 30'000);
      Plan plan = make_plan(topology, work,
                            random.below(2) == 0 ? OnConflict::kLater : OnConflict::kUnicast);
      if (random.below(2) == 0) shrink_windows(random, plan);
      const RunResult r = run_plan(tlm, plan);
      expect_good(plan, r);
      EXPECT_EQ(comparable_results(r), comparable_results(run_plan(lockstep, plan)));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWorks, testing::Range<std::uint64_t>(1, 25));

// 16 NPUs and 8 I/O controllers on chiplets of 8 ports.
Topology tree_of_eights(int phases_in_use) {
  return build({"configs/fred_small.yaml",
                {"npu.count=16", "io.count=8", "io.bandwidth=256GB/s", "fabric.l1_switches=4",
                 "fabric.npus_per_l1=4", "fabric.uplinks=2", "fabric.uplink_bandwidth=1.2TB/s",
                 fmt::format("switch.phases_in_use={}", phases_in_use)}});
}

// Weights from the controllers while gradients go back to them, beside works of other groups.
TEST(TwoPhasesInUse, CarryStreamsBothWaysInLessTime) {
  std::vector<CollectiveSpec> work;
  for (const Collective collective : {Collective::kMulticast, Collective::kReduce}) {
    CollectiveSpec& stream = work.emplace_back();
    stream.collective = collective;
    for (int k = 0; k < 8; ++k) stream.group.push_back(io_member(k));
    for (int npu = 0; npu < 16; ++npu) stream.group.push_back(npu);
    stream.bytes = 8 * 40'000;
    stream.roots = 8;
    stream.algorithm = "in_switch";
  }
  Simulation simulation;
  std::array<Topology, 2> trees{tree_of_eights(1), tree_of_eights(2)};
  Machine one("one", trees[0], {});
  Machine two("two", trees[1], {});
  Machine lockstep("lockstep", trees[1], {.model = SwitchModel::kLockstep});
  Machine every_cycle("every_cycle", trees[1], {.skip = false});
  simulation.run([&] {
    const RunResult r = run_plan(two, make_plan(trees[1], work));
    expect_good(make_plan(trees[1], work), r);
    EXPECT_EQ(comparable_results(r),
              comparable_results(run_plan(lockstep, make_plan(trees[1], work))));
    EXPECT_EQ(comparable_results(r),
              comparable_results(run_plan(every_cycle, make_plan(trees[1], work))));
    EXPECT_LT(10 * r.cycles, 9 * run_plan(one, make_plan(trees[0], work)).cycles);
  });
}

class RandomWorksOfTwoPhases : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomWorksOfTwoPhases, AreExactInEveryImplementation) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Random random(GetParam());
  const Topology topology = tree_of_eights(2);
  Simulation simulation;
  Machine tlm("tlm", topology, {});
  Machine lockstep("lockstep", topology, {.model = SwitchModel::kLockstep});
  simulation.run([&] {
    for (int run = 0; run < 3; ++run) {
      const Plan plan = make_plan(topology, random_work(random, 16, 6, 30'000), OnConflict::kLater);
      const RunResult r = run_plan(tlm, plan);
      expect_good(plan, r);
      EXPECT_EQ(comparable_results(r), comparable_results(run_plan(lockstep, plan)));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWorksOfTwoPhases, testing::Range<std::uint64_t>(1, 9));

// Few flits on links so slow that sending one takes longer than its path: bounds are still bounds.
class SlowLinks : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SlowLinks, AreNeverFasterThanTheirRate) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Random random(GetParam());
  const auto bandwidth = [&] {
    constexpr int kGigabytes[] = {1, 5, 24, 33, 51, 250, 333, 749};
    return kGigabytes[random.below(std::size(kGigabytes))];
  };
  const bool mesh = GetParam() % 2 == 0;
  const std::string npu = fmt::format("npu.bandwidth={}GB/s", bandwidth() * (mesh ? 4 : 1));
  const std::string link =
      fmt::format("fabric.{}={}GB/s", mesh ? "link_bandwidth" : "uplink_bandwidth",
                  bandwidth() * (mesh ? 1 : 2));
  const Topology topology =
      build({mesh ? "configs/mesh_2x2.yaml" : "configs/fred_small.yaml", {npu, link}});
  Simulation simulation;
  Machine tlm("tlm", topology, {});
  Machine lockstep("lockstep", topology, {.model = SwitchModel::kLockstep});
  simulation.run([&] {
    for (int run = 0; run < 3; ++run) {
      const Plan plan =
          make_plan(topology, random_work(random, 4, 3, run == 0 ? 600 : 9000), OnConflict::kLater);
      const RunResult r = run_plan(tlm, plan);
      expect_good(plan, r);
      EXPECT_EQ(comparable_results(r), comparable_results(run_plan(lockstep, plan)));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, SlowLinks, testing::Range<std::uint64_t>(1, 25));

// Larger machines on twins.
class RandomWafers : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomWafers, AreExact) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Random random(GetParam());
  static const std::vector<Fabric> kFabrics{
      {"configs/mesh.yaml", {}},
      {"configs/fred_d.yaml", {}},
      {"configs/fred_d.yaml", {"fabric.in_switch=false"}},
      {"configs/fred_d.yaml", {"fabric.uplink_bandwidth=1.5 TB/s"}},
      {"configs/fred_d.yaml", {"fabric.middle=2"}}};
  const Topology topology = build(kFabrics[GetParam() % kFabrics.size()]);
  Simulation simulation;
  Machine machine("machine", topology, {});
  simulation.run([&] {
    for (int run = 0; run < 3; ++run) {
      const std::vector<CollectiveSpec> work = random_work(random, 20, 6, 200'000);
      const Plan plan = make_plan(topology, work,
                                  random.below(2) == 0 ? OnConflict::kLater : OnConflict::kUnicast);
      expect_good(plan, run_plan(machine, plan));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWafers, testing::Range<std::uint64_t>(1, 21));

Plan plan_of(const Topology& topology, Collective collective, int ranks, std::uint64_t bytes) {
  std::vector<int> group(static_cast<std::size_t>(ranks));
  std::iota(group.begin(), group.end(), 0);
  return make_plan(topology, collective, group, bytes, "paper");
}

// Striping over four slow uplinks: the switches change phase all the time and still fill them.
TEST(Collectives, FredBReachesItsBound) {
  const Topology topology = build({"configs/fred_d.yaml", {"fabric.uplink_bandwidth=1.5 TB/s"}});
  Simulation simulation;
  Machine machine("machine", topology, {});
  simulation.run([&] {
    const RunResult r = run_plan(machine, plan_of(topology, Collective::kAllReduce, 20, 8 << 20));
    EXPECT_LT(r.time_ns, 1.05 * r.bound_ns);
  });
}

// Half of the vector each way round the mesh; with both halves on the same links it would be twice
// as long.
TEST(Collectives, ChainsOfAWholeMeshReachTheirBound) {
  const Topology topology = build(small_fabrics()[0]);
  Simulation simulation;
  Machine machine("machine", topology, {});
  simulation.run([&] {
    for (const Collective collective : {Collective::kReduce, Collective::kBroadcast}) {
      constexpr std::uint64_t kBytes = 4 << 20;
      const RunResult r = run_plan(machine, plan_of(topology, collective, 4, kBytes));
      EXPECT_EQ(r.algorithm, "chain");
      EXPECT_LT(r.time_ns, 1.05 * kBytes / 2 / 750);
    }
  });
}

// A part that starts when nothing has moved for longer than the watchdog waits.
TEST(Collectives, ALateStartIsNoDeadlock) {
  const Topology topology = build(small_fabrics()[0]);
  Simulation simulation;
  Machine machine("machine", topology, {});
  CollectiveSpec spec;
  spec.group = {0, 1};
  spec.bytes = 1000;
  spec.start_cycle = 50'000;
  simulation.run([&] {
    const RunResult r = run_plan(machine, make_plan(topology, {&spec, 1}));
    EXPECT_EQ(r.parts[0].start_cycle, 50'000U);
    EXPECT_EQ(r.cycles, 50'000 + r.parts[0].cycles);
  });
}

// The time of a higher priority's work hardly changes when a lower one's is there too.
TEST(Collectives, PriorityGoesFirst) {
  const Topology topology = build(small_fabrics()[1]);
  CollectiveSpec high;
  high.group = {0, 1, 2, 3};
  high.bytes = 20'000;
  high.vc = kMp;
  high.start_cycle = 500;
  CollectiveSpec low = high;
  low.vc = kDp;
  low.bytes = 2'000'000;
  low.start_cycle = 0;
  Simulation simulation;
  Machine machine("machine", topology, {});
  simulation.run([&] {
    const RunResult alone = run_plan(machine, make_plan(topology, {&high, 1}));
    const std::vector<CollectiveSpec> both{low, high};
    const RunResult r = run_plan(machine, make_plan(topology, both));
    EXPECT_LT(r.parts[1].cycles, 2 * alone.parts[0].cycles);
    EXPECT_GT(r.parts[0].cycles, 10 * r.parts[1].cycles);
  });
}

}  // namespace
}  // namespace fredsim::test
