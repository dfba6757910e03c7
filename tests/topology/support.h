// SPDX-License-Identifier: Apache-2.0
// Common part of the topology tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "topology/machine_spec.h"
#include "topology/topology.h"

namespace fredsim {

// The message of the BadInput that `call` throws.
inline std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

inline void expect_parts(const std::string& message, const std::vector<std::string_view>& parts) {
  for (const std::string_view part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
  }
}

// The wafer of the paper.
inline MachineSpec wafer() {
  MachineSpec machine;
  machine.name = "wafer";
  machine.clock_hz = 1'500'000'000;
  machine.npus = 20;
  machine.npu_bandwidth = 3'000'000'000'000;
  machine.io_controllers = 18;
  machine.io_bandwidth = 128'000'000'000;
  machine.link_latency_ps = 20'000;
  return machine;
}

inline NodeId node_named(const Topology& topology, std::string_view name) {
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    if (topology.nodes[id].name == name) return id;
  }
  ADD_FAILURE() << "no node is called " << name;
  return 0;
}

// "r1_0.3": where the link that leaves `node` by `port` ends; "" where there is none.
inline std::string far_end(const Topology& topology, std::string_view node, int port) {
  const int index = topology.link_out(node_named(topology, node), port);
  if (index == -1) return "";
  const Link& link = topology.links[index];
  return topology.nodes[link.to].name + "." + std::to_string(link.to_port);
}

inline const Link& link_named(const Topology& topology, std::string_view name) {
  for (const Link& link : topology.links) {
    if (link.name == name) return link;
  }
  throw std::out_of_range("no link is called " + std::string(name));
}

inline void expect_dimensions(const Topology& topology,
                              const std::vector<TopologyDimension>& wanted) {
  ASSERT_EQ(topology.dimensions.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(topology.dimensions[i].size, wanted[i].size) << i;
    EXPECT_EQ(topology.dimensions[i].joined, wanted[i].joined) << i;
  }
}

// Invariants of every topology, found out without its index.
inline void expect_sound(const Topology& topology) {
  std::set<std::string> names;
  std::set<std::uint16_t> addresses;
  for (const Node& node : topology.nodes) {
    EXPECT_TRUE(names.insert(node.name).second) << node.name;
    EXPECT_GE(node.ports, 1) << node.name;
    EXPECT_LE(node.ports, kMaxPorts) << node.name;
    if (node.level == 0) {
      EXPECT_TRUE(addresses.insert(node.address).second) << node.name;
    }
  }
  using Port = std::pair<NodeId, int>;
  std::map<Port, Port> out;
  std::map<Port, Port> in;
  for (const Link& link : topology.links) {
    EXPECT_TRUE(names.insert(link.name).second) << link.name;
    EXPECT_TRUE(out.insert({{link.from, link.from_port}, {link.to, link.to_port}}).second);
    EXPECT_TRUE(in.insert({{link.to, link.to_port}, {link.from, link.from_port}}).second);
    EXPECT_LT(link.from_port, topology.nodes[link.from].ports) << link.name;
    EXPECT_LT(link.to_port, topology.nodes[link.to].ports) << link.name;
    EXPECT_EQ(link.name, topology.nodes[link.from].name + "." + std::to_string(link.from_port) +
                             "->" + topology.nodes[link.to].name + "." +
                             std::to_string(link.to_port));
    EXPECT_GT(link.rate.num, 0U) << link.name;
    EXPECT_LE(link.rate.num, link.rate.den) << link.name;
    EXPECT_GE(link.latency, 1) << link.name;
    const Link& back = topology.links[topology.link_in(link.from, link.from_port)];
    EXPECT_EQ(back.rate, link.rate) << link.name;
    EXPECT_EQ(back.latency, link.latency) << link.name;
    EXPECT_EQ(back.bytes_per_second, link.bytes_per_second) << link.name;
    EXPECT_EQ(&topology.links[topology.link_out(link.from, link.from_port)], &link);
    EXPECT_EQ(&topology.links[topology.link_in(link.to, link.to_port)], &link);
  }
  EXPECT_EQ(out, in);  // a port's partner is the same in both directions
  for (const NodeId npu : topology.npus) {
    for (int port = 0; port < topology.nodes[npu].ports; ++port) {
      EXPECT_NE(topology.link_out(npu, port), -1) << topology.nodes[npu].name << "." << port;
    }
  }
  // Every node can be reached from the first NPU.
  std::set<NodeId> seen = {topology.npus.front()};
  std::vector<NodeId> open = {topology.npus.front()};
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    for (int port = 0; port < topology.nodes[node].ports; ++port) {
      const int index = topology.link_out(node, port);
      if (index != -1 && seen.insert(topology.links[index].to).second) {
        open.push_back(topology.links[index].to);
      }
    }
  }
  EXPECT_EQ(seen.size(), topology.nodes.size());
}

}  // namespace fredsim
