// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/covering_windows.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "collective/algorithm.h"
#include "collective/plan_time.h"
#include "plan/acknowledgements.h"
#include "plan/hop_paths.h"
#include "plan/link_load.h"
#include "plan/link_walk.h"
#include "plan/pattern.h"

namespace fredsim {
namespace {

constexpr double kMargin = 1.25;
// Sources of several trees may inject between forwarded packets: a window stays together as one
// burst, which waits behind bursts of other sources at every hop. Measured on rings of eight over
// links of 500 ns: 0.78 of the rate at kMargin, 0.99 at this one.
constexpr double kBurstMargin = 4;

bool is_covered(const Part& part) {
  const Algorithm* algorithm = find_algorithm(part.algorithm, part.collective);
  return part.roots == 0 && part.members.size() > 1 && algorithm != nullptr &&
         !algorithm->is_in_switches() && !algorithm->paces_by_window();
}

bool goes_by_acknowledgements(const Tree& tree) {
  if (const RingBoxTree* const of_box = tree.ranks.box_tree())
    return of_box->box().is_acknowledged();
  return std::ranges::any_of(
      tree.ranks, [&](const TreeRank& rank) { return waits_for_acknowledgements(tree, rank); });
}

// Results of its source are passed on by ranks that are sources of other trees.
bool bursts_collide(const Part& part, const Tree& tree) {
  if (pattern_of(part.collective) != Pattern::kAllRanks) return false;
  if (const RingBoxTree* const of_box = tree.ranks.box_tree()) return !of_box->box().has_sums();
  return std::ranges::any_of(tree.ranks, [](const TreeRank& rank) {
    return !rank.contributes && rank.reduce_from.empty() && !rank.broadcast_to.empty();
  });
}

// Cycles in which the busiest link of each part sends the part's flits.
std::vector<double> busiest_cycles(const Topology& topology, const Plan& plan, HopPaths& hops) {
  std::vector<double> cycles(plan.parts.size());
  std::vector<std::uint64_t> own(topology.links.size());
  for (std::size_t first = 0; first < plan.trees.size();) {
    const int part = plan.trees[first].part;
    std::size_t end = first;
    while (end < plan.trees.size() && plan.trees[end].part == part) ++end;
    std::ranges::fill(own, 0U);
    hops.add_loads(
        plan, std::span(plan.trees).subspan(first, end - first),
        [](const Tree& tree) { return tree.flits; }, own);
    for (std::size_t l = 0; l < own.size(); ++l)
      cycles[part] =
          std::max(cycles[part], static_cast<double>(own[l]) / topology.links[l].rate.value());
    first = end;
  }
  return cycles;
}

}  // namespace

void cover_round_trips(const Topology& topology, Plan& plan) {
  if (std::ranges::none_of(plan.parts, is_covered)) return;
  const LinkWalk walk(topology, plan, needs_online_routes(topology, plan));
  HopPaths hops(topology, walk);
  const std::vector<double> busiest = busiest_cycles(topology, plan, hops);
  const std::vector<FirstPacket> packets_alone = first_packets(topology, plan, hops);
  for (std::size_t t = 0; t < plan.trees.size(); ++t) {
    const Tree& tree = plan.trees[t];
    Part& part = plan.parts[tree.part];
    if (tree.transport != Transport::kEndpoint || !is_covered(part) || busiest[tree.part] <= 0)
      continue;
    const double packets = std::ceil(static_cast<double>(tree.flits) / part.packet_flits);
    const bool is_acknowledged = goes_by_acknowledgements(tree);
    const double trip = packets_alone[t].all * (is_acknowledged ? 2 : 1);
    const double margin = is_acknowledged && bursts_collide(part, tree) ? kBurstMargin : kMargin;
    const double needed = margin * trip * packets / busiest[tree.part];
    // No tree has more packets in flight than its own number of packets.
    part.window = std::max(part.window, static_cast<int>(std::ceil(std::min(needed, packets))));
  }
}

}  // namespace fredsim
