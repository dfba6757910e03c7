// SPDX-License-Identifier: Apache-2.0
#include "plan/link_load.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <span>

#include "plan/hop_paths.h"
#include "plan/link_walk.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

std::uint64_t flits_of(const Tree& tree) { return tree.flits; }

double busiest_ns(const Topology& topology, const std::vector<std::uint64_t>& flits) {
  double worst = 0;
  for (std::size_t l = 0; l < flits.size(); ++l)
    worst = std::max(worst, flits_ns(topology.links[l], flits[l]));
  return worst;
}

}  // namespace

double flits_ns(const Link& link, std::uint64_t flits) {
  const double ns =
      kFlitBytes / static_cast<double>(link.bytes_per_second) * 1e9 * link.wire_stretch;
  if (link.burst == 0) return static_cast<double>(flits) * ns;
  // Peak rate applies to the bucket's content and to the packet that ends a burst.
  const auto at_once = static_cast<std::uint64_t>(2 * link.burst + kPacketFlits);
  const double at_peak = static_cast<double>(flits) * ns * link.rate.value() / link.peak.value();
  return std::max(at_peak, static_cast<double>(flits - std::min(flits, at_once)) * ns);
}

bool needs_online_routes(const Topology& topology, const Plan& plan) {
  return routes_by_table(topology) && std::ranges::any_of(plan.trees, [](const Tree& tree) {
           if (tree.transport == Transport::kEndpoint) return tree.ranks.whole_size() > 1;
           return std::ranges::any_of(tree.ranks,
                                      [](const TreeRank& rank) { return rank.switch_port < 0; });
         });
}

std::vector<std::uint64_t> link_flits(const Topology& topology, const Plan& plan) {
  const LinkWalk walk(topology, plan, needs_online_routes(topology, plan));
  HopPaths hops(topology, walk);
  std::vector<std::uint64_t> flits(topology.links.size());
  hops.add_loads(plan, plan.trees, flits_of, flits);
  return flits;
}

std::uint64_t flit_hops(const Topology& topology, const Plan& plan) {
  const std::vector<std::uint64_t> flits = link_flits(topology, plan);
  return std::accumulate(flits.begin(), flits.end(), std::uint64_t{0});
}

void set_bounds(const Topology& topology, Plan& plan) {
  const LinkWalk walk(topology, plan, needs_online_routes(topology, plan));
  HopPaths hops(topology, walk);
  std::vector<std::uint64_t> all(topology.links.size());
  std::vector<std::uint64_t> own(all.size());
  std::size_t next = 0;
  for (int part = 0; part < std::ssize(plan.parts); ++part) {
    std::ranges::fill(own, 0U);
    const std::size_t first = next;
    while (next < plan.trees.size() && plan.trees[next].part == part) ++next;
    hops.add_loads(plan, std::span(plan.trees).subspan(first, next - first), flits_of, own);
    plan.parts[part].bound_ns = busiest_ns(topology, own);
    for (std::size_t l = 0; l < all.size(); ++l) all[l] += own[l];
  }
  assert(next == plan.trees.size());

  // All flits of a link leave after the first start; a part ends its own time after its start.
  const double cycle_ns = 1e9 / static_cast<double>(topology.clock_hz);
  std::vector<double> end(plan.parts.size());
  double first = std::numeric_limits<double>::infinity();
  const auto end_of = [&](const auto& self, int part) -> double {
    if (end[part] > 0) return end[part];
    const Part& p = plan.parts[part];
    double start = static_cast<double>(p.start_cycle) * cycle_ns;
    for (const int before : p.after) start = std::max(start, self(self, before));
    return end[part] = start + p.bound_ns;
  };
  plan.bound_ns = 0;
  for (int part = 0; part < std::ssize(plan.parts); ++part) {
    first = std::min(first, static_cast<double>(plan.parts[part].start_cycle) * cycle_ns);
    plan.bound_ns = std::max(plan.bound_ns, end_of(end_of, part));
  }
  if (const double busiest = busiest_ns(topology, all); busiest > 0)
    plan.bound_ns = std::max(plan.bound_ns, first + busiest);
}

}  // namespace fredsim
