// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/detached_ranks.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "collective/detail/member_boxes.h"
#include "plan/channels.h"
#include "routing/nic_port.h"

namespace fredsim {
namespace {

// A data channel of the part that is no part's priority; -1: none.
int free_channel(const Topology& topology, const Plan& plan, int part) {
  for (const int vc : channels_of(topology, plan, part))
    if (vc != plan.parts[part].vc) return vc;
  return -1;
}

}  // namespace

std::vector<bool> joined_ranks(const Topology& topology, const std::vector<NodeId>& members,
                               int slice) {
  std::vector<bool> max(members.size(), !topology.failed.cut_slices());
  if (!topology.failed.cut_slices()) return max;
  for (std::size_t first = 0; first < members.size(); ++first) {
    std::vector<bool> joined(members.size());
    for (std::size_t k = 0; k < members.size(); ++k) {
      const std::size_t rank = (first + k) % members.size();
      bool reaches_all = topology.failed.leave_path(members[rank], members[rank], slice);
      for (std::size_t other = 0; other < members.size() && reaches_all; ++other)
        reaches_all =
            !joined[other] || topology.failed.leave_path(members[rank], members[other], slice);
      joined[rank] = reaches_all;
    }
    if (std::ranges::count(joined, true) > std::ranges::count(max, true)) max = joined;
    if (std::ranges::count(max, false) == 0) break;
  }
  return max;
}

bool can_detach(const Topology& topology, const Plan& plan, int part,
                const std::vector<bool>& joined) {
  const Part& p = plan.parts[part];
  if (p.collective != Collective::kAllReduce || free_channel(topology, plan, part) < 0 ||
      std::ranges::count(joined, true) < 2)
    return false;
  for (std::size_t rank = 0; rank < joined.size(); ++rank) {
    bool has_helper = joined[rank];
    for (std::size_t other = 0; other < joined.size() && !has_helper; ++other)
      has_helper = joined[other] && has_nic_port(topology, p.members[rank], p.members[other]);
    if (!has_helper) return false;
  }
  return true;
}

DetachedRanks::DetachedRanks(const Topology& topology, const Plan& plan, int part)
    : topology_(topology),
      members_(plan.parts[part].members),
      vc_(free_channel(topology, plan, part)),
      is_slow_(slow_uplinks(topology)),
      load_(plan.parts[part].members.size()) {}

bool DetachedRanks::reaches(int rank, int other) const {
  return has_nic_port(topology_, members_[rank], members_[other]);
}

NodeId DetachedRanks::switch_of(int rank) const { return topology_.nodes[members_[rank]].above; }

int DetachedRanks::common_slices(int rank, int other) const {
  int common = 0;
  for (int slice = 0; slice < topology_.failed.reach.slices; ++slice)
    common += topology_.failed.leave_path(members_[rank], members_[other], slice) ? 1 : 0;
  return common;
}

int DetachedRanks::helper_of(int rank, const std::vector<bool>& joined) {
  const int ranks = static_cast<int>(members_.size());
  std::vector<int> common(members_.size());
  for (int other = 0; other < ranks; ++other)
    if (joined[other]) common[other] = common_slices(rank, other);
  const int max = std::ranges::max(common);
  // Few slices to a near one are a reason to go farther, if uplinks are fast.
  const auto is_near = [&](int other) {
    return switch_of(other) == switch_of(rank) && (is_slow_ || 2 * common[other] > max);
  };
  int best = -1;
  for (int k = 0; k < ranks; ++k) {
    const int other = (rank + turn_ + k) % ranks;
    if (common[other] == 0) continue;
    const bool nearer = best >= 0 && is_near(other) && !is_near(best);
    const bool farther = best >= 0 && !is_near(other) && is_near(best);
    const auto load = [&](int helper) { return load_[helper] + 1.0 / common[helper]; };
    if (best < 0 || nearer || (!farther && load(other) < load(best))) best = other;
  }
  return best;
}

void DetachedRanks::attach(Tree& tree, const std::vector<bool>& joined) {
  if (std::ranges::count(joined, false) == 0) return;
  assert(vc_ >= 0);
  const int ranks = static_cast<int>(members_.size());
  const auto place = [&](int rank) {
    return std::ranges::lower_bound(tree.ranks.all(), rank, {}, &TreeRank::rank);
  };
  std::vector<int> last_of_switch(topology_.nodes.size(), -1);
  std::vector<std::vector<int>> helped(members_.size());
  for (int k = 0; k < ranks; ++k) {
    const int rank = (turn_ + k) % ranks;
    if (joined[rank]) continue;
    int helper = helper_of(rank, joined);
    int& last = last_of_switch[switch_of(rank)];
    if (switch_of(helper) != switch_of(rank)) {
      if (last >= 0 && reaches(rank, last) && is_slow_) helper = last;
      last = rank;
    }
    load_[helper] += 1.0 / common_slices(rank, helper);
    helped[helper].push_back(rank);
    TreeRank detached;
    detached.rank = rank;
    detached.contributes = detached.receives = true;
    detached.phase = tree.ranks.front().phase;
    detached.reduce_to = {
        {helper, nic_port(topology_, members_[rank], members_[helper], turn_), vc_}};
    tree.ranks.all().insert(place(rank), std::move(detached));
  }
  for (int helper = 0; helper < ranks; ++helper) {
    if (helped[helper].empty()) continue;
    TreeRank& of = *place(helper);
    of.reduce_from = helped[helper];
    for (const int rank : helped[helper])
      of.broadcast_to.push_back(
          {rank, nic_port(topology_, members_[helper], members_[rank], turn_), vc_});
  }
  SumOrder order;
  const auto append = [&](const auto& self, int rank) -> void {
    order.postfix.push_back(rank);
    for (const int from : helped[rank]) {
      self(self, from);
      order.postfix.push_back(SumOrder::kAdd);
    }
  };
  for (const int entry : tree.order.postfix()) {
    if (entry == SumOrder::kAdd) {
      order.postfix.push_back(entry);
    } else {
      append(append, entry);
    }
  }
  tree.order = std::move(order);
  ++turn_;
}

}  // namespace fredsim
