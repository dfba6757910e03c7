// SPDX-License-Identifier: Apache-2.0
#include "collective/network_bound.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "switch/node_shape.h"
#include "topology/facts.h"
#include "topology/least_cut.h"

namespace fredsim {
namespace {

// Vectors, of Part::bytes each, that leave a rank and that reach it.
struct Demand {
  double out = 0, in = 0;
};

// Demand of a rank in a collective over `ranks`; `is_root`: that the rank is the one that the collective has.
std::optional<Demand> demand_of_rank(Collective collective, double ranks, bool is_root) {
  const double block = 1 / ranks, others = 1 - block;
  switch (collective) {
    case Collective::kAllReduce:
      return Demand{1, 1};
    case Collective::kReduceScatter:
      return Demand{others, block};
    case Collective::kAllGather:
      return Demand{block, others};
    case Collective::kReduce:
      return is_root ? Demand{0, 1} : Demand{1, 0};
    case Collective::kBroadcast:
    case Collective::kMulticast:
      return is_root ? Demand{1, 0} : Demand{0, 1};
    case Collective::kGather:
      return is_root ? Demand{0, others} : Demand{block, 0};
    case Collective::kScatter:
      return is_root ? Demand{others, 0} : Demand{0, block};
    case Collective::kAllToAll:
      return Demand{others, others};
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

// Bandwidth between each rank and all others.
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

bool adds(const Topology& topology) {
  if (!topology.has_blocks()) {
    return topology.in_switch || !topology.adders.empty() || adds_in_switches(topology);
  }
  return std::ranges::any_of(topology.blocks,
                             [](const SystemBlock& block) { return adds(*block.topology); });
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
                            : demand_of_rank(part.collective, ranks, rank == part.root);
    if (!demand) return 0;
    seconds = std::max(seconds, std::max(demand->out, demand->in) / cuts[rank]);
    all += cuts[rank];
  }
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
