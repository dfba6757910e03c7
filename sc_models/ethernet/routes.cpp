// SPDX-License-Identifier: Apache-2.0
#include "ethernet/routes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "ethernet/congestion_control.h"

namespace fredsim {

EthernetRoutes::EthernetRoutes(const EthernetGraph& graph, std::uint64_t packet_bytes)
    : hosts_(graph.hosts) {
  const int nodes = graph.nodes();
  std::vector<std::vector<std::uint32_t>> out(nodes);
  for (std::uint32_t link = 0; link < graph.links.size(); ++link)
    out[graph.links[link].from].push_back(link);
  std::vector<std::vector<std::uint32_t>> rows(static_cast<std::size_t>(nodes) * hosts_);
  std::vector<int> hops(nodes);
  std::vector<Picoseconds> there(nodes), back(nodes);  // to and from the destination
  for (int host = 0; host < hosts_; ++host) {
    std::ranges::fill(hops, -1);
    hops[host] = 0;
    there[host] = back[host] = 0;
    std::vector<int> found{host};
    for (std::size_t k = 0; k < found.size(); ++k) {
      const int node = found[k];
      if (node != host && graph.is_host(node)) continue;  // hosts forward nothing
      for (const std::uint32_t away : out[node]) {
        const EthernetLink& link = graph.links[away ^ 1];  // towards the destination
        if (hops[link.from] >= 0) continue;
        hops[link.from] = hops[node] + 1;
        there[link.from] = there[node] + link.latency + link.time_of(packet_bytes);
        back[link.from] = back[node] + graph.links[away].latency;
        found.push_back(link.from);
      }
    }
    for (int node = 0; node < nodes; ++node) {
      if (node == host) continue;
      if (hops[node] < 0) {
        if (!graph.is_host(node)) continue;
        throw BadInput(fmt::format("Ethernet: host {} does not reach host {}", node, host));
      }
      if (graph.is_host(node)) {
        if (hops[node] - 1 > kMaxEthernetHops)
          throw BadInput(
              fmt::format("Ethernet: found {} switches from host {} to host {}; allowed: {}",
                          hops[node] - 1, node, host, kMaxEthernetHops));
        longest_ = std::max(longest_, there[node] + back[node]);
      }
      for (const std::uint32_t link : out[node]) {
        const int next = graph.links[link].to;
        if (hops[next] == hops[node] - 1 && (next == host || !graph.is_host(next)))
          rows[static_cast<std::size_t>(node) * hosts_ + host].push_back(link);
      }
    }
  }
  first_.push_back(0);
  for (const auto& row : rows) {
    links_.insert(links_.end(), row.begin(), row.end());
    first_.push_back(links_.size());
  }
}

}  // namespace fredsim
