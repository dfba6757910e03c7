// SPDX-License-Identifier: Apache-2.0
// Properties of paths of a topology with its own routing: they arrive, and the dependency graph of
// links is free of cycles.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "topology/topology.h"
#include "topology/unicast_paths.h"

namespace fredsim {

// Links from an NPU, by one of its ports, to another; empty: the packet goes astray.
inline std::vector<int> path_of(const Topology& topology, int from, int to, int port) {
  std::vector<int> links{topology.link_out(topology.npus[from], port)};
  const NodeId end = topology.npus[to];
  while (topology.links[links.back()].to != end) {
    const NodeId at = topology.links[links.back()].to;
    if (!topology.nodes[at].is_switch() || links.size() > topology.nodes.size()) return {};
    const int out = topology.paths->port(at, topology.nodes[end].address);
    if (out < 0 || out >= topology.nodes[at].ports || topology.link_out(at, out) < 0) return {};
    links.push_back(topology.link_out(at, out));
  }
  return links;
}

// Repeatedly removes links on which no link depends; the remaining links are in a cycle, or depend
// on one.
inline bool has_circle(const std::vector<std::set<int>>& waits_for) {
  std::vector<int> waiting(waits_for.size());
  for (const auto& next : waits_for)
    for (const int link : next) ++waiting[link];
  std::vector<int> free;
  for (std::size_t l = 0; l < waiting.size(); ++l)
    if (waiting[l] == 0) free.push_back(static_cast<int>(l));
  std::size_t gone = 0;
  while (!free.empty()) {
    const int link = free.back();
    free.pop_back();
    ++gone;
    for (const int next : waits_for[link])
      if (--waiting[next] == 0) free.push_back(next);
  }
  return gone < waits_for.size();
}

// NIC ports by which packets of an NPU go to another.
inline std::vector<int> ports_to(const Topology& topology, int from, int to) {
  const Node& node = topology.nodes[topology.npus[from]];
  std::vector<int> ports =
      topology.paths->nic_ports(topology.npus[from], topology.nodes[topology.npus[to]].address);
  if (!ports.empty()) return ports;
  for (int port = 0; port < node.ports; ++port) ports.push_back(port);
  return ports;
}

inline void expect_good_paths(const Topology& topology) {
  std::vector<std::set<int>> waits_for(topology.links.size());
  const auto npus = static_cast<int>(topology.npus.size());
  for (int from = 0; from < npus; ++from) {
    for (int to = 0; to < npus; ++to) {
      if (from == to) continue;
      for (const int port : ports_to(topology, from, to)) {
        const std::vector<int> links = path_of(topology, from, to, port);
        ASSERT_FALSE(links.empty()) << "npu" << from << " by port " << port << " to npu" << to;
        for (std::size_t i = 1; i < links.size(); ++i) waits_for[links[i - 1]].insert(links[i]);
      }
    }
  }
  EXPECT_FALSE(has_circle(waits_for));
}

}  // namespace fredsim
