// SPDX-License-Identifier: Apache-2.0
// Pace of packets: contract of frames, on random groups of meshes and toruses.
#include "collective/detail/packet_pace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "fabrics.h"
#include "plan/link_walk.h"
#include "support/random_work.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

Topology random_grid(Random& random) {
  const int width = 2 + static_cast<int>(random.below(4));
  const int height = 2 + static_cast<int>(random.below(3));
  return random.below(2) == 0 ? mesh(width, height) : torus(width + 1, height + 1);
}

// Flits of a part's packets and acknowledgements on each link in a frame.
std::vector<double> flits_in_frame(const Topology& topology, const Plan& plan, int part) {
  const LinkWalk walk(topology, plan, false);
  std::vector<double> flits(topology.links.size());
  for (const Tree& tree : plan.trees) {
    if (tree.part != part) continue;
    const auto packets = static_cast<double>(tree.in_frame);
    walk.walk(tree, [&](int link) { flits[link] += packets * plan.parts[part].packet_flits; });
    for (const TreeRank& rank : tree.ranks) {
      for (const auto* sends : {&rank.acknowledge_sums, &rank.acknowledge_results})
        for (const Send& to : *sends)
          walk.walk_hop(plan.parts[part].members[rank.rank], plan.parts[part].members[to.rank],
                        to.port, [&](int link) {
                          flits[link] += packets / static_cast<double>(tree.acknowledge_packets);
                        });
    }
  }
  return flits;
}

// No link is asked for more than it carries, and the busiest one is idle for 0.3 % and less than a
// cycle.
void check_links(const Topology& topology, const Plan& plan, int number) {
  const auto frame = static_cast<double>(plan.parts[number].frame);
  const std::vector<double> flits = flits_in_frame(topology, plan, number);
  double busiest = 0;
  for (std::size_t l = 0; l < flits.size(); ++l)
    busiest = std::max(busiest, flits[l] / topology.links[l].flit_rate().value());
  EXPECT_LE(busiest, frame * (1 + 1e-12));
  EXPECT_GT(busiest, frame / 1.0031 - 1);
}

void check_part(const Topology& topology, const Plan& plan, int number) {
  EXPECT_NE(plan.parts[number].frame, 0U);
  for (const Tree& tree : plan.trees) {
    if (tree.part != number) continue;
    EXPECT_NE(tree.interval, 0U);
    EXPECT_GE(tree.acknowledge_packets, kAcknowledgePackets);
  }
  check_links(topology, plan, number);
}

TEST(PacketPace, AsksNoLinkForMoreThanItCarries) {
  int paced = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology topology = random_grid(random);
    std::vector<CollectiveSpec> work =
        random_work(random, static_cast<int>(topology.npus.size()), 2, 16'000'000);
    for (CollectiveSpec& spec : work) spec.order = PacketOrder::kPaced;
    Plan plan;
    try {
      plan = make_plan(topology, work);
    } catch (const BadInput&) {
      continue;  // not possible on this machine
    }
    for (int part = 0; part < std::ssize(plan.parts); ++part) {
      if (plan.parts[part].order == PacketOrder::kPaced) {
        ++paced;
        check_part(topology, plan, part);
      } else {
        ++refused;
        if (plan.parts[part].algorithm != "detours") {  // detours has its own pace
          EXPECT_EQ(plan.parts[part].frame, 0U);
        }
        EXPECT_TRUE(std::ranges::any_of(plan.notes, [](const std::string& note) {
          return note.starts_with("packets have no pace: ");
        }));
      }
    }
  }
  EXPECT_GT(paced, 10);
  EXPECT_GT(refused, 10);
}

// kAuto takes the pace that can be asked for, of large parts with trees of many packets, and no other.
TEST(PacketPace, IsChosenForLargeParts) {
  int chosen = 0, small = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology topology = random_grid(random);
    CollectiveSpec spec =
        random_work(random, static_cast<int>(topology.npus.size()), 1, 16'000'000).front();
    if (spec.collective == Collective::kAllToAllV) continue;
    spec.bytes = (std::uint64_t{16} << 20) + random.below(std::uint64_t{240} << 20);
    Plan plan, asked;
    try {
      spec.order = PacketOrder::kAuto;
      plan = make_plan(topology, {&spec, 1});
      spec.order = PacketOrder::kPaced;
      asked = make_plan(topology, {&spec, 1});
    } catch (const BadInput&) {
      continue;  // not possible on this machine
    }
    if (plan.parts.front().algorithm != asked.parts.front().algorithm) continue;
    const Part& part = plan.parts.front();
    std::uint64_t longest = 0;
    for (const Tree& tree : plan.trees) longest = std::max(longest, tree.flits);
    const bool is_large = spec.bytes > kPacedAboveBytes;
    const bool is_long =
        longest / static_cast<std::uint64_t>(part.packet_flits) >= kFewestPacedPackets;
    const bool could = asked.parts.front().is_paced();
    EXPECT_EQ(part.is_paced(), could && is_large && is_long);
    chosen += part.is_paced() ? 1 : 0;
    small += could && !is_large ? 1 : 0;
    if (part.is_paced()) {
      EXPECT_EQ(part.frame, asked.parts.front().frame);
    }
    EXPECT_TRUE(std::ranges::none_of(plan.notes, [](const std::string& note) {
      return note.starts_with("packets have no pace: ");
    }));
  }
  EXPECT_GT(chosen, 10);
  EXPECT_GT(small, 3);
}

TEST(PacketPace, IsNotChosenForTreesOfFewPackets) {
  CollectiveSpec spec;
  spec.collective = Collective::kAllGather;
  spec.algorithm = "hier_ring";
  spec.bytes = kPacedAboveBytes / 2 * 3;
  for (int npu = 0; npu < 64; ++npu) spec.group.push_back(npu);
  const Plan plan = make_plan(mesh(8, 8), {&spec, 1});
  EXPECT_EQ(plan.parts.front().frame, 0U) << "192 packets";
  spec.bytes = kPacedAboveBytes * 2;
  EXPECT_NE(make_plan(mesh(8, 8), {&spec, 1}).parts.front().frame, 0U);
  spec.order = PacketOrder::kPaced;
  spec.bytes = kPacedAboveBytes;
  EXPECT_NE(make_plan(mesh(8, 8), {&spec, 1}).parts.front().frame, 0U);
}

TEST(PacketPace, IsForGridsWhoseRoutersDoNotAdd) {
  CollectiveSpec spec;
  spec.group = {0, 1, 2, 3};
  spec.bytes = 10'000'000;
  spec.order = PacketOrder::kPaced;
  const Topology tree = fred_tree({.l1_switches = 2,
                                   .npus_per_l1 = 2,
                                   .slices = 4,
                                   .uplinks = 2,
                                   .l2_chiplets_per_slice = 1,
                                   .uplink_bandwidth = 3'000'000'000'000},
                                  false);
  const Plan plan = make_plan(tree, {&spec, 1});
  EXPECT_EQ(plan.notes.back(),
            "packets have no pace: only NPUs of a mesh or torus whose routers do not add keep one");
  EXPECT_EQ(plan.parts.front().frame, 0U);
}

}  // namespace
}  // namespace fredsim::test
