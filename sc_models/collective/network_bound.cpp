// SPDX-License-Identifier: Apache-2.0
#include "collective/network_bound.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "routing/mesh_routing.h"
#include "switch/node_shape.h"
#include "topology/facts.h"
#include "topology/least_cut.h"

namespace fredsim {
namespace {

// Vectors, of Part::bytes each, that leave a rank and that reach it.
struct Demand {
  double out = 0, in = 0;
};

// Demand between the `own` ranks on one side of a cut and the `others` on the other side.
// `has_root`: the root is on this side.
std::optional<Demand> demand_of_side(Collective collective, double own, double others,
                                     bool has_root) {
  const double ranks = own + others;
  switch (collective) {
    case Collective::kAllReduce:
      return Demand{1, 1};
    case Collective::kReduceScatter:
      return Demand{others / ranks, own / ranks};
    case Collective::kAllGather:
      return Demand{own / ranks, others / ranks};
    case Collective::kReduce:
      return has_root ? Demand{0, 1} : Demand{1, 0};
    case Collective::kBroadcast:
    case Collective::kMulticast:
      return has_root ? Demand{1, 0} : Demand{0, 1};
    case Collective::kGather:
      return has_root ? Demand{0, others / ranks} : Demand{own / ranks, 0};
    case Collective::kScatter:
      return has_root ? Demand{others / ranks, 0} : Demand{0, own / ranks};
    case Collective::kAllToAll:
      return Demand{own * others / ranks, own * others / ranks};
    case Collective::kUnicast:
    case Collective::kAllToAllV:
      break;
  }
  return std::nullopt;
}

// Vectors that cross the middle in the direction that has more.
double demand_of_half(Collective collective, int ranks) {
  const int fewer = ranks / 2;
  const double low = fewer, high = ranks - fewer;
  switch (collective) {
    case Collective::kAllReduce:
    case Collective::kReduce:
    case Collective::kBroadcast:
    case Collective::kMulticast:
      return 1;
    case Collective::kReduceScatter:
    case Collective::kAllGather:
    case Collective::kGather:
    case Collective::kScatter:
      return low / ranks;
    case Collective::kAllToAll:
      return low * high / ranks;
    case Collective::kUnicast:
    case Collective::kAllToAllV:
      break;
  }
  return 0;
}

// Bytes/s of all links out of an NPU.
double links_of(const Topology& topology, NodeId npu) {
  double bandwidth = 0;
  for (int port = 0; port < topology.nodes[npu].ports; ++port)
    if (const int link = topology.link_out(npu, port); link >= 0)
      bandwidth += static_cast<double>(topology.links[link].bytes_per_second);
  return bandwidth;
}

// Bandwidth between each rank and the rest of the group.
std::vector<double> cuts_around(const Topology& topology, const std::vector<NodeId>& members) {
  std::vector<double> cuts;
  for (const NodeId npu : members) cuts.push_back(links_of(topology, npu));
  if (topology.has_blocks()) return cuts;
  const std::size_t ranks = members.size();
  const std::size_t searched = std::min<std::size_t>(ranks, kMaxCuts);
  for (std::size_t s = 0; s < searched; ++s) {
    const std::size_t rank = s * ranks / searched;
    std::vector<NodeId> others = members;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(rank));
    cuts[rank] =
        static_cast<double>(least_cut(topology, std::span(members).subspan(rank, 1), others));
  }
  return cuts;
}

// Nodes of a grid in some neighbouring columns, or rows.
struct Strip {
  bool is_columns = true;
  int first = 0, end = 0;

  bool has(const MeshPlace& place) const {
    const int line = is_columns ? place.x : place.y;
    return first <= line && line < end;
  }
};

// Strips that straight cuts through a grid part from the rest: from its edge on, or of any place on
// a ring.
std::vector<Strip> strips_of(const SwitchGrid& grid) {
  std::vector<Strip> strips;
  const auto add = [&](bool is_columns, int side, bool is_ring) {
    for (int first = 0; first < (is_ring ? side : 1); ++first)
      for (int end = first + 1; end < side; ++end) strips.push_back({is_columns, first, end});
  };
  add(true, grid.width, grid.rings.columns > 0);
  add(false, grid.height, grid.rings.rows > 0);
  return strips;
}

// Maximum over all straight cuts of a grid of the seconds per byte of the vector; 0 without a grid.
double seconds_of_strips(const Topology& topology, const Part& part) {
  std::vector<MeshPlace> places;  // places of members
  for (const NodeId member : part.group()) {
    const MeshPosition at = mesh_position(topology.nodes[member].address);
    places.push_back({.x = at.x, .y = at.y});
  }
  double seconds = 0;
  for (const Strip& strip : strips_of(topology.grid)) {
    double out = 0, in = 0;
    for (const Link& link : topology.links) {
      const Node &from = topology.nodes[link.from], &to = topology.nodes[link.to];
      if (!from.is_switch() || !to.is_switch()) continue;
      const bool begins_there = strip.has(from.mesh);
      if (begins_there != strip.has(to.mesh))
        (begins_there ? out : in) += static_cast<double>(link.bytes_per_second);
    }
    const auto own =
        std::ranges::count_if(places, [&](const MeshPlace& place) { return strip.has(place); });
    const auto others = std::ssize(places) - own;
    if (own == 0 || others == 0 || out <= 0 || in <= 0) continue;
    const auto demand = demand_of_side(part.collective, static_cast<double>(own),
                                       static_cast<double>(others), strip.has(places[part.root]));
    if (demand) seconds = std::max({seconds, demand->out / out, demand->in / in});
  }
  return seconds;
}

bool adds(const Topology& topology) {
  return std::ranges::any_of(topology.machines(), [](const Topology* one) {
    return !one->adders.empty() || adds_in_switches(*one);
  });
}

}  // namespace

double network_bound_ns(const Topology& topology, const Part& part) {
  const int ranks = part.ranks();
  const auto is_npu = [&](NodeId node) { return topology.nodes[node].kind == NodeKind::kNpu; };
  if (ranks < 2 || part.roots > 0 || !std::ranges::all_of(part.group(), is_npu)) return 0;
  const std::vector<double> cuts =
      cuts_around(topology, {part.group().begin(), part.group().end()});
  if (std::ranges::any_of(cuts, [](double cut) { return cut <= 0; })) return 0;
  double seconds = 0;  // per byte of the vector
  double all = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto demand = part.collective == Collective::kUnicast
                            ? std::optional(Demand{rank == 0 ? 1.0 : 0.0, rank == 0 ? 0.0 : 1.0})
                            : demand_of_side(part.collective, 1, ranks - 1, rank == part.root);
    if (!demand) return 0;
    seconds = std::max(seconds, std::max(demand->out, demand->in) / cuts[rank]);
    all += cuts[rank];
  }
  seconds = std::max(seconds, seconds_of_strips(topology, part));
  if (ranks == std::ssize(topology.npus)) {
    if (const auto bisection = static_cast<double>(bisection_bytes_per_second(topology));
        bisection > 0)
      seconds = std::max(seconds, demand_of_half(part.collective, ranks) / bisection);
    if (part.collective == Collective::kAllReduce && !adds(topology))
      seconds = std::max(seconds, 2.0 * (ranks - 1) / all);
  }
  constexpr double kNs = 1e9;
  return seconds * static_cast<double>(part.bytes) * kNs;
}

}  // namespace fredsim
