// SPDX-License-Identifier: Apache-2.0
#include "collective/endpoint_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "base/error.h"
#include "collective/plan_check.h"
#include "plan/acknowledgements.h"
#include "routing/nic_port.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

void set_range(Tree& tree, const FlitRange& range) {
  tree.first_flit = range.first_flit;
  tree.flits = range.flits;
  tree.bytes = range.bytes;
}

bool does_nothing(const TreeRank& rank) {
  return !rank.contributes && !rank.receives && rank.reduce_from.empty() &&
         rank.reduce_to.empty() && rank.broadcast_to.empty();
}

constexpr int kNoPort = -1;  // no slice joins the two

int without_highest_bit(int place) {
  return place ^ static_cast<int>(std::bit_floor(static_cast<unsigned>(place)));
}

// The place of a line to which a place other than 0 sends its sums, and from which it has the
// results.
int sums_to(LineShape shape, int step, int side) {
  if (shape == LineShape::kStar) return 0;
  if (shape == LineShape::kHalving) return without_highest_bit(step);
  return shape == LineShape::kChain ? (step + 1) % side : (step - 1) / 2;
}
int results_from(LineShape shape, int step) {
  if (shape == LineShape::kStar) return 0;
  if (shape == LineShape::kHalving) return without_highest_bit(step);
  return shape == LineShape::kChain ? step - 1 : (step - 1) / 2;
}

}  // namespace

int endpoint_slices(const Topology& topology) { return std::max(1, topology.slices); }

TreeBuilder::TreeBuilder(const Topology& topology, const Plan& plan, int part, int slice)
    : topology_(topology),
      members_(plan.parts[part].members),
      name_{topology, members_, plan.parts[part].algorithm, plan.trees.size()},
      ranks_(plan.parts[part].ranks()),
      vc_(plan.parts[part].vc),
      slice_(slice) {
  tree_.part = part;
  tree_.ranks.all().resize(members_.size());
  for (std::size_t r = 0; r < members_.size(); ++r) tree_.ranks[r].rank = static_cast<int>(r);
}

void TreeBuilder::reduce(int from, int to, int vc) {
  tree_.ranks[from].reduce_to.push_back(send(from, to, vc));
  tree_.ranks[to].reduce_from.push_back(from);
}

void TreeBuilder::pass_on(int from, int to, int vc) {
  tree_.ranks[from].broadcast_to.push_back(send(from, to, vc));
}

Tree TreeBuilder::finish(Roles roles, int root, const FlitRange& range, int roots) {
  set_range(tree_, range);
  check_sums(name_, tree_.ranks.all());
  if (topology_.failed.cut_slices()) {
    mend(false, root);
    mend(true, root);
  }
  for (TreeRank& rank : tree_.ranks) {
    if (rank.rank >= ranks_) continue;
    const bool is_root = rank.rank == root;
    rank.contributes = is_root || reduces(roles);
    rank.receives = is_root ? roles != Roles::kToOthers : broadcasts(roles);
    if (rank.rank >= roots) continue;
    rank.contributes = is_root && !reduces(roles);
    rank.receives = is_root && reduces(roles);
  }
  if (reduces(roles)) {
    append_sum(root);
  } else {
    order_.postfix = {root};
  }
  tree_.order = std::move(order_);
  std::erase_if(tree_.ranks.all(), does_nothing);
  return std::move(tree_);
}

Send TreeBuilder::send(int from, int to, int vc) const {
  const bool joined = has_nic_port(topology_, members_[from], members_[to]);
  return {to, joined ? nic_port(topology_, members_[from], members_[to], slice_) : kNoPort, vc};
}

Send TreeBuilder::acknowledgement(int from, int to, const Send& data) const {
  return acknowledgement_of(topology_, members_, from, to, data);
}

std::vector<int> TreeBuilder::parents(bool of_results) const {
  std::vector<int> parents(tree_.ranks.size(), -1);
  for (const TreeRank& rank : tree_.ranks) {
    if (!of_results && !rank.reduce_to.empty()) parents[rank.rank] = rank.reduce_to.front().rank;
    for (const Send& send : rank.broadcast_to)
      if (of_results) parents[send.rank] = rank.rank;
  }
  return parents;
}

void TreeBuilder::move_below(int rank, int parent, bool of_results) {
  if (of_results) {
    for (TreeRank& from : tree_.ranks) {
      const auto old = std::ranges::find(from.broadcast_to, rank, &Send::rank);
      if (old == from.broadcast_to.end()) continue;
      const int vc = old->vc;
      from.broadcast_to.erase(old);
      pass_on(parent, rank, vc);
      return;
    }
  }
  const Send old = tree_.ranks[rank].reduce_to.front();
  tree_.ranks[rank].reduce_to.clear();
  std::erase(tree_.ranks[old.rank].reduce_from, rank);
  reduce(rank, parent, old.vc);
}

// Repairs hops without a port: the rank moves below the rank with the fewest children among the
// ranks that it reaches outside its own subtree; if there is none, one of its children is first
// moved elsewhere.
void TreeBuilder::mend(bool of_results, int root) {
  const int ranks = static_cast<int>(members_.size());
  std::vector<int> above = parents(of_results);
  const auto reaches = [&](int a, int b) {
    return has_nic_port(topology_, members_[a], members_[b]);
  };
  const auto is_below = [&](int rank, int other) {
    while (rank >= 0 && rank != other) rank = above[rank];
    return rank == other;
  };
  const auto parent_for = [&](int rank, int top) {  // not `top`, nor below it
    int best = -1;
    std::ptrdiff_t fewest = 0;
    for (int other = 0; other < ranks; ++other) {
      if (other != root && above[other] < 0) continue;  // no part of the tree
      if (is_below(other, top) || !reaches(rank, other)) continue;
      const std::ptrdiff_t below = std::ranges::count(above, other);
      if (best >= 0 && below >= fewest) continue;
      best = other;
      fewest = below;
    }
    return best;
  };
  for (int rank = 0; rank < ranks; ++rank) {
    if (above[rank] < 0 || reaches(rank, above[rank])) continue;
    int parent = parent_for(rank, rank);
    for (int below = 0; parent < 0 && below < ranks; ++below) {
      if (above[below] != rank) continue;
      const int other = parent_for(below, rank);
      if (other < 0) continue;
      move_below(below, other, of_results);
      above[below] = other;
      parent = parent_for(rank, rank);
    }
    if (parent < 0) {
      build_anew(above, of_results, root);
      return;
    }
    move_below(rank, parent, of_results);
    above[rank] = parent;
  }
}

// Builds the tree anew by breadth-first search from the root, where single repairs cannot connect
// it.
void TreeBuilder::build_anew(const std::vector<int>& above, bool of_results, int root) {
  const int ranks = static_cast<int>(members_.size());
  std::vector<int> parent(members_.size(), -1);
  std::vector<int> joined{root};
  for (std::size_t k = 0; k < joined.size(); ++k) {
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank == root || above[rank] < 0 || parent[rank] >= 0) continue;
      if (!has_nic_port(topology_, members_[rank], members_[joined[k]])) continue;
      parent[rank] = joined[k];
      joined.push_back(rank);
    }
  }
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == root || above[rank] < 0) continue;
    if (parent[rank] >= 0) {
      move_below(rank, parent[rank], of_results);
      continue;
    }
    throw BadInput(fmt::format("{}: {} reaches no other member of its group any more{}",
                               topology_.name, topology_.nodes[members_[rank]].name,
                               faults_text(topology_)));
  }
}

Tree TreeBuilder::finish_relayed(int from, int to, const FlitRange& range) {
  set_range(tree_, range);
  tree_.ranks[from].contributes = true;
  tree_.ranks[to].receives = true;
  tree_.order = SumOrder{{from}};
  std::erase_if(tree_.ranks.all(), does_nothing);
  return std::move(tree_);
}

void TreeBuilder::append_sum(int rank) {
  bool has_one = tree_.ranks[rank].contributes;
  if (has_one) order_.postfix.push_back(rank);
  for (const int from : tree_.ranks[rank].reduce_from) {
    append_sum(from);
    if (has_one) order_.postfix.push_back(SumOrder::kAdd);
    has_one = true;
  }
}

Tree chain_tree(TreeBuilder builder, const std::vector<int>& ring, int root, bool forwards,
                Roles roles, const FlitRange& range, int vc, int roots) {
  const int ranks = static_cast<int>(ring.size());
  const int place = static_cast<int>(std::ranges::find(ring, root) - ring.begin());
  const auto at = [&](int steps) {
    return ring[(forwards ? place + steps : place + ranks - steps) % ranks];
  };
  for (int steps = ranks - 1; steps > 0 && reduces(roles); --steps)
    builder.reduce(at(steps), at(steps - 1), vc);
  for (int steps = 1; steps < ranks && broadcasts(roles); ++steps)
    builder.pass_on(at(steps - 1), at(steps), vc);
  return builder.finish(roles, root, range, roots);
}

namespace {

Tree hierarchical_tree(TreeBuilder builder, const RingBox& box, int position, Roles roles,
                       const FlitRange& range) {
  const int cells = static_cast<int>(box.ranks.size());
  // All lines of a dimension whose lower coordinates are the owner's, from the owner's place on.
  const auto for_each_line = [&](int stride, int side, const auto& line) {
    for (int outer = 0; outer < cells; outer += stride * side) {
      line([&, outer](int step) {
        const int own = position / stride % side;
        const int at = box.shape == LineShape::kHalving ? own ^ step : (own + step) % side;
        return box.ranks[outer + at * stride + position % stride];
      });
    }
  };
  std::vector<int> strides{1};
  for (const int side : box.sides) strides.push_back(strides.back() * side);
  const int dimensions = static_cast<int>(box.sides.size());
  const auto vc = [&](const std::vector<int>& vcs, int d) {
    return vcs.empty() ? builder.vc() : vcs[d];
  };
  for (int d = 0; d < dimensions && reduces(roles); ++d) {
    for_each_line(strides[d], box.sides[d], [&](const auto& rank) {
      const int side = box.sides[d];
      for (int k = 1; k < side; ++k) {
        // Halving begins with the highest bit, and so do its sums.
        const int step = box.shape == LineShape::kHalving ? side - k : k;
        builder.reduce(rank(step), rank(sums_to(box.shape, step, side)), vc(box.reduce_vcs, d));
      }
    });
  }
  for (int d = dimensions - 1; d >= 0 && broadcasts(roles); --d) {
    for_each_line(strides[d], box.sides[d], [&](const auto& rank) {
      for (int step = 1; step < box.sides[d]; ++step)
        builder.pass_on(rank(results_from(box.shape, step)), rank(step), vc(box.broadcast_vcs, d));
    });
  }
  return builder.finish(roles, box.ranks[position], range);
}

}  // namespace

Tree TreeBuilder::tree_of(std::shared_ptr<const RingBoxTree> of_box, const FlitRange& range) const {
  Tree tree;
  tree.part = tree_.part;
  set_range(tree, range);
  tree.is_acknowledged = of_box->box().is_acknowledged();
  tree.ranks = TreeRanks(of_box);
  tree.order = TreeOrder(std::move(of_box));
  return tree;
}

BoxTrees::BoxTrees(TreeBuilder builder, RingBox box, Roles roles)
    : builder_(std::move(builder)), box_(std::move(box)), roles_(roles) {
  if (box_.shape != LineShape::kChain || !builder_.joins_all()) return;
  const auto send = [&](int from, int to, int dimension, bool is_result) {
    const std::vector<int>& vcs = is_result ? box_.broadcast_vcs : box_.reduce_vcs;
    return builder_.send(from, to, vcs.empty() ? builder_.vc() : vcs[dimension]);
  };
  const auto back = [&](int from, int to, const Send& data) {
    return builder_.acknowledgement(from, to, data);
  };
  rings_ = std::make_shared<const RingBoxTrees>(box_.sides, box_.ranks, send, roles, back);
}

Tree BoxTrees::tree(int position, const FlitRange& range) const {
  if (rings_ == nullptr) return hierarchical_tree(builder_, box_, position, roles_, range);
  return builder_.tree_of(std::make_shared<const RingBoxTree>(rings_, position), range);
}

namespace {

// Tree from one rank to another through the fewest members in between.
Tree relayed_tree(TreeBuilder builder, const Topology& topology, const std::vector<NodeId>& members,
                  const std::pair<int, int>& ends, int vc, const FlitRange& range) {
  const auto [from, to] = ends;
  std::vector<int> next(members.size(), -1);  // towards `to`
  std::vector<int> found{to};
  for (std::size_t k = 0; k < found.size() && next[from] < 0; ++k) {
    for (int rank = 0; rank < std::ssize(members); ++rank) {
      if (rank == to || next[rank] >= 0 ||
          !has_nic_port(topology, members[rank], members[found[k]]))
        continue;
      next[rank] = found[k];
      found.push_back(rank);
    }
  }
  if (next[from] < 0) {
    throw BadInput(fmt::format("{}: no member of its group leads from {} to {} any more{}",
                               topology.name, topology.nodes[members[from]].name,
                               topology.nodes[members[to]].name, faults_text(topology)));
  }
  for (int rank = from; rank != to; rank = next[rank]) builder.reduce(rank, next[rank], vc);
  return builder.finish_relayed(from, to, range);
}

}  // namespace

Tree direct_tree(const Topology& topology, const Plan& plan, int part, int from, int to, int slice,
                 int vc, const FlitRange& range) {
  const std::vector<NodeId>& members = plan.parts[part].members;
  if (!has_nic_port(topology, members[from], members[to]))
    return relayed_tree({topology, plan, part, slice}, topology, members, {from, to}, vc, range);
  TreeRank sender;
  sender.rank = from;
  sender.contributes = true;
  sender.reduce_to = {{to, nic_port(topology, members[from], members[to], slice), vc}};
  TreeRank receiver;
  receiver.rank = to;
  receiver.receives = true;
  receiver.reduce_from = {from};
  Tree tree;
  tree.part = part;
  set_range(tree, range);
  tree.order = SumOrder{{from}};
  std::vector<TreeRank>& ranks = tree.ranks.all();
  ranks.push_back(std::move(from < to ? sender : receiver));
  ranks.push_back(std::move(from < to ? receiver : sender));
  return tree;
}

Tree alone_tree(int part, const FlitRange& range) {
  Tree tree;
  tree.part = part;
  set_range(tree, range);
  TreeRank& rank = tree.ranks.all().emplace_back();
  rank.contributes = true;
  rank.receives = true;
  tree.order = SumOrder{{0}};
  return tree;
}

}  // namespace fredsim
