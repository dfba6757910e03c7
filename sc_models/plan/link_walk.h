// SPDX-License-Identifier: Apache-2.0
// Links that the flits of a plan's trees cross: packets between endpoints along X-Y paths or the
// switches' routing tables, packets into switches along the flows of the rows that the plan
// programs.
//
// A mesh router hands a flit to its NPU by the local port that faces the link it came by, to an I/O
// controller by its port.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "plan/plan.h"
#include "routing/online_routes.h"

namespace fredsim {

class LinkWalk {
 public:
  // Walk over trees of `plan`, which must outlive it. `online`: some of them are routed by FRED
  // switches online (needs_online_routes in plan/link_load.h).
  LinkWalk(const Topology& topology, const Plan& plan, bool online);

  // Calls on_link with the number of every link that the tree's flits cross, once for each
  // crossing.
  using OnLink = std::function<void(int link)>;
  void walk(const Tree& tree, const OnLink& on_link) const;
  // The same, but only hops that are sent into the switches. `on_flow`: called with every flow of a
  // switch that they are of.
  using OnFlow = std::function<void(NodeId node, const Flow& flow)>;
  void walk_in_switch(const Tree& tree, const OnLink& on_link, const OnFlow& on_flow = {}) const;
  // The same for a unicast between endpoints, by a NIC port.
  void walk_hop(NodeId from, NodeId to, int port, const OnLink& on_link) const;
  // The second link of such a path that begins with `first`, where it is the last one; -1: it is
  // not. Not on systems: -1.
  int last_of_two(int first, NodeId to) const;

 private:
  using Fired =
      std::set<std::pair<NodeId, int>>;  // (chiplet, flow): its inputs join, it sends once
  const Link& cross(NodeId node, int port, const OnLink& on_link) const;
  void follow_flows(int phase, const Link& arrival, Fired& fired, const OnLink& on_link,
                    const OnFlow& on_flow) const;
  int next_port(const Link& arrival, std::uint16_t destination, bool by_table) const;

  const Topology& topology_;
  const Plan& plan_;
  std::map<std::pair<NodeId, int>, std::vector<Flow>> programs_;
  std::vector<OnlineRoutes> routes_;
};

}  // namespace fredsim
