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
  // Walk over trees of `plan`, which must outlive the walk. `online`: FRED switches route some of
  // the trees online (needs_online_routes in plan/link_load.h).
  LinkWalk(const Topology& topology, const Plan& plan, bool online);

  // Calls on_link with the number of every link that the tree's flits cross, once for each
  // crossing.
  using OnLink = std::function<void(int link)>;
  void walk(const Tree& tree, const OnLink& on_link) const;
  // Calls on_link likewise, but only for hops that are sent into the switches. `on_flow`: called
  // with every flow of a switch on these hops.
  using OnFlow = std::function<void(NodeId node, const Flow& flow)>;
  void walk_in_switch(const Tree& tree, const OnLink& on_link, const OnFlow& on_flow = {}) const;
  // Calls on_link likewise for a unicast between endpoints, by a NIC port.
  void walk_hop(NodeId from, NodeId to, int port, const OnLink& on_link) const;
  // Last link of a unicast path that begins with `first` and has two links; -1 for longer paths,
  // and always on systems.
  int last_of_two(int first, NodeId to) const;

 private:
  using Fired = std::set<
      std::pair<NodeId, int>>;  // (chiplet, flow): the flow joins its inputs and sends once
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
