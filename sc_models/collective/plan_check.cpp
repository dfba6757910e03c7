// SPDX-License-Identifier: Apache-2.0
#include "collective/plan_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <tuple>

namespace fredsim {
namespace {

constexpr int kNone = -1;

// Checker that holds the hops of one tree at a time and reuses memory from tree to tree.
class HopCheck {
 public:
  HopCheck(const TreeName& name, std::span<const TreeRank> ranks, std::vector<int>& places)
      : name_(name), ranks_(ranks), places_(places) {
    if (places_.size() < name.members.size()) places_.resize(name.members.size(), kNone);
    for (std::size_t k = 0; k < ranks_.size(); ++k) places_[ranks_[k].rank] = static_cast<int>(k);
  }
  ~HopCheck() {
    for (const TreeRank& rank : ranks_) places_[rank.rank] = kNone;
  }
  HopCheck(const HopCheck&) = delete;
  HopCheck& operator=(const HopCheck&) = delete;

  void sums() {
    for (const TreeRank& rank : ranks_) sum_of(rank);
    std::vector<int> added_by(ranks_.size(), kNone);  // ranks, by place
    std::size_t senders = 0, added = 0;
    for (const TreeRank& rank : ranks_) {
      senders += rank.reduce_to.size();
      added += rank.reduce_from.size();
      for (const int from : rank.reduce_from) addition(rank.rank, from, added_by);
    }
    if (senders != added) name_unadded(added_by);
    circles();
  }

  // The place of the only rank at which sums end.
  int root() const {
    int root = kNone;
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      const TreeRank& rank = ranks_[k];
      if (!rank.reduce_to.empty() || (!rank.contributes && rank.reduce_from.empty())) continue;
      if (root != kNone)
        fail(fmt::format("{} and {} each have a sum of flow {}", npu(ranks_[root].rank),
                         npu(rank.rank), name_.flow));
      root = static_cast<int>(k);
    }
    if (root == kNone) fail(fmt::format("nobody has the sum of flow {}", name_.flow));
    return root;
  }

  void results(int root) {
    std::vector<int> from(ranks_.size(), kNone);  // ranks, by place
    from[root] = ranks_[root].rank;
    std::vector<int> reached{root};
    for (std::size_t k = 0; k < reached.size(); ++k) {
      const TreeRank& rank = ranks_[reached[k]];
      for (const Send& send : rank.broadcast_to) {
        const int to = target(rank.rank, send);
        if (from[reached[k]] == send.rank) sends_back(rank.rank, send.rank);
        if (from[to] != kNone)
          fail(fmt::format("{} receives the result of flow {} twice, from {} and {}",
                           npu(send.rank), name_.flow, npu(from[to]), npu(rank.rank)));
        from[to] = rank.rank;
        reached.push_back(to);
      }
    }
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      const bool waits = ranks_[k].receives || !ranks_[k].broadcast_to.empty();
      if (waits && from[k] == kNone)
        fail(fmt::format("{} never receives the result of flow {}", npu(ranks_[k].rank),
                         name_.flow));
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::logic_error(fmt::format("plan of {}: {}", name_.algorithm, what));
  }
  [[noreturn]] void sends_back(int rank, int sender) const {
    fail(fmt::format("{} sends flow {} back to its sender {}", npu(rank), name_.flow, npu(sender)));
  }
  const std::string& npu(int rank) const { return name_.topology.nodes[name_.members[rank]].name; }
  int place(int rank) const {
    return rank >= 0 && rank < std::ssize(name_.members) ? places_[rank] : kNone;
  }
  int target(int from, const Send& send) const {
    if (send.rank == from) fail(fmt::format("{} sends flow {} to itself", npu(from), name_.flow));
    const int to = place(send.rank);
    if (to == kNone)
      fail(fmt::format("{} sends flow {} to rank {}, which has no part in it", npu(from),
                       name_.flow, send.rank));
    return to;
  }

  void sum_of(const TreeRank& rank) const {
    if (rank.reduce_to.size() > 1)
      fail(fmt::format("{} sends its sum of flow {} to {} ranks", npu(rank.rank), name_.flow,
                       rank.reduce_to.size()));
    for (const Send& send : rank.reduce_to) {
      const std::vector<Send>& next = ranks_[target(rank.rank, send)].reduce_to;
      if (!next.empty() && next.front().rank == rank.rank) sends_back(send.rank, rank.rank);
    }
  }

  void addition(int rank, int from, std::vector<int>& added_by) const {
    const int sender = place(from);
    const bool sends = sender != kNone && !ranks_[sender].reduce_to.empty() &&
                       ranks_[sender].reduce_to.front().rank == rank;
    if (!sends)
      fail(fmt::format("{} never receives a sum of flow {} that it adds, from rank {}", npu(rank),
                       name_.flow, from));
    if (added_by[sender] != kNone)
      fail(fmt::format("{} adds what {} sends of flow {} twice", npu(rank), npu(from), name_.flow));
    added_by[sender] = rank;
  }

  [[noreturn]] void name_unadded(const std::vector<int>& added_by) const {
    for (std::size_t k = 0;; ++k) {
      if (ranks_[k].reduce_to.empty() || added_by[k] != kNone) continue;
      fail(fmt::format("{} adds nothing of what {} sends it of flow {}",
                       npu(ranks_[k].reduce_to.front().rank), npu(ranks_[k].rank), name_.flow));
    }
  }

  // Each rank is passed once: a walk ends where an earlier one was.
  void circles() const {
    std::vector<int> walk_of(ranks_.size(), kNone);
    for (std::size_t first = 0; first < ranks_.size(); ++first) {
      for (int at = static_cast<int>(first); walk_of[at] == kNone;
           at = place(ranks_[at].reduce_to.front().rank)) {
        walk_of[at] = static_cast<int>(first);
        const std::vector<Send>& next = ranks_[at].reduce_to;
        if (next.empty()) break;
        if (walk_of[place(next.front().rank)] == static_cast<int>(first))
          fail(fmt::format("sums of flow {} go round in a circle by {} and {}", name_.flow,
                           npu(ranks_[at].rank), npu(next.front().rank)));
      }
    }
  }

  const TreeName& name_;
  std::span<const TreeRank> ranks_;
  std::vector<int>& places_;  // by rank
};

class PlanCheck {
 public:
  PlanCheck(const Topology& topology, const Plan& plan) : topology_(topology), plan_(plan) {}

  void run() {
    const RingBoxTrees* last_box = nullptr;
    for (std::size_t t = 0; t < plan_.trees.size(); ++t) {
      const Tree& tree = plan_.trees[t];
      const RingBoxTree* const of_box = tree.ranks.box_tree();
      if (of_box != nullptr && &of_box->box() == last_box) continue;
      last_box = of_box != nullptr ? &of_box->box() : nullptr;
      check(t, tree);
    }
    for (auto first = plan_.trees.begin(); first != plan_.trees.end();) {
      const auto end = std::find_if(first, plan_.trees.end(),
                                    [&](const Tree& tree) { return tree.part != first->part; });
      check_ranges({first, end});
      first = end;
    }
  }

 private:
  // Flits that a rank has of another's operand, by one tree.
  struct Receipt {
    int to = 0, of = 0;
    std::uint64_t first = 0, end = 0;
    std::size_t flow = 0;
  };

  TreeName name_of(const Tree& tree, std::size_t flow) const {
    const Part& part = plan_.parts[tree.part];
    return {topology_, part.members, part.algorithm, flow};
  }
  const std::string& npu(const Tree& tree, int rank) const {
    return topology_.nodes[plan_.parts[tree.part].members[rank]].name;
  }
  [[noreturn]] void fail(const Tree& tree, const std::string& what) const {
    throw std::logic_error(fmt::format("plan of {}: {}", plan_.parts[tree.part].algorithm, what));
  }

  void check(std::size_t t, const Tree& tree) {
    const std::vector<TreeRank>& ranks = tree.ranks.passing(made_);
    for (const TreeRank& rank : ranks)
      if (rank.rank >= plan_.parts[tree.part].ranks() && (rank.contributes || rank.receives))
        fail(tree, fmt::format("relay {} has an operand or a result of flow {}",
                               npu(tree, rank.rank), t));
    if (tree.operands > 0) return check_operands(t, tree);
    const TreeName name = name_of(tree, t);
    HopCheck hops(name, ranks, places_);
    hops.sums();
    if (tree.transport == Transport::kEndpoint) hops.results(hops.root());
  }

  // The trees before a sum at every rank have the operands of different ranks.
  void check_operands(std::size_t t, const Tree& sum) {
    std::vector<bool> has(plan_.parts[sum.part].members.size());
    for (std::size_t k = t - static_cast<std::size_t>(sum.operands); k < t; ++k) {
      const Tree& operand = plan_.trees[k];
      const int of = operand.order.postfix().front();
      if (has[of])
        fail(sum, fmt::format("the operand of {} is added twice in flow {}", npu(sum, of), t));
      has[of] = true;
      if (operand.first_flit != sum.first_flit || operand.flits != sum.flits)
        fail(sum, fmt::format("flow {} is no operand of all flits of flow {}", k, t));
    }
  }

  void check_ranges(std::span<const Tree> trees) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (const Tree& tree : trees)
      if (tree.to_sum == 0) ranges.emplace_back(tree.first_flit, tree.first_flit + tree.flits);
    std::ranges::sort(ranges);
    for (std::size_t k = 1; k < ranges.size(); ++k)
      if (ranges[k].first < ranges[k - 1].second) return check_receipts(trees);
  }

  // Trees of different operands, or to different ranks, may have the same flits.
  void check_receipts(std::span<const Tree> trees) {
    std::vector<Receipt> receipts;
    for (const Tree& tree : trees) {
      if (tree.to_sum > 0) continue;
      const auto flow = static_cast<std::size_t>(&tree - plan_.trees.data());
      for (const TreeRank& to : tree.ranks.passing(made_))
        for (const int of : tree.order.postfix())
          if (to.receives && of >= 0)
            receipts.push_back({to.rank, of, tree.first_flit, tree.first_flit + tree.flits, flow});
    }
    std::ranges::sort(receipts, {}, [](const Receipt& receipt) {
      return std::tuple(receipt.to, receipt.of, receipt.first);
    });
    for (std::size_t k = 1; k < receipts.size(); ++k) {
      const Receipt& one = receipts[k - 1];
      const Receipt& next = receipts[k];
      if (next.to != one.to || next.of != one.of || next.first >= one.end) continue;
      const Tree& tree = plan_.trees[next.flow];
      fail(tree,
           fmt::format("{} receives flit {} of {} twice, by flows {} and {}", npu(tree, next.to),
                       next.first, npu(tree, next.of), one.flow, next.flow));
    }
  }

  const Topology& topology_;
  const Plan& plan_;
  std::vector<int> places_;       // scratch: by rank
  std::vector<TreeRank> made_{};  // scratch
};

}  // namespace

void check_sums(const TreeName& name, std::span<const TreeRank> ranks) {
  std::vector<int> places;
  HopCheck(name, ranks, places).sums();
}

void check_plan(const Topology& topology, const Plan& plan) { PlanCheck(topology, plan).run(); }

}  // namespace fredsim
