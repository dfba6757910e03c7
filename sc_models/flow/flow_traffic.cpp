// SPDX-License-Identifier: Apache-2.0
#include "flow/flow_traffic.h"

#include <bit>
#include <map>
#include <utility>
#include <vector>

#include "base/flit.h"
#include "plan/acknowledgements.h"
#include "plan/hop_paths.h"
#include "plan/link_walk.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

std::uint64_t packets_of(const Part& part, const Tree& tree) {
  const auto packet = static_cast<std::uint64_t>(part.packet_flits);
  return (tree.flits + packet - 1) / packet;
}

void add_times(const std::vector<std::uint64_t>& of_one, std::uint64_t times,
               std::vector<std::uint64_t>& sum) {
  sum.resize(of_one.size());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += times * of_one[i];
}

// Adds acknowledgements of trees: by source node, and on links as flits and bytes.
class AcknowledgementTraffic {
 public:
  AcknowledgementTraffic(const Plan& plan, HopPaths& hops, FlowTraffic& traffic)
      : plan_(plan), hops_(hops), traffic_(traffic) {}

  void add(const Tree& tree) {
    const Part& part = plan_.parts[tree.part];
    const std::uint64_t packets = acknowledgements_of_one(part, tree, packets_of(part, tree));
    if (!tree.is_acknowledged || packets == 0) return;
    if (const RingBoxTree* const of_box = tree.ranks.box_tree()) {
      const RingBoxTrees& box = of_box->box();
      std::vector<std::uint64_t>& by_owner = boxes_[{&box, tree.part}];
      by_owner.resize(box.size());
      by_owner[of_box->owner()] += packets;
      return;
    }
    for (const TreeRank& rank : tree.ranks)
      for (const auto* sends : {&rank.acknowledge_sums, &rank.acknowledge_results})
        for (const Send& send : *sends) add(part, rank.rank, send, packets);
  }
  void add_boxes() {
    for (auto& [key, by_owner] : boxes_) {
      const auto& [box, part] = key;
      const std::vector<std::uint64_t> packets = box->hop_loads(std::move(by_owner));
      for (std::size_t h = 0; h < packets.size(); ++h) {
        const RingBoxTrees::Hop& hop = box->hops()[h];
        if (packets[h] > 0) add(plan_.parts[part], hop.send.rank, hop.back, packets[h]);
      }
    }
  }

 private:
  void add(const Part& part, int rank, const Send& send, std::uint64_t packets) {
    const NodeId from = part.members[rank];
    traffic_.acknowledgements[from] += packets;
    const HopPaths::Hop way = hops_.hop(from, part.members[send.rank], send.port);
    for (const int link : way.links()) {
      traffic_.flits[link] += packets;
      traffic_.bytes[link] += packets * kFlitBytes;
    }
  }

  const Plan& plan_;
  HopPaths& hops_;
  FlowTraffic& traffic_;
  std::map<std::pair<const RingBoxTrees*, int>, std::vector<std::uint64_t>> boxes_;  // by part
};

void add_phases(const LinkWalk& walk, const Tree& tree, FlowTraffic& traffic) {
  walk.walk_in_switch(
      tree, [&](int link) { traffic.phase_flits[link] += tree.flits; },
      [&](NodeId node, const Flow& flow) {
        const auto inputs = static_cast<std::uint64_t>(std::popcount(flow.inputs));
        traffic.switch_additions[node] += (inputs - 1) * tree.flits;
      });
}

}  // namespace

void add_traffic(const FlowTraffic& traffic, std::uint64_t times, FlowTraffic& sum) {
  add_times(traffic.flits, times, sum.flits);
  add_times(traffic.bytes, times, sum.bytes);
  add_times(traffic.acknowledgements, times, sum.acknowledgements);
  add_times(traffic.phase_flits, times, sum.phase_flits);
  add_times(traffic.switch_additions, times, sum.switch_additions);
  sum.additions += times * traffic.additions;
  sum.result_bytes += times * traffic.result_bytes;
}

FlowTraffic no_traffic(const Topology& topology) {
  return {.flits = std::vector<std::uint64_t>(topology.links.size()),
          .bytes = std::vector<std::uint64_t>(topology.links.size()),
          .acknowledgements = std::vector<std::uint64_t>(topology.nodes.size()),
          .phase_flits = std::vector<std::uint64_t>(topology.links.size()),
          .switch_additions = std::vector<std::uint64_t>(topology.nodes.size())};
}

FlowTraffic flow_traffic(const Topology& topology, const Plan& plan) {
  const LinkWalk walk(topology, plan, routes_by_table(topology));
  HopPaths hops(topology, walk);
  FlowTraffic traffic = no_traffic(topology);
  hops.add_loads(
      plan, plan.trees, [](const Tree& tree) { return tree.flits; }, traffic.flits);
  hops.add_loads(
      plan, plan.trees, [](const Tree& tree) { return tree.bytes; }, traffic.bytes);
  AcknowledgementTraffic acknowledgements(plan, hops, traffic);
  for (const Tree& tree : plan.trees) {
    traffic.result_bytes += tree.bytes * tree.receivers();
    traffic.additions += additions_of(tree);
    add_phases(walk, tree, traffic);
    acknowledgements.add(tree);
  }
  acknowledgements.add_boxes();
  return traffic;
}

}  // namespace fredsim
