// SPDX-License-Identifier: Apache-2.0
// Ranks of a tree and its order of additions (plan/plan.h): stored, or generated from the tree's
// box of rings (plan/ring_box_trees.h) on first access. Copies share generated ranks until one of
// the copies is written. One process of several has only the ranks of its own members
// (operations/own_ranks.h).
// Threads: concurrent reads are safe, writes are not.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "plan/ring_box_trees.h"
#include "plan/tree_rank.h"
#include "routing/flows.h"

namespace fredsim {

// Tree of one owner.
class RingBoxTree {
 public:
  RingBoxTree(std::shared_ptr<const RingBoxTrees> box, int owner)
      : box_(std::move(box)), owner_(owner) {}

  const RingBoxTrees& box() const { return *box_; }
  int owner() const { return owner_; }  // position
  int root() const { return box_->rank_at(owner_); }
  bool receives(int rank) const {
    return box_->rank_at(owner_) == rank ? box_->roles() != Roles::kToOthers : box_->has_results();
  }
  const std::vector<TreeRank>& ranks() const {
    std::call_once(ranks_made_, [this] { ranks_ = box_->ranks_of(owner_); });
    return ranks_;
  }
  const SumOrder& order() const {
    std::call_once(order_made_, [this] { order_ = box_->order_of(owner_); });
    return order_;
  }

 private:
  std::shared_ptr<const RingBoxTrees> box_;
  int owner_;
  mutable std::once_flag ranks_made_, order_made_;
  mutable std::vector<TreeRank> ranks_;
  mutable SumOrder order_;
};

// Ranks as a vector. On write access the tree gets its own copy: references to writable ranks are
// invalid once the tree is copied.
class TreeRanks {
 public:
  TreeRanks() = default;
  TreeRanks(std::vector<TreeRank> own)
      : own_(std::make_shared<std::vector<TreeRank>>(std::move(own))) {
  }  // NOLINT: it stands for it
  explicit TreeRanks(std::shared_ptr<const RingBoxTree> tree) : box_tree_(std::move(tree)) {}
  // True where the tree has only some of its ranks here.
  TreeRanks(std::vector<TreeRank> some, const TreeRanks& of)
      : own_(std::make_shared<std::vector<TreeRank>>(std::move(some))),
        counts_(Counts{of.whole_size(), of.receivers()}) {}

  // Number of ranks that receive the result, and of all ranks, other processes included.
  std::uint64_t receivers() const;
  std::size_t whole_size() const { return counts_ ? counts_->ranks : size(); }
  // Box of the tree; null: the ranks are stored.
  const RingBoxTree* box_tree() const { return box_tree_.get(); }

  const std::vector<TreeRank>& all() const { return box_tree_ ? box_tree_->ranks() : own(); }
  std::vector<TreeRank>& all() {
    if (box_tree_) {
      own_ = std::make_shared<std::vector<TreeRank>>(box_tree_->box().ranks_of(box_tree_->owner()));
      box_tree_.reset();
    } else if (own_.use_count() != 1) {
      own_ = std::make_shared<std::vector<TreeRank>>(own());
    }
    return *own_;
  }
  // Role of a rank, generated into `made`, whose memory is reused, and not stored.
  const std::vector<TreeRank>& passing(std::vector<TreeRank>& made) const {
    if (!box_tree_) return own();
    made.resize(size());
    for (std::size_t rank = 0; rank < size(); ++rank)
      box_tree_->box().set_rank(box_tree_->owner(), static_cast<int>(rank), made[rank]);
    return made;
  }

  std::size_t size() const { return box_tree_ ? box_tree_->box().size() : own().size(); }
  bool empty() const { return size() == 0; }
  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }
  auto begin() { return all().begin(); }
  auto end() { return all().end(); }
  const TreeRank& operator[](std::size_t n) const { return all()[n]; }
  TreeRank& operator[](std::size_t n) { return all()[n]; }
  const TreeRank& front() const { return all().front(); }
  TreeRank& front() { return all().front(); }

 private:
  const std::vector<TreeRank>& own() const {
    static const std::vector<TreeRank> kNone;
    return own_ ? *own_ : kNone;
  }

  std::shared_ptr<std::vector<TreeRank>> own_;  // null: none
  std::shared_ptr<const RingBoxTree> box_tree_;
  struct Counts {
    std::size_t ranks;
    std::uint64_t receivers;
  };
  std::optional<Counts> counts_;  // counts of the whole tree, where only some of its ranks are here
};

// Calls back with each hop of sums and results: the sending rank, the kind and the hop.
template <typename OnSend>
void for_each_send(const TreeRanks& ranks, const OnSend& on_send) {
  if (const RingBoxTree* const tree = ranks.box_tree()) {
    tree->box().for_each_hop(tree->owner(), [&](const RingBoxTrees::Hop& hop) {
      on_send(tree->box().rank_of(hop), hop.send);
    });
    return;
  }
  for (const TreeRank& rank : ranks) {
    for (const auto* sends : {&rank.reduce_to, &rank.broadcast_to})
      for (const Send& send : *sends) on_send(rank.rank, send);
  }
}

// Virtual channels of these hops, a bit each.
unsigned unicast_channels(const TreeRanks& ranks);

// Order of additions; leaves are ranks. Copies share the order.
class TreeOrder {
 public:
  TreeOrder() = default;
  TreeOrder(SumOrder own)
      : own_(std::make_shared<const SumOrder>(std::move(own))) {}  // NOLINT: it stands for it
  explicit TreeOrder(std::shared_ptr<const RingBoxTree> tree) : box_tree_(std::move(tree)) {}

  const SumOrder& sum() const {
    static const SumOrder kNone;
    if (box_tree_) return box_tree_->order();
    return own_ ? *own_ : kNone;
  }
  const std::vector<int>& postfix() const { return sum().postfix; }
  // Rank that holds the final sum of an endpoint tree.
  int root() const { return box_tree_ ? box_tree_->root() : postfix().front(); }

 private:
  std::shared_ptr<const SumOrder> own_;  // null: none
  std::shared_ptr<const RingBoxTree> box_tree_;
};

}  // namespace fredsim
