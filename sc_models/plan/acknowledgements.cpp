// SPDX-License-Identifier: Apache-2.0
#include "plan/acknowledgements.h"

#include <algorithm>

#include "routing/nic_port.h"

namespace fredsim {
namespace {

class Acknowledgements {
 public:
  Acknowledgements(const Topology& topology, const Plan& plan, Tree& tree)
      : topology_(topology), members_(plan.parts[tree.part].members), tree_(tree) {}

  void add() {
    tree_.is_acknowledged = true;
    for (TreeRank& rank : tree_.ranks) {
      for (const Send& send : rank.broadcast_to)
        at(send.rank).acknowledge_results.push_back(back(send.rank, rank.rank, send));
      rank.results_acknowledged = !rank.broadcast_to.empty();
    }
    for (TreeRank& rank : tree_.ranks) {
      if (rank.reduce_to.empty() || !needs_sums(rank)) continue;
      const Send& send = rank.reduce_to.front();
      at(send.rank).acknowledge_sums.push_back(back(send.rank, rank.rank, send));
      rank.sums_acknowledged = true;
    }
  }

 private:
  TreeRank& at(int rank) {
    return *std::ranges::lower_bound(tree_.ranks, rank, {}, &TreeRank::rank);
  }
  // True where the rank, or a leaf whose sums it adds, depends on acknowledgements from the root.
  bool needs_sums(const TreeRank& rank) {
    return waits_for_acknowledgements(tree_, rank) ||
           std::ranges::any_of(rank.reduce_from, [&](int from) { return needs_sums(at(from)); });
  }
  Send back(int from, int to, const Send& data) const {
    return acknowledgement_of(topology_, members_, from, to, data);
  }

  const Topology& topology_;
  const std::vector<NodeId>& members_;
  Tree& tree_;
};

}  // namespace

Send acknowledgement_of(const Topology& topology, const std::vector<NodeId>& members, int from,
                        int to, const Send& data) {
  return {to, nic_port(topology, members[from], members[to], data.port), kControl};
}

bool waits_for_acknowledgements(const Tree& tree, const TreeRank& rank) {
  return tree.transport == Transport::kEndpoint && rank.contributes && rank.reduce_from.empty() &&
         (rank.reduce_to.empty() ? !rank.broadcast_to.empty()
                                 : !rank.receives && rank.broadcast_to.empty());
}

void add_acknowledgements(const Topology& topology, Plan& plan) {
  for (Tree& tree : plan.trees) {
    if (tree.ranks.box_tree() != nullptr) continue;  // has the acknowledgements that it needs
    const bool needed = std::ranges::any_of(
        tree.ranks, [&](const TreeRank& rank) { return waits_for_acknowledgements(tree, rank); });
    if (needed) Acknowledgements(topology, plan, tree).add();
  }
}

std::uint64_t acknowledgements_of_one(const Part& part, const Tree& tree, std::uint64_t packets) {
  const std::uint64_t window = acknowledged_window(part, tree);
  const std::uint64_t behind = packets - std::min(packets, window);
  return (behind + tree.acknowledge_packets - 1) / tree.acknowledge_packets;
}

std::uint64_t acknowledgements(const Part& part, const Tree& tree, const TreeRank& rank,
                               std::uint64_t packets) {
  return acknowledgements_of_one(part, tree, packets) *
         (rank.acknowledge_results.size() + rank.acknowledge_sums.size());
}

}  // namespace fredsim
