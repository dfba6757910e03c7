// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/hop_graph.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "routing/mesh_routing.h"
#include "routing/nic_port.h"

namespace fredsim {
namespace {

constexpr int kFarthest = 2;  // routers from one NPU to the other

int wrapped(int place, int ring) { return ring > 0 ? (place + ring) % ring : place; }

}  // namespace

HopGraph::HopGraph(const Topology& topology, const std::vector<NodeId>& npus)
    : topology_(topology),
      npus_(npus),
      walk_(topology, none_, false),
      at_(npus.size()),
      over_(topology.links.size()) {
  for (const NodeId npu : npus) routers_.insert(topology.nodes[npu].above);
  std::map<std::pair<int, int>, int> ranks;
  for (int rank = 0; rank < size(); ++rank) {
    const MeshPosition place = mesh_position(topology.nodes[npus[rank]].address);
    ranks[{place.x, place.y}] = rank;
  }
  for (const auto& [place, rank] : ranks) {
    for (int dx = -kFarthest; dx <= kFarthest; ++dx) {
      const int rest = kFarthest - std::abs(dx);
      for (int dy = -rest; dy <= rest; ++dy) {
        const auto found = ranks.find({wrapped(place.first + dx, topology.grid.rings.columns),
                                       wrapped(place.second + dy, topology.grid.rings.rows)});
        if (found != ranks.end() && found->second > rank) add(rank, found->second);
      }
    }
  }
}

double HopGraph::slowest(const Hop& hop) const {
  double slowest = 1;
  for (const int link : hop.links) slowest = std::min(slowest, rate(link));
  return slowest;
}

std::optional<int> HopGraph::reach(int from) const {
  std::vector<int> far(npus_.size(), -1);
  std::vector<int> next{from};
  far[from] = 0;
  for (std::size_t k = 0; k < next.size(); ++k) {
    for (const int hop : at_[next[k]]) {
      const int to = hops_[hop].other(next[k]);
      if (far[to] >= 0) continue;
      far[to] = far[next[k]] + 1;
      next.push_back(to);
    }
  }
  if (std::ssize(next) != size()) return {};
  return far[next.back()];
}

// Appends the links that a hop crosses; false: another NPU's router is on its path.
bool HopGraph::cross(int from, int to, std::vector<int>& links) const {
  const NodeId a = npus_[from];
  const NodeId b = npus_[to];
  if (!has_nic_port(topology_, a, b)) return false;
  int passed = 0;
  walk_.walk_hop(a, b, nic_port(topology_, a, b, 0), [&](int link) {
    links.push_back(link);
    passed += static_cast<int>(routers_.count(topology_.links[link].to));
  });
  return passed == 2;  // routers of the sender and of the receiver
}

void HopGraph::add(int a, int b) {
  Hop hop{std::min(a, b), std::max(a, b), {}};
  if (!cross(a, b, hop.links) || !cross(b, a, hop.links)) return;
  for (const Hop& other : hops_)
    if (other.a == hop.a && other.b == hop.b) return;  // two paths round a short ring
  at_[a].push_back(static_cast<int>(hops_.size()));
  at_[b].push_back(static_cast<int>(hops_.size()));
  for (const int link : hop.links) over_[link].push_back(static_cast<int>(hops_.size()));
  hops_.push_back(std::move(hop));
}

}  // namespace fredsim
