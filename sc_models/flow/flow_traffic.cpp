// SPDX-License-Identifier: Apache-2.0
#include "flow/flow_traffic.h"

#include <algorithm>

#include "base/flit.h"
#include "collective/acknowledgements.h"
#include "collective/hop_paths.h"
#include "collective/link_walk.h"
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

}  // namespace

void add_traffic(const FlowTraffic& traffic, std::uint64_t times, FlowTraffic& sum) {
  add_times(traffic.flits, times, sum.flits);
  add_times(traffic.bytes, times, sum.bytes);
  add_times(traffic.acknowledgements, times, sum.acknowledgements);
  sum.result_bytes += times * traffic.result_bytes;
}

FlowTraffic flow_traffic(const Topology& topology, const Plan& plan) {
  const LinkWalk walk(topology, plan, routes_by_table(topology));
  HopPaths hops(topology, walk);
  FlowTraffic traffic{.flits = std::vector<std::uint64_t>(topology.links.size()),
                      .bytes = std::vector<std::uint64_t>(topology.links.size()),
                      .acknowledgements = std::vector<std::uint64_t>(topology.nodes.size())};
  hops.add_loads(
      plan, plan.trees, [](const Tree& tree) { return tree.flits; }, traffic.flits);
  hops.add_loads(
      plan, plan.trees, [](const Tree& tree) { return tree.bytes; }, traffic.bytes);
  for (const Tree& tree : plan.trees) {
    const Part& part = plan.parts[tree.part];
    traffic.result_bytes += tree.bytes * tree.ranks.receivers();
    if (!tree.is_acknowledged) continue;
    for (const TreeRank& rank : tree.ranks) {
      const std::size_t told = rank.acknowledge_sums.size() + rank.acknowledge_results.size();
      if (told == 0) continue;
      const std::uint64_t packets = acknowledgements(part, tree, rank, packets_of(part, tree));
      const NodeId from = part.members[rank.rank];
      traffic.acknowledgements[from] += packets;
      for (const auto* sends : {&rank.acknowledge_sums, &rank.acknowledge_results}) {
        for (const Send& send : *sends) {
          for (const int link : hops.hop(from, part.members[send.rank], send.port).links) {
            traffic.flits[link] += packets / told;
            traffic.bytes[link] += packets / told * kFlitBytes;
          }
        }
      }
    }
  }
  return traffic;
}

}  // namespace fredsim
