// SPDX-License-Identifier: Apache-2.0
#include "collective/in_switch_time.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "collective/plan_time.h"
#include "plan/hop_times.h"
#include "plan/in_switch_roles.h"
#include "plan/link_load.h"
#include "plan/members.h"
#include "plan/split.h"
#include "routing/mesh_routing.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

// Measured, in cycles. Serial steps in a tree of switches: what each costs beside its flits, and
// how much longer than on the busiest link the flits take; where uplinks are that link, phases
// change in its shadow.
constexpr double kReduceStep = 8;
constexpr double kReduceFactor = 1.4;
// Long ones: reduce-scatters on Fred-D fall from 1.4 of the busiest link at 4 MiB to 1.05 at 1 GiB.
constexpr double kLongReduceFactor = 1.045;
constexpr double kLongReduceStart = 2000;
constexpr double kGatherStep = 5;
constexpr double kGatherFactor = 1.1;
constexpr double kUplinkFactor = 1.05;
// Cycles that a hop of a tree of routers takes beside a unicast's, that such a tree takes beside
// its hops, and how much longer than on a link the flits of a reduce-scatter take there.
constexpr double kRouterHop = 1;
constexpr double kGridTurn = 22;
constexpr double kGridReduceFactor = 1.5;

double cycles_per_flit(const Topology& topology, const Link& link) {
  return 1 / estimated_rate(topology, link);
}

// Rate of the slowest link of any member.
double cycles_per_flit_of_ports(const Topology& topology, const Part& part) {
  double cycles = 1 / slowest_port(topology, part.members, 0).value();
  for (const Link& link : topology.links)
    if (counts_credits(topology, link) && std::ranges::any_of(part.members, [&](NodeId member) {
          return link.from == member || link.to == member;
        }))
      cycles = std::max(cycles, cycles_per_flit(topology, link));
  return cycles;
}

class SwitchTime {
 public:
  SwitchTime(const Topology& topology, const LinkWalk& walk, const CollectiveSpec& spec,
             const Part& part)
      : topology_(topology), walk_(walk), spec_(spec), part_(part) {
    for (const std::uint64_t bytes : takes_steps(spec.collective) ? block_sizes(part.bytes, ranks())
                                                                  : std::vector{part.bytes}) {
      const std::uint64_t flits = (bytes + kFlitBytes - 1) / kFlitBytes;
      flits_ += static_cast<double>(flits);
    }
  }

  double cycles() const { return topology_.has_places() ? on_grid() : steps_on_tree(); }

 private:
  int ranks() const { return static_cast<int>(part_.members.size()); }

  double steps_on_tree() const {
    const NodeId first = part_.members.front();
    const auto above = [&](NodeId npu) { return topology_.nodes[npu].above; };
    double latency = 0;
    bool one_switch = true;
    for (const NodeId member : part_.members) {
      if (member == first) continue;
      latency = std::max(latency, unicast_cycles(topology_, walk_, first, member));
      if (above(member) != above(first)) one_switch = false;
    }
    const double port = cycles_per_flit_of_ports(topology_, part_);
    const double uplinks = one_switch ? 0 : slowest_level();
    const bool reduces = spec_.collective == Collective::kReduceScatter;
    const auto& weights = part_.slice_weights;
    const auto lost = std::ranges::count(weights, 0U);
    const double flits = flits_ / static_cast<double>(topology_.slices - lost);
    const double stretched = reduces ? std::min(kReduceFactor * port * flits,
                                                kLongReduceStart + kLongReduceFactor * port * flits)
                                     : kGatherFactor * port * flits;
    return latency + kTurnCycles +
           (reduces ? kReduceStep : kGatherStep) * std::min<double>(ranks(), flits) +
           std::max(stretched, uplinks * kUplinkFactor * flits);
  }

  // Cycles per flit of a slice through all uplinks of a chiplet side by side.
  double slowest_level() const {
    double slowest = 0;
    for (const Link& link : topology_.links) {
      const Node& from = topology_.nodes[link.from];
      const Node& to = topology_.nodes[link.to];
      if (!from.is_switch() || !to.is_switch() || from.level >= to.level) continue;
      const int uplinks = topology_.tree.levels[from.level - 1].uplinks;
      slowest = std::max(slowest, cycles_per_flit(topology_, link) / uplinks);
    }
    return slowest;
  }

  double on_grid() const {
    const Link& link = mesh_link();
    const double hop = HopTimes(topology_).over(link) + kRouterHop;
    const double flits = flits_ * std::max(cycles_per_flit(topology_, link),
                                           cycles_per_flit_of_ports(topology_, part_));
    switch (spec_.collective) {
      case Collective::kAllReduce:
        return 2 * hop * radius() + kGridTurn + flits;
      case Collective::kReduceScatter:
        return hop * diameter() + kGridTurn + kReduceStep * ranks() + kGridReduceFactor * flits;
      case Collective::kAllGather:
        return hop * diameter() + kGridTurn + flits;
      default:
        return hop * distance(part_.members[part_.root]) + kGridTurn + flits;
    }
  }

  const Link& mesh_link() const {
    return *std::ranges::find_if(topology_.links, [&](const Link& link) {
      return topology_.nodes[link.from].is_switch() && topology_.nodes[link.to].is_switch();
    });
  }
  MeshPosition place(NodeId npu) const { return mesh_position(topology_.nodes[npu].address); }
  // Hops from a member to the farthest other one.
  int distance(NodeId from) const {
    int max = 0;
    for (const NodeId member : part_.members)
      max = std::max(max, std::abs(place(member).x - place(from).x) +
                              std::abs(place(member).y - place(from).y));
    return max;
  }
  int diameter() const {  // every member is a root once
    int max = 0;
    for (const NodeId member : part_.members) max = std::max(max, distance(member));
    return max;
  }
  int radius() const {
    int min = std::numeric_limits<int>::max();
    for (const NodeId member : part_.members) min = std::min(min, distance(member));
    return min;
  }

  const Topology& topology_;
  const LinkWalk& walk_;
  const CollectiveSpec& spec_;
  const Part& part_;
  double flits_ = 0;
};

}  // namespace

double in_switch_cycles(const Topology& topology, const LinkWalk& walk, const CollectiveSpec& spec,
                        const Part& part) {
  return SwitchTime(topology, walk, spec, part).cycles();
}

double in_switch_cycles(const Topology& topology, const Plan& plan) {
  const LinkWalk walk(topology, plan, routes_by_table(topology));
  double latency = 0;
  bool detaches = false;
  for (const Part& part : plan.parts)
    latency = std::max(latency, member_latency(topology, walk, part));
  for (const Tree& tree : plan.trees)
    detaches = detaches || std::ranges::any_of(tree.ranks, [](const TreeRank& rank) {
                 return rank.switch_port < 0;
               });
  double busiest = 0;
  std::vector<std::uint64_t> flits = link_flits(topology, plan);
  for (std::size_t link = 0; link < flits.size(); ++link)
    busiest = std::max(busiest, static_cast<double>(flits[link]) *
                                    cycles_per_flit(topology, topology.links[link]));
  return (detaches ? 3 : 1) * latency + kTurnCycles + busiest;
}

}  // namespace fredsim
