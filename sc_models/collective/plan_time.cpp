// SPDX-License-Identifier: Apache-2.0
#include "collective/plan_time.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "routing/nic_port.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

// Cycles per flit.
double interval(const Link& link) { return 1 / link.rate.value(); }

struct Path {
  double latency = kNpuCycles;
  double slowest = 1;  // cycles per flit
  int first = -1;      // links
  int last = -1;
};

// Links of one endpoint, each with the cycle from which it is free.
class BusyLinks {
 public:
  // A packet that is ready at `ready` and takes `cycles`: when it has passed.
  double pass(int link, double ready, double cycles) {
    double& free = free_[link];
    free = std::max(free, ready - cycles) + cycles;
    max_ = std::max(max_, ++packets_[link]);
    return free;
  }
  int max() const { return max_; }  // packets on one of them

 private:
  std::map<int, double> free_;
  std::map<int, int> packets_;
  int max_ = 0;
};

class TimeModel {
 public:
  TimeModel(const Topology& topology, const Plan& plan, const LinkWalk& walk)
      : topology_(topology),
        plan_(plan),
        walk_(walk),
        switch_cycles_(switch_cycles(topology)),
        flits_(topology.links.size()) {}

  double run() {
    double longest = 0;
    for (const Tree& tree : plan_.trees) {
      longest = std::max(longest, first_packet(tree));
      for (const TreeRank& rank : tree.ranks) {
        for (const auto* sends : {&rank.reduce_to, &rank.broadcast_to}) {
          for (const Send& send : *sends) count(tree, rank.rank, send);
        }
      }
    }
    double busiest = 0;
    for (std::size_t l = 0; l < flits_.size(); ++l)
      busiest = std::max(busiest, static_cast<double>(flits_[l]) * interval(topology_.links[l]));
    if (fan_ > 2) busiest *= 1 + kFanCost * std::log2(fan_);
    return std::max(longest + kOverlap * busiest, busiest + kOverlap * longest);
  }

  double first_packet(const Tree& tree) {
    const auto packet = static_cast<std::uint64_t>(plan_.parts[tree.part].packet_flits);
    packet_ = static_cast<double>(std::min(packet, tree.flits));
    places_.assign(plan_.parts[tree.part].members.size(), -1);
    for (std::size_t k = 0; k < tree.ranks.size(); ++k)
      places_[tree.ranks[k].rank] = static_cast<int>(k);
    const int root = tree.order.postfix.front();
    return results_at(tree, root, sum_at(tree, root));
  }

 private:
  // A hop between two NPUs by a NIC port; the same in many trees.
  struct Hop {
    Path path{};
    std::vector<int> links{};
  };
  const Hop& hop(const Tree& tree, int from, const Send& send) {
    const std::vector<NodeId>& members = plan_.parts[tree.part].members;
    const auto [at, added] = hops_.try_emplace({members[from], members[send.rank], send.port});
    Hop& hop = at->second;
    if (added) {
      walk_.walk_hop(members[from], members[send.rank], send.port, [&](int number) {
        const Link& link = topology_.links[number];
        hop.path.latency +=
            link.latency + (topology_.nodes[link.to].is_switch() ? switch_cycles_ : 0);
        hop.path.slowest = std::max(hop.path.slowest, interval(link));
        hop.links.push_back(number);
      });
      hop.path.first = hop.links.front();
      hop.path.last = hop.links.back();
    }
    return hop;
  }

  void count(const Tree& tree, int from, const Send& send) {
    for (const int link : hop(tree, from, send).links) flits_[link] += tree.flits;
  }

  // Time at which a rank has added what comes from below.
  double sum_at(const Tree& tree, int rank) {
    std::vector<std::pair<double, const Path*>> arrivals;
    for (const int from : tree.ranks[places_[rank]].reduce_from) {
      const Path& path = hop(tree, from, tree.ranks[places_[from]].reduce_to.front()).path;
      arrivals.emplace_back(sum_at(tree, from) + path.latency + (packet_ - 1) * path.slowest,
                            &path);
    }
    std::ranges::sort(arrivals, {}, &std::pair<double, const Path*>::first);
    BusyLinks links;
    double done = 0;
    for (const auto& [arrival, path] : arrivals)
      done = std::max(
          done, links.pass(path->last, arrival, packet_ * interval(topology_.links[path->last])));
    fan_ = std::max(fan_, links.max());
    return done;
  }

  // Time at which the last rank below has a result that `rank` has at `ready`.
  double results_at(const Tree& tree, int rank, double ready) {
    BusyLinks links;
    double done = ready;
    for (const Send& send : tree.ranks[places_[rank]].broadcast_to) {
      const Path& path = hop(tree, rank, send).path;
      const double cycles = packet_ * interval(topology_.links[path.first]);
      const double sent = links.pass(path.first, ready + cycles, cycles) - cycles;
      done = std::max(
          done, results_at(tree, send.rank, sent + path.latency + (packet_ - 1) * path.slowest));
    }
    return done;
  }

  const Topology& topology_;
  const Plan& plan_;
  const LinkWalk& walk_;
  int switch_cycles_;
  std::vector<std::uint64_t> flits_;  // by link
  std::map<std::tuple<NodeId, NodeId, int>, Hop> hops_;
  std::vector<int> places_;  // places of ranks in a tree
  double packet_ = 1;        // flits
  int fan_ = 1;              // sums of a tree that meet on one link
};

}  // namespace

int switch_cycles(const Topology& topology) {
  return topology.unicasts == UnicastRoutes::kByCoordinates && !adds_in_switches(topology)
             ? kGridRouterCycles
             : kSwitchCycles;
}

double estimated_cycles(const Topology& topology, const Plan& plan, const LinkWalk& walk) {
  return TimeModel(topology, plan, walk).run();
}

std::vector<double> first_packet_cycles(const Topology& topology, const Plan& plan,
                                        const LinkWalk& walk) {
  TimeModel model(topology, plan, walk);
  std::vector<double> cycles;
  cycles.reserve(plan.trees.size());
  for (const Tree& tree : plan.trees)
    cycles.push_back(tree.transport == Transport::kEndpoint ? model.first_packet(tree) : 0);
  return cycles;
}

double unicast_cycles(const Topology& topology, const LinkWalk& walk, NodeId from, NodeId to) {
  double cycles = kNpuCycles;
  walk.walk_hop(from, to, nic_port(topology, from, to, 0), [&](int number) {
    const Link& link = topology.links[number];
    cycles += link.latency + (topology.nodes[link.to].is_switch() ? switch_cycles(topology) : 0);
  });
  return cycles;
}

}  // namespace fredsim
