// SPDX-License-Identifier: Apache-2.0
// detours: all-reduces of small groups of NPUs on a grid, over paths by NPUs outside of the groups too, which forward packets; all
// groups of a plan that have it are planned together (collective/detour_flow.h).
//
// Every hop goes from an NPU to the next one, which reads it and sends it on. Shares of the vector by tree are whole packets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "collective/algorithm.h"
#include "collective/detour_flow.h"
#include "collective/detour_trees.h"
#include "collective/endpoint_trees.h"
#include "collective/members.h"
#include "collective/split.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

constexpr int kDetourWindow = 96;

std::vector<NodeId> nodes_left(const Topology& topology) {
  std::vector<NodeId> nodes;
  for (const int npu : npus_left(topology)) nodes.push_back(topology.npus[npu]);
  return nodes;
}

class Detours final : public Algorithm {
 public:
  Detours() : Algorithm("detours") {}
  bool has(Collective collective) const override { return collective == Collective::kAllReduce; }
  bool exists_on(const Topology& topology) const override {
    return topology.has_places() && std::ssize(topology.npus) <= kMaxDetourNpus;
  }
  bool may_fit(const Topology& topology, const CollectiveSpec& spec) const override {
    return Algorithm::may_fit(topology, spec) && spec.group.size() <= kMaxDetourMembers;
  }
  std::string refusal(const Topology& topology, const Part& part) const override {
    if (exists_on(topology) && part.ranks() <= kMaxDetourMembers &&
        !has_io(topology, part.members)) {
      const std::vector<NodeId> npus = nodes_left(topology);
      if (HopGraph(topology, npus).reach(0)) return {};
    }
    return fmt::format(
        "detours needs 2 to {} NPUs of a mesh or torus of at most {}, this group of {} on {} is "
        "not that, allowed: {}",
        kMaxDetourMembers, kMaxDetourNpus, part.members.size(), topology.name,
        allowed_algorithms(part.collective));
  }
  int window(const Topology& /*topology*/, const Part& /*part*/) const override {
    return kDetourWindow;
  }
  void plan(EndpointPart& /*part*/, std::vector<ChainSpec>& /*chains*/) const override {}
  void plan_together(const Topology& topology, const std::vector<int>& parts,
                     Plan& plan) const override {
    const std::vector<NodeId> npus = nodes_left(topology);
    const HopGraph graph(topology, npus);
    std::vector<DetourGroup> groups;
    for (const int part : parts) {
      DetourGroup& group = groups.emplace_back();
      for (const NodeId member : plan.parts[part].members)
        group.members.push_back(static_cast<int>(std::ranges::find(npus, member) - npus.begin()));
      group.flits = static_cast<double>(whole_range(0, plan.parts[part].bytes).flits);
    }
    const ConcurrentFlow flow = concurrent_flow(graph, groups);
    double longest = 0;
    for (const DetourGroup& group : groups) longest = std::max(longest, group.flits);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const double cycles = flow.cycles * groups[g].flits / longest;
      add_trees(topology, npus, detour_trees(groups[g], flow.groups[g]), {parts[g], cycles}, plan);
    }
  }
  // Groups share links, so that none can wait for a packet that is due.
  bool has_packet_order(const Topology& /*topology*/, const Part& /*part*/) const override {
    return false;
  }
  Layout layout() const override { return Layout::kBox; }

 private:
  static constexpr int kMaxDetourNpus = 64;

  struct PartCycles {
    int part = 0;
    double cycles = 0;  // in which its sources are to send
  };

  static void add_trees(const Topology& topology, const std::vector<NodeId>& npus,
                        const std::vector<DetourTree>& trees, const PartCycles& of, Plan& plan) {
    Part& part = plan.parts[of.part];
    const std::map<NodeId, int> ranks = add_relays(npus, trees, part);
    const FlitRange whole = whole_range(0, part.bytes);
    const auto packet = static_cast<std::uint64_t>(part.packet_flits);
    const std::uint64_t packets = (whole.flits + packet - 1) / packet;
    part.frame = static_cast<std::uint64_t>(std::ceil(of.cycles));
    double all = 0;
    for (const DetourTree& tree : trees) all += tree.flits;
    double share = 0;
    std::uint64_t before = 0;
    for (const DetourTree& tree : trees) {
      share += tree.flits / all;
      const auto after =
          static_cast<std::uint64_t>(std::llround(share * static_cast<double>(packets)));
      if (after == before) continue;
      TreeBuilder builder(topology, plan, of.part, 0);
      for (const auto& [above, below] : tree.hops) {
        builder.reduce(ranks.at(npus[below]), ranks.at(npus[above]), builder.vc());
        builder.pass_on(ranks.at(npus[above]), ranks.at(npus[below]), builder.vc());
      }
      const FlitRange range =
          part_of(whole, before * packet, std::min(whole.flits, after * packet));
      Tree& made = plan.trees.emplace_back(
          builder.finish(Roles::kAllToAll, ranks.at(npus[tree.root]), range));
      made.in_frame = after - before;
      before = after;
    }
  }

  // Ranks of all NPUs that are in the trees.
  static std::map<NodeId, int> add_relays(const std::vector<NodeId>& npus,
                                          const std::vector<DetourTree>& trees, Part& part) {
    std::map<NodeId, int> ranks;
    for (const NodeId member : part.members) ranks.emplace(member, std::ssize(ranks));
    for (const DetourTree& tree : trees) {
      for (const auto& [above, below] : tree.hops) {
        if (!ranks.try_emplace(npus[below], std::ssize(ranks)).second) continue;
        part.members.push_back(npus[below]);
        ++part.relays;
      }
    }
    return ranks;
  }
};

}  // namespace

const Algorithm& detours_algorithm() {
  static const Detours algorithm;
  return algorithm;
}

}  // namespace fredsim
