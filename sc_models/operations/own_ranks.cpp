// SPDX-License-Identifier: Apache-2.0
#include "operations/own_ranks.h"

#include <algorithm>
#include <utility>

namespace fredsim {
namespace {

std::vector<TreeRank> own_ranks(const TreeRanks& all, const std::vector<bool>& is_own) {
  std::vector<TreeRank> own;
  if (const RingBoxTree* const tree = all.box_tree()) {
    for (std::size_t rank = 0; rank < is_own.size(); ++rank)
      if (is_own[rank])
        tree->box().set_rank(tree->owner(), static_cast<int>(rank), own.emplace_back());
    return own;
  }
  for (const TreeRank& rank : all)
    if (is_own[rank.rank]) own.push_back(rank);
  own.shrink_to_fit();
  return own;
}

}  // namespace

std::vector<int> receivers_of_parts(const Plan& plan) {
  std::vector<std::vector<bool>> receive;  // by part and rank
  for (const Part& part : plan.parts) receive.emplace_back(part.members.size());
  for (const Tree& tree : plan.trees) {
    std::vector<bool>& of_part = receive[tree.part];
    if (const RingBoxTree* const of_box = tree.ranks.box_tree()) {
      for (int rank = 0; rank < std::ssize(of_part); ++rank)
        if (of_box->receives(rank)) of_part[rank] = true;
      continue;
    }
    for (const TreeRank& rank : tree.ranks)
      if (rank.receives) of_part[rank.rank] = true;
  }
  std::vector<int> receivers;
  for (std::size_t p = 0; p < receive.size(); ++p)
    receivers.push_back(
        plan.parts[p].receivers.value_or(static_cast<int>(std::ranges::count(receive[p], true))));
  return receivers;
}

void keep_own_ranks(Plan& plan, const std::function<bool(NodeId)>& is_own) {
  const std::vector<int> receivers = receivers_of_parts(plan);
  std::vector<std::vector<bool>> own;  // by part and rank
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    Part& part = plan.parts[p];
    part.receivers = receivers[p];
    std::vector<bool>& of_part = own.emplace_back();
    for (const NodeId member : part.members) of_part.push_back(is_own(member));
  }
  for (Tree& tree : plan.trees) {
    if (tree.transport == Transport::kEndpoint)
      tree.ranks = TreeRanks(own_ranks(tree.ranks, own[tree.part]), tree.ranks);
  }
}

}  // namespace fredsim
