// SPDX-License-Identifier: Apache-2.0
#include "flow/flow_plan.h"

#include <algorithm>
#include <utility>

#include "collective/hop_paths.h"
#include "collective/link_load.h"
#include "collective/link_walk.h"
#include "collective/plan_time.h"
#include "routing/nic_port.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

// Cycles that a tree of switches takes beside the latency between two endpoints (collective/in_switch_time.cpp).
constexpr double kTurn = 8;

// Links that a tree crosses, counted.
class Crossings {
 public:
  explicit Crossings(std::size_t links) : counts_(links) {}

  void add(int link) {
    if (counts_[link]++ == 0) crossed_.push_back(link);
  }
  // By link; none are left.
  std::vector<LinkUse> take() {
    // Of many, gone through in order rather than sorted.
    constexpr std::size_t kMany = 16;
    std::vector<LinkUse> uses;
    uses.reserve(crossed_.size());
    const auto take = [&](int link) {
      if (counts_[link] > 0)
        uses.push_back({link, static_cast<double>(std::exchange(counts_[link], 0))});
    };
    if (crossed_.size() > counts_.size() / kMany) {
      for (int link = 0; link < std::ssize(counts_); ++link) take(link);
    } else {
      std::ranges::sort(crossed_);
      for (const int link : crossed_) take(link);
    }
    crossed_.clear();
    return uses;
  }

 private:
  std::vector<int> counts_;  // by link
  std::vector<int> crossed_;
};

// Mean flits of the trees of each part.
std::vector<double> mean_flits_of(const Plan& plan) {
  std::vector<double> flits(plan.parts.size());
  std::vector<double> trees(plan.parts.size());
  for (const Tree& tree : plan.trees) {
    flits[tree.part] += static_cast<double>(tree.flits);
    ++trees[tree.part];
  }
  for (std::size_t p = 0; p < flits.size(); ++p) flits[p] /= std::max(trees[p], 1.0);
  return flits;
}

// Longest latency between the first member of a part and another.
double member_latency(const Topology& topology, const LinkWalk& walk, const Part& part) {
  double latency = 0;
  for (const NodeId member : part.members) {
    if (member != part.members.front() && has_nic_port(topology, part.members.front(), member))
      latency = std::max(latency, unicast_cycles(topology, walk, part.members.front(), member));
  }
  return latency;
}

}  // namespace

double with_fill(const TreeFlow& tree, double moved) {
  if (!tree.overlaps) return moved + tree.fill;
  return std::max(moved + kOverlap * tree.fill, tree.fill + kOverlap * moved);
}

std::vector<double> flow_capacities(const Topology& topology) {
  std::vector<double> capacities;
  capacities.reserve(topology.links.size());
  for (const Link& link : topology.links)
    capacities.push_back(link.rate.value() / link.wire_stretch);
  return capacities;
}

std::vector<TreeFlow> flows_of(const Topology& topology, const Plan& plan) {
  const LinkWalk walk(topology, plan, routes_by_table(topology));
  HopPaths hops(topology, walk);
  const std::vector<double> first_packets = first_packet_cycles(topology, plan, hops);
  const std::vector<double> mean_flits = mean_flits_of(plan);
  std::vector<double> latencies(plan.parts.size(), -1);
  std::vector<TreeFlow> flows;
  flows.reserve(plan.trees.size());
  Crossings crossings(topology.links.size());
  for (std::size_t t = 0; t < plan.trees.size(); ++t) {
    const Tree& tree = plan.trees[t];
    const Part& part = plan.parts[tree.part];
    hops.walk(plan, tree, [&](int link) { crossings.add(link); });
    TreeFlow flow{.part = tree.part,
                  .demand = {.priority = part.vc,
                             .share = static_cast<double>(tree.flits) / mean_flits[tree.part],
                             .uses = crossings.take()},
                  .flits = static_cast<double>(tree.flits),
                  .fill = first_packets[t],
                  .overlaps = tree.transport == Transport::kEndpoint};
    if (tree.transport == Transport::kInSwitch) {
      double& latency = latencies[tree.part];
      if (latency < 0) latency = member_latency(topology, walk, part);
      flow.fill = latency + kTurn;
    }
    flows.push_back(std::move(flow));
  }
  return flows;
}

}  // namespace fredsim
