#include "collective/endpoint_trees.h"

#include <algorithm>

#include "routing/nic_port.h"

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

// The place of a line to which a place other than 0 sends its sums, and from which it has the results.
int sums_to(LineShape shape, int step, int side) {
  if (shape == LineShape::kStar) return 0;
  return shape == LineShape::kChain ? (step + 1) % side : (step - 1) / 2;
}
int results_from(LineShape shape, int step) {
  if (shape == LineShape::kStar) return 0;
  return shape == LineShape::kChain ? step - 1 : (step - 1) / 2;
}

}  // namespace

int endpoint_slices(const Topology& topology) {
  return topology.is_tree() ? topology.fred.slices : 1;
}

TreeBuilder::TreeBuilder(const Topology& topology, const Plan& plan, int part, int slice)
    : topology_(topology),
      members_(plan.parts[part].members),
      vc_(plan.parts[part].vc),
      slice_(slice) {
  tree_.part = part;
  tree_.ranks.resize(members_.size());
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
  for (TreeRank& rank : tree_.ranks) {
    const bool is_root = rank.rank == root;
    rank.contributes = is_root || reduces(roles);
    rank.receives = is_root ? roles != Roles::kToOthers : broadcasts(roles);
    if (rank.rank >= roots) continue;
    rank.contributes = is_root && !reduces(roles);
    rank.receives = is_root && reduces(roles);
  }
  if (reduces(roles) && roots > 0) {
    append_sum(tree_.ranks[root].reduce_from.front());  // there is one
  } else if (reduces(roles)) {
    append_sum(root);
  } else {
    tree_.order.postfix = {root};
  }
  std::erase_if(tree_.ranks, does_nothing);
  return std::move(tree_);
}

Send TreeBuilder::send(int from, int to, int vc) const {
  return {to, nic_port(topology_, members_[from], members_[to], slice_), vc};
}

void TreeBuilder::append_sum(int rank) {
  tree_.order.postfix.push_back(rank);
  for (const int from : tree_.ranks[rank].reduce_from) {
    append_sum(from);
    tree_.order.postfix.push_back(SumOrder::kAdd);
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

Tree hierarchical_tree(TreeBuilder builder, const RingBox& box, int position, Roles roles,
                       const FlitRange& range) {
  const int cells = static_cast<int>(box.ranks.size());
  // All lines of a dimension whose lower coordinates are the owner's, from the owner's place on.
  const auto for_each_line = [&](int stride, int side, const auto& line) {
    for (int outer = 0; outer < cells; outer += stride * side) {
      line([&, outer](int step) {
        const int at = (position / stride % side + step) % side;
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
      for (int step = 1; step < box.sides[d]; ++step)
        builder.reduce(rank(step), rank(sums_to(box.shape, step, box.sides[d])),
                       vc(box.reduce_vcs, d));
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

Tree direct_tree(const Topology& topology, const Plan& plan, int part, int from, int to, int slice,
                 int vc, const FlitRange& range) {
  const std::vector<NodeId>& members = plan.parts[part].members;
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
  tree.order.postfix = {from};
  tree.ranks.push_back(std::move(from < to ? sender : receiver));
  tree.ranks.push_back(std::move(from < to ? receiver : sender));
  return tree;
}

Tree alone_tree(int part, const FlitRange& range) {
  Tree tree;
  tree.part = part;
  set_range(tree, range);
  TreeRank& rank = tree.ranks.emplace_back();
  rank.contributes = true;
  rank.receives = true;
  tree.order.postfix = {0};
  return tree;
}

}  // namespace fredsim
