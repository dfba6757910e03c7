// SPDX-License-Identifier: Apache-2.0
// Plans whose groups have I/O controllers: checked message by message and switch by switch as plans
// of NPUs, and the loads of the paper's trees from the edges of a mesh (§8).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/member.h"
#include "base/random.h"
#include "config/config.h"
#include "fabrics.h"
#include "plan/link_load.h"
#include "plan/members.h"
#include "plan_evaluator.h"
#include "routing/fred_routing.h"
#include "rtl/phased_pkg.h"
#include "support/collective_specs.h"
#include "support/random_work.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

using test::spec_of;

Topology machine(const char* config, const std::vector<std::string>& settings = {}) {
  return load_config(fmt::format("configs/{}.yaml", config), settings).topology;
}

// Controller k, then all NPUs.
std::vector<int> from_controller(const Topology& topology, int k) {
  std::vector<int> group = test::first_ranks(static_cast<int>(topology.npus.size()));
  group.insert(group.begin(), io_member(k));
  return group;
}

TEST(IoMembers, HaveNames) {
  EXPECT_EQ(member_names(std::vector{0, io_member(3), 12, io_member(0)}), "0,io3,12,io0");
  const Topology topology = machine("fred_d");
  for (int k = 0; k < 18; ++k) {
    const NodeId node = members_of(topology, {io_member(k)}).front();
    EXPECT_EQ(topology.nodes[node].name, member_name(io_member(k)));
    EXPECT_EQ(member_number(topology, node), io_member(k));
  }
  EXPECT_THROW(members_of(topology, {0, io_member(18)}), BadInput);
  EXPECT_THROW(members_of(topology, {io_member(1), 0, io_member(1)}), BadInput);
  EXPECT_THROW(members_of(machine("fred_small"), {io_member(0)}), BadInput);
}

// Every face of a mesh has its controller.
TEST(IoMembers, AreOnFaces) {
  const Topology topology = machine("mesh");
  std::vector<int> found(4);
  for (const NodeId controller : topology.io_controllers) ++found[face_of(topology, controller)];
  EXPECT_EQ(found[kNorth], 5);
  EXPECT_EQ(found[kSouth], 5);
  EXPECT_EQ(found[kEast], 4);
  EXPECT_EQ(found[kWest], 4);
}

class IoPlan : public testing::TestWithParam<const char*> {};

TEST_P(IoPlan, RandomWorks) {
  const std::string name = GetParam();
  const Topology topology = name == "mesh_reducing" ? machine("mesh", {"switch.kind=mesh_reducing"})
                                                    : machine(GetParam());
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const std::vector<CollectiveSpec> work{test::random_spec(random, 20, 60'000, 18)};
    test::expect_plan(topology, work, make_plan(topology, work));
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, IoPlan,
                         testing::Values("mesh", "mesh_reducing", "torus", "fred_a", "fred_b",
                                         "fred_d"),
                         [](const auto& param) { return std::string(param.param); });

// 2 N - 1 = 9 on 5 x 4, both ways, and 7 on 4 x 4.
TEST(EdgeTree, HottestLinkCarriesWhatThePaperSays) {
  const Topology wafer = machine("mesh");
  const Topology square = machine("mesh", {"fabric.width=4", "npu.count=16", "io.count=16"});
  for (const auto& [topology, streams] : {std::pair(&wafer, 9U), {&square, 7U}}) {
    for (const Collective collective : {Collective::kBroadcast, Collective::kReduce}) {
      constexpr std::uint64_t kFlits = 100;
      std::vector<CollectiveSpec> work;
      for (int k = 0; k < std::ssize(topology->io_controllers); ++k)
        work.push_back(spec_of(collective, from_controller(*topology, k), kFlits * kFlitBytes,
                               {.algorithm = "paper"}));
      const Plan plan = make_plan(*topology, work);
      test::expect_plan(*topology, work, plan);
      const std::vector<std::uint64_t> flits = link_flits(*topology, plan);
      std::uint64_t busiest = 0;
      for (std::size_t l = 0; l < flits.size(); ++l) {
        if (!topology->links[l].on_die) busiest = std::max(busiest, flits[l]);
      }
      EXPECT_EQ(plan.parts.front().algorithm, "edge_tree");
      EXPECT_EQ(busiest, streams * kFlits);
    }
  }
}

// Weights and gradients over the same trees use every link in both directions: 12 streams on the
// hottest, and any trees that span the 20 NPUs, 19 hops each for 18 controllers both ways, have 684
// on the 62 links of the mesh, more than 11 on the hottest.
TEST(EdgeTree, BothDirectionsShareLinks) {
  constexpr std::uint64_t kFlits = 100;
  const Topology topology = machine("mesh");
  std::vector<CollectiveSpec> work;
  for (const Collective collective : {Collective::kBroadcast, Collective::kReduce}) {
    for (int k = 0; k < 18; ++k)
      work.push_back(spec_of(collective, from_controller(topology, k), kFlits * kFlitBytes,
                             {.algorithm = "paper"}));
  }
  const Plan plan = make_plan(topology, work);
  const std::vector<std::uint64_t> flits = link_flits(topology, plan);
  std::uint64_t busiest = 0, all = 0, links = 0;
  for (std::size_t l = 0; l < flits.size(); ++l) {
    const Link& link = topology.links[l];
    if (link.on_die || topology.nodes[link.from].is_endpoint() ||
        topology.nodes[link.to].is_endpoint())
      continue;
    busiest = std::max(busiest, flits[l]);
    all += flits[l];
    ++links;
  }
  EXPECT_EQ(links, 62U);
  EXPECT_EQ(all, 684 * kFlits);
  EXPECT_EQ(busiest, 12 * kFlits);
}

TEST(EdgeTree, NeedsARectangleWithItsRouter) {
  const Topology topology = machine("mesh");
  const auto planned = [&](std::vector<int> group, const char* algorithm) {
    return make_plan(topology, Collective::kBroadcast, group, 5000, algorithm).parts[0].algorithm;
  };
  // io0 and io1 are on the router of NPU 0.
  EXPECT_EQ(planned({io_member(0), 0, 1, 5, 6}, "edge_tree"), "edge_tree");
  EXPECT_EQ(planned({io_member(1), 5, 0}, "paper"), "edge_tree");
  EXPECT_EQ(planned({io_member(0), 1, 2}, "paper"), "chain");
  EXPECT_EQ(planned({io_member(0), 0, 1, 5}, "paper"), "chain");
  EXPECT_THROW(planned({io_member(0), 1, 2}, "edge_tree"), BadInput);
  EXPECT_THROW(planned({0, 1, 5, 6}, "edge_tree"), BadInput);
  EXPECT_THROW(planned({io_member(0), 0, 1, 5, 6}, "multi_tree"), BadInput);
}

// Sums beside weights, with no other priority for them: on one virtual channel, their last hops on
// another.
TEST(StreamChains, KeepGradientsApart) {
  const Topology topology = machine("fred_c");
  std::vector<int> group;
  for (int k = 0; k < 18; ++k) group.push_back(io_member(k));
  for (int npu = 0; npu < 20; ++npu) group.push_back(npu);
  const auto channels = [&](std::vector<int> other_priorities) {
    std::vector<CollectiveSpec> work;
    for (const Collective collective : {Collective::kMulticast, Collective::kReduce}) {
      work.push_back(spec_of(collective, group, 3000 * kFlitBytes));
      work.back().roots = 18;
    }
    for (const int vc : other_priorities) {
      work.push_back(
          spec_of(Collective::kAllReduce, {0, 1}, 10 * kFlitBytes, {.algorithm = "ring"}));
      work.back().vc = vc;
    }
    const Plan plan = make_plan(topology, work);
    std::vector<std::set<int>> found(2);  // trees of weights and of sums between NPUs
    for (const Tree& tree : plan.trees) {
      if (tree.part > 1) continue;
      for (const TreeRank& rank : tree.ranks) {
        for (const auto* sends : {&rank.broadcast_to, &rank.reduce_to})
          for (const Send& send : *sends)
            if (send.rank >= 18) found[static_cast<std::size_t>(tree.part)].insert(send.vc);
      }
    }
    return found;
  };
  EXPECT_EQ(channels({}), (std::vector<std::set<int>>{{kDp}, {kPp}}));
  EXPECT_EQ(channels({kMp}), (std::vector<std::set<int>>{{kDp}, {kDp}}));
  EXPECT_EQ(channels({kMp, kPp}), (std::vector<std::set<int>>{{kDp}, {kDp}}));
}

class StreamPlan : public testing::TestWithParam<const char*> {};

// Weights and gradients of random groups: receivers, message by message; with phases, no link
// except the controllers' carries a block twice in one direction.
TEST_P(StreamPlan, RandomGroups) {
  const Topology topology = machine(GetParam());
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const int roots = 1 + static_cast<int>(random.below(18));
    std::vector<int> group;
    for (int k = 0; k < roots; ++k) group.push_back(io_member(k));
    const int npus = seed % 2 == 0 ? 20 : 1 + static_cast<int>(random.below(19));
    for (int npu = 0; npu < npus; ++npu) group.push_back(npu);
    std::vector<CollectiveSpec> work;
    for (const Collective collective : {Collective::kMulticast, Collective::kReduce}) {
      work.push_back(spec_of(collective, group, (1 + random.below(3000)) * kFlitBytes));
      work.back().bytes -= random.below(kFlitBytes);
      work.back().roots = roots;
    }
    test::expect_plan(topology, work, make_plan(topology, work));
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, StreamPlan,
                         testing::Values("mesh", "torus", "fred_a", "fred_b", "fred_c", "fred_d"),
                         [](const auto& param) { return std::string(param.param); });

// All 18 controllers and all NPUs, both ways.
std::vector<CollectiveSpec> streams_both_ways() {
  std::vector<CollectiveSpec> work;
  for (const Collective collective : {Collective::kMulticast, Collective::kReduce}) {
    std::vector<int> group = test::first_ranks(20);
    for (int k = 17; k >= 0; --k) group.insert(group.begin(), io_member(k));
    work.push_back(spec_of(collective, group, 18 * 400 * kFlitBytes));
    work.back().roots = 18;
  }
  return work;
}

// Weights of any controller and gradients of any other can be in use at once: their rows share no
// port, no flow code and no select of a µSwitch (two bits each), in any chiplet.
TEST(StreamPlans, WeightsAndGradientsCanBeInUseAtOnce) {
  const Topology topology = load_config("configs/fred_d.yaml", {"switch.phases_in_use=2"}).topology;
  const Plan plan = make_plan(topology, streams_both_ways());
  using Row = std::vector<std::uint32_t>;
  std::map<NodeId, std::array<std::vector<Row>, 2>> rows;  // rows of weights, of gradients
  for (const PhaseProgram& program : plan.programs) {
    ASSERT_LT(program.phase, 36);
    rows[program.node][program.phase / 18].push_back(program.row);
  }
  EXPECT_GE(rows.size(), 25U);  // all rows of level 1, and rows with the uplinks above them
  const auto field = [](const Row& row, int first, int bits) {
    unsigned value = 0;
    for (int b = first; b < first + bits; ++b) value |= (row[b / 32] >> b % 32 & 1U) << (b - first);
    return value;
  };
  for (const auto& [node, of_node] : rows) {
    const int ports = topology.nodes[node].ports;
    const auto code = static_cast<int>(phased_pkg::flow_w(ports));
    const auto config = static_cast<int>(phased_pkg::row_config_lsb(ports));
    const int end = config + fred_config_bits({ports, 3});
    ASSERT_FALSE(of_node[0].empty() || of_node[1].empty()) << topology.nodes[node].name;
    for (const Row& in : of_node[0]) {
      for (const Row& out : of_node[1]) {
        int shared = 0;
        std::set<unsigned> codes;
        for (int at = phased_pkg::ROW_FLOWS_LSB; at < config; at += code) {
          shared += field(in, at, code) != 0 && field(out, at, code) != 0 ? 1 : 0;
          if (field(in, at, code) != 0) codes.insert(field(in, at, code));
        }
        for (int at = phased_pkg::ROW_FLOWS_LSB; at < config; at += code)
          shared += codes.contains(field(out, at, code)) ? 1 : 0;
        for (int at = config; at < end; at += 2)
          shared += field(in, at, 2) != 0 && field(out, at, 2) != 0 ? 1 : 0;
        ASSERT_EQ(shared, 0) << topology.nodes[node].name;
      }
    }
  }
}

// A phase per controller, for its weights and its gradients.
TEST(StreamPlans, WeightsAndGradientsShareThePhases) {
  const Topology topology = machine("fred_d");
  const Plan plan = make_plan(topology, streams_both_ways());
  int phases = 0;
  for (const PhaseProgram& program : plan.programs) phases = std::max(phases, program.phase + 1);
  EXPECT_EQ(phases, 18);
  // A link of a controller carries its block, at 128 GB/s but for the first bursts; each NPU's all
  // of them.
  EXPECT_DOUBLE_EQ(plan.bound_ns, 18 * 400.0 * kFlitBytes / 3000);
}

// On the mesh the NIC ports of corners carry no more than the links, 9 streams of 750 GB/s; sums on
// the standing one do.
TEST(StreamPlans, HottestLinksOfAMesh) {
  constexpr auto kLoads = Collective::kMulticast, kSums = Collective::kReduce;
  for (const auto& [config, collective, streams] :
       {std::tuple("mesh", kLoads, 9U), std::tuple("mesh", kSums, 9U),
        std::tuple("paper/mesh", kLoads, 9U), std::tuple("paper/mesh", kSums, 10U)}) {
    SCOPED_TRACE(fmt::format("{}, {}", config, to_string(collective)));
    const Topology topology = machine(config);
    std::vector<int> group = test::first_ranks(20);
    for (int k = 17; k >= 0; --k) group.insert(group.begin(), io_member(k));
    CollectiveSpec spec = spec_of(collective, group, 18 * 100 * kFlitBytes);
    spec.roots = 18;
    const Plan plan = make_plan(topology, {&spec, 1});
    EXPECT_EQ(plan.parts.front().algorithm, "edge_tree");
    EXPECT_EQ(std::ranges::max(link_flits(topology, plan)), streams * 100U);
    EXPECT_DOUBLE_EQ(plan.bound_ns, streams * 100.0 * kFlitBytes / 750);
  }
}

TEST(StreamPlans, BadRootsAreNamed) {
  const Topology topology = machine("mesh");
  const auto planned = [&](Collective collective, int roots, int root, const char* algorithm) {
    CollectiveSpec spec = spec_of(collective, {io_member(0), io_member(1), 0, 1, 5, 6},
                                  100 * kFlitBytes, {.algorithm = algorithm});
    spec.roots = roots;
    spec.root = root;
    return make_plan(topology, {&spec, 1}).parts[0].algorithm;
  };
  EXPECT_EQ(planned(Collective::kMulticast, 2, 0, "auto"), "edge_tree");
  EXPECT_EQ(planned(Collective::kReduce, 2, 0, "chain"), "chain");
  EXPECT_THROW(planned(Collective::kBroadcast, 2, 0, "auto"), BadInput);
  EXPECT_THROW(planned(Collective::kReduce, 6, 0, "auto"), BadInput);
  EXPECT_THROW(planned(Collective::kReduce, -1, 0, "auto"), BadInput);
  EXPECT_THROW(planned(Collective::kReduce, 2, 1, "auto"), BadInput);
  EXPECT_THROW(planned(Collective::kReduce, 2, 0, "direct"), BadInput);
}

// The share of a slice crosses the controller's link and every NPU's link once, independent of the
// capacity of the uplinks.
TEST(IoPlanInSwitch, TakesOneTreePerSlice) {
  for (const char* config : {"fred_b", "fred_d"}) {
    const Topology topology = machine(config);
    const Plan plan = make_plan(topology, Collective::kBroadcast, from_controller(topology, 5),
                                500 * kFlitBytes, "auto");
    EXPECT_EQ(plan.parts[0].algorithm, "in_switch");
    EXPECT_EQ(plan.trees.size(), 5U) << config;
    // Minus the bursts of the controller's five links: two bursts of 24 flits and a packet each.
    EXPECT_DOUBLE_EQ(plan.bound_ns, (500.0 - 5 * 56) * kFlitBytes / 128) << config;
  }
}

}  // namespace
}  // namespace fredsim
