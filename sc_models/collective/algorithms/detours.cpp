// SPDX-License-Identifier: Apache-2.0
// detours: all-reduces of small groups of NPUs on a grid, over paths by NPUs outside of the groups
// too, which forward packets; all groups of a plan that have it are planned together
// (collective/detail/detour_flow.h).
//
// Every hop goes from an NPU to the next one, which reads it and sends it on.
// Shares: a tree sends at the program's rate until so long before the end as its packets are on
//   their way, so that all trees end together; one whose packets would be on their way for longer
//   has no share. The whole takes the program's time and the mean of the trees' latencies by rate,
//   not the longest one. Shares are whole packets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "collective/algorithm.h"
#include "collective/detail/detour_flow.h"
#include "collective/detail/detour_trees.h"
#include "collective/endpoint_trees.h"
#include "collective/plan_time.h"
#include "plan/hop_paths.h"
#include "plan/link_walk.h"
#include "plan/members.h"
#include "plan/split.h"
#include "switch/node_shape.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

constexpr int kDetourWindow = 96;

std::vector<NodeId> nodes_left(const Topology& topology) {
  std::vector<NodeId> nodes;
  for (const int npu : npus_left(topology)) nodes.push_back(topology.npus[npu]);
  return nodes;
}

DetourGroup group_of(const std::vector<NodeId>& npus, const std::vector<NodeId>& members,
                     std::uint64_t bytes) {
  DetourGroup group;
  for (const NodeId member : members)
    group.members.push_back(static_cast<int>(std::ranges::find(npus, member) - npus.begin()));
  group.flits = static_cast<double>(whole_range(0, bytes).flits);
  return group;
}

class Detours final : public Algorithm {
 public:
  Detours() : Algorithm("detours", &Topology::has_places) {}
  bool has(Collective collective) const override { return collective == Collective::kAllReduce; }
  bool exists_on(const Topology& topology) const override {
    return Algorithm::exists_on(topology) && std::ssize(topology.npus) <= kMaxDetourNpus;
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
        "not that; allowed: {}",
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
    for (const int part : parts)
      groups.push_back(group_of(npus, plan.parts[part].members, plan.parts[part].bytes));
    const ConcurrentFlow flow = concurrent_flow(graph, groups);
    double longest = 0;
    for (const DetourGroup& group : groups) longest = std::max(longest, group.flits);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const double cycles = flow.cycles * groups[g].flits / longest;
      add_trees(topology, npus, detour_trees(groups[g], flow.groups[g]), {parts[g], cycles}, plan);
    }
  }
  // No packet order: groups share links, so that no group can wait for a packet that is due.
  bool has_packet_order(const Topology& /*topology*/, const Part& /*part*/) const override {
    return false;
  }
  Layout layout() const override { return Layout::kBox; }

 private:
  static constexpr int kMaxDetourNpus = 64;

  struct PartCycles {
    int part = 0;
    double cycles = 0;  // cycles in which its sources send
  };

  static void add_trees(const Topology& topology, const std::vector<NodeId>& npus,
                        const std::vector<DetourTree>& trees, const PartCycles& of, Plan& plan) {
    Part& part = plan.parts[of.part];
    const FlitRange whole = whole_range(0, part.bytes);
    Plan alone;
    alone.parts = plan.parts;
    alone.trees = built(topology, npus, trees, {of.part, whole}, alone);
    const auto packet = static_cast<std::uint64_t>(part.packet_flits);
    const auto packets = static_cast<double>((whole.flits + packet - 1) / packet);
    part.frame = static_cast<std::uint64_t>(std::ceil(of.cycles));
    double all = 0;
    for (const DetourTree& tree : trees) all += tree.flits;
    const std::vector<double> shares =
        shares_of(trees, latencies(topology, alone), of.cycles / all);
    std::vector<DetourTree> used;
    std::vector<FlitRange> ranges;
    double share = 0;
    std::uint64_t before = 0;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      share += shares[t];
      const auto after = static_cast<std::uint64_t>(std::llround(share * packets));
      if (after == before) continue;
      used.push_back(trees[t]);
      ranges.push_back(part_of(whole, before * packet, std::min(whole.flits, after * packet)));
      before = after;
    }
    // Relays are the NPUs outside of the group in trees that have flits.
    std::vector<Tree> made = built(topology, npus, used, {of.part, whole}, plan);
    for (std::size_t t = 0; t < made.size(); ++t) {
      made[t].first_flit = ranges[t].first_flit;
      made[t].flits = ranges[t].flits;
      made[t].bytes = ranges[t].bytes;
      made[t].in_frame = std::max<std::uint64_t>(1, std::llround(used[t].flits / all * packets));
      plan.trees.push_back(std::move(made[t]));
    }
  }

  struct WholePart {
    int part = 0;
    FlitRange range;
  };

  // Trees of the whole vector; their NPUs outside of the group are added to the part.
  static std::vector<Tree> built(const Topology& topology, const std::vector<NodeId>& npus,
                                 const std::vector<DetourTree>& trees, const WholePart& of,
                                 Plan& plan) {
    const std::map<NodeId, int> ranks = add_relays(npus, trees, plan.parts[of.part]);
    std::vector<Tree> made;
    for (const DetourTree& tree : trees) {
      TreeBuilder builder(topology, plan, of.part, 0);
      for (const auto& [above, below] : tree.hops) {
        builder.reduce(ranks.at(npus[below]), ranks.at(npus[above]), builder.vc());
        builder.pass_on(ranks.at(npus[above]), ranks.at(npus[below]), builder.vc());
      }
      made.push_back(builder.finish(Roles::kAllToAll, ranks.at(npus[tree.root]), of.range));
    }
    return made;
  }

  // Cycles that a packet of each tree is on its way.
  static std::vector<double> latencies(const Topology& topology, const Plan& plan) {
    const LinkWalk walk(topology, plan, routes_by_table(topology));
    HopPaths hops(topology, walk);
    std::vector<double> cycles;
    for (const FirstPacket& packet : first_packets(topology, plan, hops))
      cycles.push_back(packet.all);
    return cycles;
  }

  // Shares of the vector, by tree, with which all trees that have one end together: flits / rate +
  // latency is the same for all. Rates are the program's, tree.flits / all in `cycles_per_flit` *
  // all.
  static std::vector<double> shares_of(const std::vector<DetourTree>& trees,
                                       const std::vector<double>& latency, double cycles_per_flit) {
    double all = 0;
    for (const DetourTree& tree : trees) all += tree.flits;
    const double cycles = cycles_per_flit * all;
    std::vector<std::size_t> order(trees.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t t) { return latency[t]; });
    // Uses trees by ascending latency while the common end of the trees so far is later than the
    // next tree's first packet.
    double end = 0, rate = 0, late = 0;
    std::size_t used = 0;
    for (; used < order.size() && (used == 0 || latency[order[used]] < end); ++used) {
      rate += trees[order[used]].flits;
      late += trees[order[used]].flits * latency[order[used]];
      end = (all * cycles + late) / rate;
    }
    std::vector<double> shares(trees.size());
    for (std::size_t k = 0; k < used; ++k) {
      const std::size_t t = order[k];
      shares[t] = trees[t].flits / all * (end - latency[t]) / cycles;
    }
    return shares;
  }

  // Ranks of all NPUs that are in the trees.
  static std::map<NodeId, int> add_relays(const std::vector<NodeId>& npus,
                                          const std::vector<DetourTree>& trees, Part& part) {
    std::map<NodeId, int> ranks;
    for (const NodeId member : part.members) ranks.emplace(member, std::ssize(ranks));
    const auto add = [&](int npu) {
      if (!ranks.try_emplace(npus[npu], std::ssize(ranks)).second) return;
      part.members.push_back(npus[npu]);
      ++part.relays;
    };
    for (const DetourTree& tree : trees) {
      add(tree.root);
      for (const auto& [above, below] : tree.hops) add(below);
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
