// SPDX-License-Identifier: Apache-2.0
// Machines with failed components: every collective is exact on the remaining components, or
// refused with the reason; its cost; and independence from the implementation of the switches.
#include "topology/faults.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "config/describe.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/comparable_results.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

using Texts = std::vector<std::string>;

const Texts kSlices{"fabric.slices=3"};

std::vector<std::string> parts_of(const Topology& topology) {
  std::vector<std::string> parts;
  std::istringstream lines(describe_parts(topology));
  for (std::string part; std::getline(lines, part);) parts.push_back(part);
  return parts;
}

Topology with_faults(const std::string& config, Texts settings, const Texts& faults) {
  if (!faults.empty()) settings.push_back(fmt::format("faults=['{}']", fmt::join(faults, "', '")));
  return load_config("configs/" + config + ".yaml", settings).topology;
}

RunResult run_with_faults(const Topology& topology, Collective collective, std::uint64_t bytes,
                          const std::string& algorithm = "auto",
                          SwitchModel model = SwitchModel::kTlm, bool skip = true) {
  const Plan plan = make_plan(topology, collective, npus_left(topology), bytes, algorithm);
  Simulation simulation;
  Machine machine("machine", topology, {.model = model, .skip = skip});
  RunResult result;
  simulation.run([&] { result = run_plan(machine, plan); });
  EXPECT_EQ(result.payload, "exact");
  return result;
}

class FaultsOf : public testing::TestWithParam<Collective> {};

TEST_P(FaultsOf, EverySinglePartLostLeavesAnExactResult) {
  const Topology whole = load_config("configs/fred_small.yaml", kSlices).topology;
  for (const std::string& part : parts_of(whole)) {
    SCOPED_TRACE(part);
    const Topology topology = with_faults("fred_small", kSlices, {part});
    EXPECT_EQ(npus_left(topology).size(), part.starts_with("npu:") ? 3U : 4U);
    for (const char* algorithm : {"auto", "paper"})
      run_with_faults(topology, GetParam(), 20'000, algorithm);
  }
}

INSTANTIATE_TEST_SUITE_P(Collectives, FaultsOf,
                         testing::Values(Collective::kAllReduce, Collective::kReduceScatter,
                                         Collective::kAllGather, Collective::kBroadcast,
                                         Collective::kReduce, Collective::kAllToAll),
                         [](const auto& collective) {
                           return std::string(to_string(collective.param));
                         });

// The remaining slices carry the whole vector. Without it many hops have no port, and the ports of
// a ring are repaired one by one in vain.
TEST(Faults, EverySingleRingLinkLostOfOnePlaneLeavesAnExactResult) {
  const Texts small{"fabric.size_x=4", "fabric.size_y=2", "fabric.size_z=1", "npu.count=8"};
  const Topology whole = with_faults("torus3d", small, {});
  int lost = 0;
  for (const Link& link : whole.links) {
    if (!whole.nodes[link.from].is_switch() || !whole.nodes[link.to].is_switch()) continue;
    if (link.from > link.to) continue;  // both directions are lost
    ++lost;
    SCOPED_TRACE(link.name);
    const Topology topology = with_faults("torus3d", small, {"link:" + link.name});
    for (const char* algorithm : {"auto", "ring", "hier_ring", "tree", "direct", "hier_direct"}) {
      SCOPED_TRACE(algorithm);
      run_with_faults(topology, Collective::kAllReduce, 6'000, algorithm);
    }
  }
  EXPECT_EQ(lost, 2 * 4 + 4);
}

TEST(Faults, AChipletOfOneOfFiveSlicesCostsAFourth) {
  constexpr std::uint64_t kBytes = 8 << 20;
  const auto cycles = [&](const Topology& topology) {
    return static_cast<double>(
        run_with_faults(topology, Collective::kAllReduce, kBytes, "in_switch").cycles);
  };
  const double whole = cycles(load_config("configs/fred_d.yaml").topology);
  EXPECT_NEAR(cycles(with_faults("fred_d", {}, {"switch:l1_0.s0"})) / whole, 5.0 / 4, 0.02);
  // Two faults in two slices cost less than both slices: each slice still serves the unaffected
  // groups.
  EXPECT_LT(cycles(with_faults("fred_d", {}, {"switch:l1_0.s0", "switch:l1_3.s4"})) / whole,
            5.0 / 3 - 0.02);
  // A failed NPU does not reduce the bandwidth of the remaining ones.
  EXPECT_NEAR(cycles(with_faults("fred_d", {}, {"npu:7"})) / whole, 1, 0.02);
}

// A port at half its rate: its slice takes half of the share of a healthy slice, a ninth of the
// vector.
TEST(Faults, ASlowPortGetsAsMuchAsItCarries) {
  constexpr std::uint64_t kBytes = 8 << 20;
  const Topology whole = load_config("configs/fred_d.yaml").topology;
  const Topology slow = with_faults("fred_d", {}, {"link:npu7.2->l1_1.s2.3*0.5"});
  const RunResult before = run_with_faults(whole, Collective::kAllReduce, kBytes, "in_switch");
  const RunResult after = run_with_faults(slow, Collective::kAllReduce, kBytes, "in_switch");
  EXPECT_NEAR(static_cast<double>(after.cycles) / static_cast<double>(before.cycles), 5.0 / 4.5,
              0.02);
  std::uint64_t all = 0;
  std::uint64_t of_slow = 0;
  for (const LinkResult& link : after.links) {
    if (!link.name.starts_with("npu7.")) continue;
    all += link.flits;
    if (link.name.starts_with("npu7.2->")) of_slow += link.flits;
  }
  EXPECT_NEAR(static_cast<double>(of_slow) / static_cast<double>(all), 1.0 / 9, 0.01);
}

// No slice joins NPUs 0 and 3, which are joined through other NPUs; if these are outside of the
// group, it is disconnected.
TEST(Faults, AGroupThatNoSliceJoinsIsRefusedWhereNoMemberJoinsIt) {
  const Topology topology = with_faults("fred_small", {"fabric.slices=2"},
                                        {"link:npu0.0->l1_0.s0.0", "link:npu3.1->l1_1.s1.1"});
  for (const Collective collective :
       {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather,
        Collective::kReduce, Collective::kBroadcast, Collective::kAllToAll}) {
    SCOPED_TRACE(to_string(collective));
    run_with_faults(topology, collective, 20'000);
  }
  try {
    make_plan(topology, Collective::kAllReduce, {0, 3}, 1000, "auto");
    FAIL() << "no slice joins NPUs 0 and 3";
  } catch (const BadInput& error) {
    const std::string why = error.what();
    EXPECT_NE(why.find("reaches no other member"), std::string::npos) << why;
    EXPECT_NE(why.find("failed: link:npu0.0"), std::string::npos) << why;
  }
}

// One port each of four NPUs, in four slices; of five, in all five slices.
TEST(Faults, AnNpuUsesEveryPortThatIsLeft) {
  Texts ports{"link:npu0.0->l1_0.s0.0", "link:npu5.1->l1_1.s1.1", "link:npu10.2->l1_2.s2.2",
              "link:npu15.3->l1_3.s3.3"};
  const Topology whole = load_config("configs/fred_d.yaml").topology;
  const auto slower = [&](Collective collective, std::uint64_t bytes) {
    return static_cast<double>(
               run_with_faults(with_faults("fred_d", {}, ports), collective, bytes).cycles) /
           static_cast<double>(run_with_faults(whole, collective, bytes).cycles);
  };
  constexpr double kCapacity = 5.0 / 4;
  constexpr double kNear = 1.3;
  EXPECT_LE(slower(Collective::kAllReduce, 4 << 20), kNear * kCapacity);
  EXPECT_LE(slower(Collective::kAllToAll, 640 << 10), kNear * kCapacity);
  ports.emplace_back("link:npu16.4->l1_4.s4.0");
  EXPECT_LE(slower(Collective::kAllReduce, 4 << 20), kNear * kCapacity);
  EXPECT_LE(slower(Collective::kAllToAll, 640 << 10), kNear * kCapacity);
}

// Hops that use the slices in turn collide less at receivers than hops that take any port.
TEST(Faults, AllToAllsGoBySlicesWhereTheirLinksCarryAboutAsMuch) {
  const Topology whole = load_config("configs/fred_d.yaml").topology;
  constexpr std::uint64_t kBytes = 640 << 10;
  const auto before =
      static_cast<double>(run_with_faults(whole, Collective::kAllToAll, kBytes).cycles);
  for (const auto& [fault, max] :
       std::vector<std::pair<const char*, double>>{{"switch:l1_2.s1", 1.16},
                                                   {"switch:l2.s3.c1", 1.09},
                                                   {"link:l1_0.s0.4->l2.s0.c0.0", 1.08}}) {
    const Topology topology = with_faults("fred_d", {}, {fault});
    const RunResult result = run_with_faults(topology, Collective::kAllToAll, kBytes);
    EXPECT_LE(static_cast<double>(result.cycles), max * before) << fault;
  }
}

// Ranks are detached in slices of their own, and chiplets and uplinks of L1 switches have failed.
// Two NPUs are left with three ports of five.
TEST(Faults, SlicesKeepPaceWhereTheyHelpEachOther) {
  const Topology whole = load_config("configs/fred_d.yaml").topology;
  const std::vector<Texts> sets{
      {"link:npu13.4->l1_3.s4.1", "link:npu3.1->l1_0.s1.3", "link:npu6.2->l1_1.s2.2",
       "link:npu7.4->l1_1.s4.3", "switch:l1_0.s0", "switch:l1_1.s3", "switch:l2.s4.c1"},
      {"link:l1_0.s4.4->l2.s4.c0.0", "link:l1_2.s4.7->l2.s4.c1.5", "link:l1_4.s2.5->l2.s2.c0.9",
       "link:l1_4.s4.7->l2.s4.c1.9", "link:npu0.3->l1_0.s3.0", "link:npu12.2->l1_3.s2.0",
       "link:npu15.3->l1_3.s3.3", "link:npu19.2->l1_4.s2.3", "link:npu5.2->l1_1.s2.1",
       "switch:l1_0.s1", "switch:l1_4.s0"}};
  constexpr std::uint64_t kBytes = 4 << 20;
  const auto before =
      static_cast<double>(run_with_faults(whole, Collective::kAllReduce, kBytes).cycles);
  for (const Texts& faults : sets) {
    const Topology topology = with_faults("fred_d", {}, faults);
    const RunResult result = run_with_faults(topology, Collective::kAllReduce, kBytes);
    EXPECT_LE(static_cast<double>(result.cycles), 1.3 * 5 / 3 * before);
    EXPECT_EQ(comparable_results(result),
              comparable_results(run_with_faults(topology, Collective::kAllReduce, kBytes, "auto",
                                                 SwitchModel::kTlm, false)));
  }
}

// An uplink in one slice and a port in another: one of the four groups uses the remaining slices,
// and none uses helpers of other L1 switches, whose operands would take turns with the trees of
// other groups.
TEST(Faults, GroupsOverTheSwitchesLeaveASliceBeforeTheyDetachRanks) {
  const auto cycles = [](const Texts& faults) {
    const Topology topology = with_faults("fred_d", {}, faults);
    std::vector<CollectiveSpec> work(4);
    for (int g = 0; g < 4; ++g) {
      work[g].group = {g, 4 + g, 8 + g, 12 + g, 16 + g};
      work[g].bytes = 4 << 20;
    }
    const Plan plan = make_plan(topology, work, OnConflict::kLater);
    Simulation simulation;
    Machine machine("machine", topology, {});
    RunResult result;
    simulation.run([&] { result = run_plan(machine, plan); });
    EXPECT_EQ(result.payload, "exact");
    return static_cast<double>(result.cycles);
  };
  const double whole = cycles({});
  EXPECT_LE(cycles({"link:l1_4.s0.6->l2.s0.c1.8", "link:npu19.4->l1_4.s4.3"}), 1.65 * whole);
}

// Operands that go by helpers, over fast uplinks and slow ones.
TEST(Faults, DetachedRanksAreTheSameInEveryImplementation) {
  for (const char* uplinks : {"1.2TB/s", "300GB/s"}) {
    SCOPED_TRACE(uplinks);
    const Topology topology = with_faults(
        "fred_small", {"fabric.slices=3", fmt::format("fabric.uplink_bandwidth={}", uplinks)},
        {"link:npu0.0->l1_0.s0.0", "link:npu2.1->l1_1.s1.0", "link:npu3.2->l1_1.s2.1"});
    const RunResult rtl =
        run_with_faults(topology, Collective::kAllReduce, 300'000, "in_switch", SwitchModel::kRtl);
    EXPECT_EQ(
        comparable_results(run_with_faults(topology, Collective::kAllReduce, 300'000, "in_switch")),
        comparable_results(rtl));
    run_with_faults(topology, Collective::kAllReduce, 300'000, "in_switch", SwitchModel::kLockstep);
  }
}

// An NPU's links to its own router, and links of I/O controllers: the remaining links carry an
// unchanged load.
TEST(Faults, OfAMeshPortsOfNpusAreAllowed) {
  struct Case {
    const char* config;
    Texts ports;
    SwitchModel model;
  };
  for (const auto& [config, ports, model] : std::vector<Case>{
           {"mesh_2x2", {"link:npu1.0->r1_0.4"}, SwitchModel::kLockstep},
           {"mesh_2x2", {"link:npu0.1->r0_0.5", "link:npu0.2->r0_0.6"}, SwitchModel::kLockstep},
           {"mesh_2x2",
            {"link:npu3.0->r1_1.4", "link:npu3.1->r1_1.5", "link:npu3.3->r1_1.7"},
            SwitchModel::kLockstep},
           {"mesh_reducing", {"link:npu1.0->r1_0.4"}, SwitchModel::kTlm}}) {
    SCOPED_TRACE(fmt::format("{}: {}", config, fmt::join(ports, " ")));
    const Topology topology = with_faults(config, {}, ports);
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather,
          Collective::kReduce, Collective::kBroadcast, Collective::kAllToAll}) {
      SCOPED_TRACE(to_string(collective));
      run_with_faults(topology, collective, 20'000, "auto", model);
    }
  }
  EXPECT_THROW(with_faults("mesh_2x2", {}, {"link:r0_0.1->r1_0.3"}), BadInput);
  EXPECT_THROW(with_faults("mesh_2x2", {}, {"switch:r0_0"}), BadInput);
  const Topology cut_off = with_faults("mesh", {}, {"link:io0.0->r0_0.8"});
  EXPECT_EQ(io_controllers_left(cut_off).size() + 1, cut_off.io_controllers.size());
}

TEST(Faults, OfAMeshThatLeaveTheRoutersAreAllowed) {
  for (const char* part : {"npu:2", "link:r0_0.1->r1_0.3*0.25", "link:npu1.0->r1_0.4*0.5"}) {
    SCOPED_TRACE(part);
    run_with_faults(with_faults("mesh_2x2", {}, {part}), Collective::kAllReduce, 20'000, "auto",
                    SwitchModel::kLockstep);
  }
}

// Unicasts avoid an L2 chiplet that no longer leads to their L1 switch.
TEST(Faults, UnicastsGoRoundWhatIsLost) {
  const Topology topology = with_faults(
      "fred_c", {}, {"link:l1_3.s0.4->l2.s0.c0.6", "link:l1_3.s0.5->l2.s0.c0.7", "npu:9"});
  run_with_faults(topology, Collective::kAllToAll, 20'000);
  run_with_faults(topology, Collective::kAllReduce, 20'000, "ring");
}

// A chiplet of one slice of Fred-D has failed, so each remaining slice has a quarter of the vector
// in place of a fifth.
TEST(Faults, TheOtherSlicesCarryTheLoad) {
  const std::uint64_t bytes = 1 << 20;
  const auto bytes_out = [&](const Texts& faults) {
    const Topology topology = with_faults("fred_d", {}, faults);
    const Plan plan =
        make_plan(topology, Collective::kAllReduce, npus_left(topology), bytes, "auto");
    std::vector<std::uint64_t> flits(5);
    for (const Tree& tree : plan.trees) flits.at(tree.ranks.front().switch_port) += tree.flits;
    return flits;
  };
  using Flits = std::vector<std::uint64_t>;
  EXPECT_EQ(bytes_out({}), (Flits{410, 410, 410, 409, 409}));
  EXPECT_EQ(bytes_out({"switch:l1_2.s1"}), (Flits{512, 0, 512, 512, 512}));
  EXPECT_EQ(bytes_out({"link:npu7.3->l1_1.s3.3*0.5"}), (Flits{455, 455, 455, 227, 456}));
  EXPECT_EQ(bytes_out({"switch:l2.s0.c0"}), (Flits{410, 410, 410, 409, 409}));  // there is another
  EXPECT_EQ(bytes_out({"switch:l2.s0.c0", "switch:l2.s0.c1"}), (Flits{0, 512, 512, 512, 512}));
}

// Four groups need the four uplinks of every chiplet: if one is missing, a group uses the other
// slices.
TEST(Faults, GroupsThatASliceHasNoUplinkForGoByTheOthers) {
  const Topology topology = with_faults("fred_d", {}, {"link:l1_0.s0.4->l2.s0.c0.0"});
  std::vector<CollectiveSpec> work(4);
  for (int g = 0; g < 4; ++g) {
    work[g].group = {g, 4 + g, 8 + g, 12 + g, 16 + g};
    work[g].bytes = 1 << 18;
  }
  const Plan plan = make_plan(topology, work);
  int left_out = 0;
  for (const Part& part : plan.parts) {
    EXPECT_EQ(part.algorithm, "in_switch");
    left_out += part.slice_weights.front() == 0 ? 1 : 0;
  }
  EXPECT_EQ(left_out, 1);
  Simulation simulation;
  Machine machine("machine", topology, {});
  simulation.run([&] { EXPECT_EQ(run_plan(machine, plan).payload, "exact"); });
}

// Leaving out slices that do the same is exact with faults, too.
TEST(Faults, EqualSlicesAreFoundAmongThoseLeft) {
  const Texts faults{"switch:l1_2.s1", "link:npu7.3->l1_1.s3.3*0.5"};
  const auto comparable = [&](const Texts& settings) {
    return comparable_results(
        run_with_faults(with_faults("fred_d", settings, faults), Collective::kAllReduce, 200'000));
  };
  EXPECT_EQ(comparable({}), comparable({"fabric.simulate_slices=all"}));
}

// Pairs and triples of parts, and all implementations.
class RandomFaults : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomFaults, GiveTheSameInEveryImplementationOrAreRefused) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Random random(GetParam());
  const Texts parts = parts_of(load_config("configs/fred_small.yaml", kSlices).topology);
  Texts faults;
  for (std::uint64_t left = 2 + random.below(2); left != 0; --left) {
    std::string part = parts[random.below(parts.size())];
    if (part.starts_with("link:") && random.below(2) == 0)
      part += fmt::format("*0.{}", 1 + random.below(9));
    faults.push_back(part);
  }
  const std::uint64_t bytes = 1 + random.below(50'000);
  constexpr std::array kCollectives{Collective::kAllReduce, Collective::kReduceScatter,
                                    Collective::kAllToAll};
  const Collective collective = kCollectives[random.below(kCollectives.size())];
  try {
    const Topology topology = with_faults("fred_small", kSlices, faults);
    const RunResult rtl = run_with_faults(topology, collective, bytes, "auto", SwitchModel::kRtl);
    EXPECT_EQ(comparable_results(run_with_faults(topology, collective, bytes)),
              comparable_results(rtl));
    run_with_faults(topology, collective, bytes, "auto", SwitchModel::kLockstep);
  } catch (const BadInput& error) {
    const std::string why = error.what();
    EXPECT_TRUE(why.find("any more") != std::string::npos ||
                why.find("once") != std::string::npos || why.find("members") != std::string::npos)
        << fmt::format("{}", fmt::join(faults, " ")) << ": " << why;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFaults, testing::Range<std::uint64_t>(1, 61));

}  // namespace
}  // namespace fredsim::test
