// SPDX-License-Identifier: Apache-2.0
#include "routing_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "fabrics.h"
#include "routing/fred_routing.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

// The ports of a group at one L1 chiplet.
struct Place {
  NodeId chiplet = 0;
  std::uint32_t senders = 0;
  std::uint32_t receivers = 0;
};

std::vector<Place> places_of(const Topology& topology, const CollectiveSpec& spec) {
  std::map<NodeId, Place> places;
  for (int r = 0; r < std::ssize(spec.group); ++r) {
    const Link& link = topology.links[topology.link_out(topology.npus[spec.group[r]], 0)];
    const bool root = r == spec.root;
    const bool all = spec.collective == Collective::kAllReduce;
    Place& place = places[link.to];
    place.chiplet = link.to;
    if (all || (spec.collective == Collective::kReduce) || root)
      place.senders |= 1U << link.to_port;
    if (all || (spec.collective == Collective::kReduce) == root)
      place.receivers |= 1U << link.to_port;
  }
  std::vector<Place> list;
  list.reserve(places.size());
  for (const auto& [chiplet, place] : places) list.push_back(place);
  return list;
}

class Oracle {
 public:
  Oracle(const Topology& topology, std::span<const CollectiveSpec> work) : topology_(topology) {
    for (const CollectiveSpec& spec : work) groups_.push_back(places_of(topology, spec));
  }

  Routability run() {
    if (try_from(0)) return Routability::kRouted;
    return ports_fit_ ? Routability::kNoRouting : Routability::kTooFewUplinks;
  }

 private:
  bool try_from(std::size_t group) {
    if (group == groups_.size()) {
      ports_fit_ = true;
      for (const auto& [chiplet, flows] : flows_)
        if (!has_routing(fred_shape(topology_, chiplet), flows)) return false;
      return true;
    }
    const std::vector<Place>& places = groups_[group];
    if (places.size() == 1) {
      return with({{places[0].chiplet, {places[0].senders, places[0].receivers}}}, group);
    }
    std::vector<int> ports(places.size(), -1);
    return extend(group, 0, -1, ports);
  }

  // Chooses the uplinks of places[k] and of all later places; all lead to `parent`, -1: not chosen
  // yet.
  bool extend(std::size_t group, std::size_t k, NodeId parent, std::vector<int>& ports) {
    const std::vector<Place>& places = groups_[group];
    if (k == places.size()) return with(flows_by(places, ports, parent), group);
    const Node& node = topology_.nodes[places[k].chiplet];
    for (int p = 0; p < node.ports; ++p) {
      const int id = topology_.link_out(places[k].chiplet, p);
      if (id < 0 || topology_.nodes[topology_.links[id].to].level != 2) continue;
      if (parent >= 0 && topology_.links[id].to != parent) continue;
      ports[k] = p;
      if (extend(group, k + 1, topology_.links[id].to, ports)) return true;
    }
    return false;
  }

  using ChipletFlows = std::vector<std::pair<NodeId, Flow>>;

  ChipletFlows flows_by(const std::vector<Place>& places, const std::vector<int>& ports,
                        NodeId parent) const {
    std::size_t sending = 0;
    for (const Place& place : places) sending += place.senders != 0 ? 1 : 0;
    ChipletFlows flows;
    Flow top;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const Place& place = places[k];
      const std::uint32_t up = 1U << ports[k];
      const std::uint32_t above =
          1U << topology_.links[topology_.link_out(place.chiplet, ports[k])].to_port;
      const bool others_receive = std::ranges::any_of(places, [&](const Place& other) {
        return other.chiplet != place.chiplet && other.receivers != 0;
      });
      if (place.senders != 0 && sending == 1) {  // all data are here
        flows.emplace_back(place.chiplet,
                           Flow{place.senders, place.receivers | (others_receive ? up : 0)});
        if (others_receive) top.inputs |= above;
        continue;
      }
      if (place.senders != 0) {
        flows.emplace_back(place.chiplet, Flow{place.senders, up});
        top.inputs |= above;
      }
      if (place.receivers != 0) {
        flows.emplace_back(place.chiplet, Flow{up, place.receivers});
        top.outputs |= above;
      }
    }
    flows.emplace_back(parent, top);
    return flows;
  }

  // Goes on with these flows, where their ports are free.
  bool with(const ChipletFlows& flows, std::size_t group) {
    for (const auto& [chiplet, flow] : flows) {
      for (const Flow& other : flows_[chiplet])
        if ((other.inputs & flow.inputs) != 0 || (other.outputs & flow.outputs) != 0) return false;
    }
    for (const auto& [chiplet, flow] : flows) flows_[chiplet].push_back(flow);
    const bool found = try_from(group + 1);
    for (const auto& [chiplet, flow] : flows) flows_[chiplet].pop_back();
    return found;
  }

  const Topology& topology_;
  std::vector<std::vector<Place>> groups_;
  std::map<NodeId, std::vector<Flow>> flows_;
  bool ports_fit_ = false;
};

}  // namespace

Routability try_everything(const Topology& topology, std::span<const CollectiveSpec> work) {
  return Oracle(topology, work).run();
}

Routability ask_planner(const Topology& topology, std::span<const CollectiveSpec> work) {
  try {
    make_plan(topology, work);
    return Routability::kRouted;
  } catch (const GroupConflict& conflict) {
    EXPECT_FALSE(conflict.parts().empty());
    switch (conflict.obstacle().kind) {
      case Obstacle::Kind::kUplinks:
        return Routability::kTooFewUplinks;
      case Obstacle::Kind::kFlows:
        return Routability::kNoRouting;
      default:
        ADD_FAILURE() << conflict.what();
        return Routability::kNoRouting;
    }
  }
}

}  // namespace fredsim::test
