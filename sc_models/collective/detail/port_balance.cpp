// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/port_balance.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "collective/endpoint_trees.h"
#include "plan/link_load.h"
#include "plan/link_walk.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

constexpr int kBalanceRounds = 4;
// Shares of a rank's data, over all its trees: most numbers of ports left divide it.
constexpr std::uint64_t kShares = 60;

// The eighth power: dominated by the busiest links.
double weight(double load) {
  const double square = load * load;
  return square * square * square * square;
}

class PortBalance {
 public:
  PortBalance(const Topology& topology, Plan& plan)
      : topology_(topology), plan_(plan), walk_(topology, plan, routes_by_table(topology)) {
    loads_.resize(topology.links.size());
  }

  void run() {
    for (Tree& tree : plan_.trees) {
      walk_.walk_in_switch(tree, [&](int link) { add(link, static_cast<double>(tree.flits)); });
      for (TreeRank& rank : tree.ranks) {
        for (auto* sends : {&rank.reduce_to, &rank.broadcast_to})
          for (Send& send : *sends) hops_.push_back({&send, &tree, member(tree, rank.rank)});
      }
    }
    double all = 0;
    for (const Hop& hop : hops_) put(hop, 1);
    for (const double load : loads_) all = std::max(all, load);
    if (all <= 0) return;
    scale_ = 1 / all;
    for (int round = 0; round < kBalanceRounds; ++round) {
      bool moved = false;
      for (const Hop& hop : hops_)
        if (!goes_by_slices(*hop.tree)) moved |= move(hop);
      if (!moved) return;
    }
  }

 private:
  struct Hop {
    Send* send;
    const Tree* tree;
    NodeId from;
  };
  using Path = std::vector<int>;  // links

  NodeId member(const Tree& tree, int rank) const { return plan_.parts[tree.part].members[rank]; }
  NodeId receiver(const Hop& hop) const { return member(*hop.tree, hop.send->rank); }

  // An endpoint tree in a share of a slice. Ranks that are detached from an in-switch tree are free
  // to go by any.
  bool goes_by_slices(const Tree& tree) const {
    return tree.transport != Transport::kInSwitch && !plan_.parts[tree.part].slice_weights.empty();
  }

  void add(int link, double flits) {
    loads_[link] +=
        flits * kFlitBytes / static_cast<double>(topology_.links[link].bytes_per_second);
  }
  const Path& path(const Hop& hop, int port) {
    const auto [at, added] = paths_.try_emplace({hop.from, receiver(hop), port});
    Path& links = at->second;
    if (added)
      walk_.walk_hop(hop.from, receiver(hop), port, [&](int link) { links.push_back(link); });
    return links;
  }
  void put(const Hop& hop, double sign) {
    for (const int link : path(hop, hop.send->port))
      add(link, sign * static_cast<double>(hop.tree->flits));
  }

  // Cost that it adds to the sum over all links.
  double cost(const Hop& hop, int port) {
    double cost = 0;
    for (const int link : path(hop, port)) {
      const double own = static_cast<double>(hop.tree->flits) * kFlitBytes /
                         static_cast<double>(topology_.links[link].bytes_per_second);
      cost += weight((loads_[link] + own) * scale_) - weight(loads_[link] * scale_);
    }
    return cost;
  }

  bool move(const Hop& hop) {
    put(hop, -1);
    const int before = hop.send->port;
    int best = before;
    double min = cost(hop, before);
    for (int port = 0; port < topology_.slices; ++port) {
      if (port == before || !topology_.failed.leave_path(hop.from, receiver(hop), port)) continue;
      if (const double here = cost(hop, port); here < min) {
        min = here;
        best = port;
      }
    }
    hop.send->port = best;
    put(hop, 1);
    return best != before;
  }

  const Topology& topology_;
  Plan& plan_;
  LinkWalk walk_;
  std::vector<Hop> hops_;
  std::vector<double> loads_;  // by link, seconds
  double scale_ = 1;
  std::map<std::tuple<NodeId, NodeId, int>, Path> paths_;
};

}  // namespace

void balance_ports(const Topology& topology, Plan& plan) {
  if (topology.failed.cut_slices() && needs_online_routes(topology, plan))
    PortBalance(topology, plan).run();
}

int slice_cuts(const Topology& topology, std::uint64_t trees, std::uint64_t flits) {
  const auto slices = static_cast<std::uint64_t>(endpoint_slices(topology));
  if (!topology.failed.cut_slices()) return static_cast<int>(slices);
  const std::uint64_t wanted = (kShares + slices * trees - 1) / (slices * trees);
  const std::uint64_t packets =
      flits / (slices * static_cast<std::uint64_t>(topology.packet_flits));
  return static_cast<int>(slices * std::max<std::uint64_t>(1, std::min(wanted, packets)));
}

}  // namespace fredsim
