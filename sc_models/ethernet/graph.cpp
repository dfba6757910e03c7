// SPDX-License-Identifier: Apache-2.0
#include "ethernet/graph.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"

namespace fredsim {

Picoseconds EthernetLink::time_of(std::uint64_t bytes) const {
  constexpr std::uint64_t kBitPicoseconds = 8'000'000'000'000;
  return (bytes * kBitPicoseconds + bits_per_second - 1) / bits_per_second;
}

void EthernetGraph::connect(int a, int b, std::uint64_t bits_per_second, Picoseconds latency) {
  links.push_back({a, b, bits_per_second, latency});
  links.push_back({b, a, bits_per_second, latency});
}

void EthernetGraph::check() const {
  std::vector<int> cables(nodes());
  for (const EthernetLink& link : links) {
    if (link.from < 0 || link.from >= nodes() || link.to < 0 || link.to >= nodes())
      throw BadInput(fmt::format("Ethernet link: found nodes {} and {}; allowed: 0 to {}",
                                 link.from, link.to, nodes() - 1));
    if (link.bits_per_second == 0)
      throw BadInput(
          fmt::format("Ethernet link from {} to {}: found a rate of 0", link.from, link.to));
    ++cables[link.from];
  }
  for (int host = 0; host < hosts; ++host) {
    if (cables[host] != 1)
      throw BadInput(
          fmt::format("Ethernet host {}: found {} cables; allowed: 1", host, cables[host]));
  }
}

EthernetGraph one_ethernet_switch(int hosts, std::uint64_t bits_per_second, Picoseconds latency) {
  EthernetGraph graph{.hosts = hosts, .switches = 1, .links = {}};
  for (int host = 0; host < hosts; ++host) graph.connect(host, hosts, bits_per_second, latency);
  return graph;
}

EthernetGraph ethernet_clos(int leaves, int hosts_per_leaf, int spines,
                            std::uint64_t bits_per_second, Picoseconds host_latency,
                            Picoseconds spine_latency) {
  EthernetGraph graph{.hosts = leaves * hosts_per_leaf, .switches = leaves + spines, .links = {}};
  for (int host = 0; host < graph.hosts; ++host)
    graph.connect(host, graph.hosts + host / hosts_per_leaf, bits_per_second, host_latency);
  for (int leaf = 0; leaf < leaves; ++leaf) {
    for (int spine = 0; spine < spines; ++spine)
      graph.connect(graph.hosts + leaf, graph.hosts + leaves + spine, bits_per_second,
                    spine_latency);
  }
  return graph;
}

}  // namespace fredsim
