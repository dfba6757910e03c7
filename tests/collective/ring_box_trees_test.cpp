// SPDX-License-Identifier: Apache-2.0
// Trees of a box of rings against chains that are laid line by line, on random boxes.
#include "plan/ring_box_trees.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "collective/endpoint_trees.h"
#include "config/config.h"
#include "plan/acknowledgements.h"
#include "plan/tree_ranks.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

struct Box {
  std::vector<int> sides{};
  std::vector<int> ranks{};
};

Box random_box(Random& random) {
  Box box;
  int size = 1;
  for (std::size_t d = 0, dimensions = 1 + random.below(3); d < dimensions; ++d) {
    box.sides.push_back(static_cast<int>(1 + random.below(5)));
    size *= box.sides.back();
  }
  box.ranks.resize(size);
  std::iota(box.ranks.begin(), box.ranks.end(), 0);
  for (int k = size - 1; k > 0; --k) std::swap(box.ranks[k], box.ranks[random.below(k + 1)]);
  return box;
}

// A send that is distinct for every hop.
Send send_of(int from, int to, int dimension, bool is_result) {
  return {to, 64 * dimension + from, is_result ? 1 : 0};
}

RingBoxTrees trees_of(const Box& box) { return {box.sides, box.ranks, send_of}; }

// From the owner's place on along every line whose lower coordinates are the owner's.
std::vector<TreeRank> laid_ranks(const Box& box, int owner) {
  std::vector<TreeRank> ranks(box.ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    ranks[r].rank = static_cast<int>(r);
    ranks[r].contributes = ranks[r].receives = true;
  }
  std::vector<std::tuple<int, int, int>> lines;  // dimension, stride, first position
  int stride = 1;
  for (int d = 0; d < std::ssize(box.sides); stride *= box.sides[d++])
    for (int first = owner % stride; first < std::ssize(ranks); first += stride * box.sides[d])
      lines.emplace_back(d, stride, first);
  const auto rank_at = [&](int d, int along, int first, int step) {
    return box.ranks[first + (owner / along + step) % box.sides[d] * along];
  };
  for (const auto& [d, along, first] : lines) {
    for (int step = 1; step < box.sides[d]; ++step) {
      const int from = rank_at(d, along, first, step);
      const int to = rank_at(d, along, first, (step + 1) % box.sides[d]);
      ranks[from].reduce_to.push_back(send_of(from, to, d, false));
      ranks[to].reduce_from.push_back(from);
    }
  }
  for (int d = static_cast<int>(box.sides.size()) - 1; d >= 0; --d) {
    for (const auto& [dimension, along, first] : lines) {
      for (int step = 1; step < box.sides[d] && dimension == d; ++step) {
        const int from = rank_at(d, along, first, step - 1);
        ranks[from].broadcast_to.push_back(send_of(from, rank_at(d, along, first, step), d, true));
      }
    }
  }
  return ranks;
}

void append_sum(const std::vector<TreeRank>& ranks, int rank, std::vector<int>& postfix) {
  postfix.push_back(rank);
  for (const int from : ranks[rank].reduce_from) {
    append_sum(ranks, from, postfix);
    postfix.push_back(SumOrder::kAdd);
  }
}

std::vector<std::tuple<int, int, int>> parts_of(const std::vector<Send>& sends) {
  std::vector<std::tuple<int, int, int>> parts;
  for (const Send& send : sends) parts.emplace_back(send.rank, send.port, send.vc);
  return parts;
}

void expect_equal(const std::vector<TreeRank>& found, const std::vector<TreeRank>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t r = 0; r < found.size(); ++r) {
    SCOPED_TRACE(r);
    EXPECT_EQ(found[r].rank, expected[r].rank);
    EXPECT_EQ(found[r].contributes, expected[r].contributes);
    EXPECT_EQ(found[r].receives, expected[r].receives);
    EXPECT_EQ(found[r].reduce_from, expected[r].reduce_from);
    EXPECT_EQ(parts_of(found[r].reduce_to), parts_of(expected[r].reduce_to));
    EXPECT_EQ(parts_of(found[r].broadcast_to), parts_of(expected[r].broadcast_to));
  }
}

constexpr std::uint64_t kBoxes = 200;

TEST(RingBoxTrees, AreThoseLaidLineByLine) {
  for (std::uint64_t seed = 1; seed <= kBoxes; ++seed) {
    Random random(seed);
    const Box box = random_box(random);
    const RingBoxTrees trees = trees_of(box);
    std::vector<TreeRank> again(box.ranks.size());
    for (int owner = 0; owner < trees.size(); ++owner) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", owner " << owner);
      const std::vector<TreeRank> expected = laid_ranks(box, owner);
      expect_equal(trees.ranks_of(owner), expected);
      for (int rank = 0; rank < trees.size(); ++rank) trees.set_rank(owner, rank, again[rank]);
      expect_equal(again, expected);
      std::vector<int> postfix;
      append_sum(expected, box.ranks[owner], postfix);
      EXPECT_EQ(trees.order_of(owner).postfix, postfix);
    }
  }
}

// Each tree has exactly the hops of its ranks, and the trees together give the load of each hop.
TEST(RingBoxTrees, HaveTheHopsOfTheirRanks) {
  for (std::uint64_t seed = 1; seed <= kBoxes; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Box box = random_box(random);
    const RingBoxTrees trees = trees_of(box);
    using Key = std::tuple<int, int, int>;  // rank, port, VC
    std::map<Key, std::uint64_t> expected;
    std::vector<std::uint64_t> moved;
    for (int owner = 0; owner < trees.size(); ++owner) {
      moved.push_back(random.below(1000));
      std::map<Key, int> of_ranks;
      for (const TreeRank& rank : laid_ranks(box, owner)) {
        for (const auto* sends : {&rank.reduce_to, &rank.broadcast_to}) {
          for (const Send& send : *sends) {
            ++of_ranks[{rank.rank, send.port, send.vc}];
            expected[{rank.rank, send.port, send.vc}] += moved.back();
          }
        }
      }
      std::map<Key, int> found;
      trees.for_each_hop(owner, [&](const RingBoxTrees::Hop& hop) {
        ++found[{trees.rank_of(hop), hop.send.port, hop.send.vc}];
      });
      EXPECT_EQ(found, of_ranks);
      for (const RingBoxTrees::Hop& hop : trees.hops()) {
        EXPECT_EQ(trees.has_hop(owner, hop),
                  of_ranks.contains({trees.rank_of(hop), hop.send.port, hop.send.vc}));
      }
    }
    const std::vector<std::uint64_t> loads = trees.hop_loads(moved);
    for (std::size_t h = 0; h < loads.size(); ++h) {
      const RingBoxTrees::Hop& hop = trees.hops()[h];
      EXPECT_EQ(loads[h], (expected[{trees.rank_of(hop), hop.send.port, hop.send.vc}]));
    }
  }
}

// ---- trees that have sums or results alone

std::vector<std::tuple<int, int, int>> parts_of_rank(const TreeRank& rank) {
  std::vector<std::tuple<int, int, int>> parts{
      {rank.rank, rank.contributes, rank.receives},
      {rank.sums_acknowledged, rank.results_acknowledged, 0}};
  for (const int from : rank.reduce_from) parts.emplace_back(from, -1, -1);
  for (const auto* sends :
       {&rank.reduce_to, &rank.broadcast_to, &rank.acknowledge_sums, &rank.acknowledge_results}) {
    parts.emplace_back(-2, -2, static_cast<int>(sends->size()));
    for (const Send& send : *sends) parts.emplace_back(send.rank, send.port, send.vc);
  }
  return parts;
}

// The tree of an owner, laid hop by hop along the lines that laid_ranks() has.
Tree laid_tree(const Topology& topology, const Plan& plan, const Tree& like, const Box& box,
               Roles roles) {
  const RingBoxTree& of = *like.ranks.box_tree();
  int slice = -1;  // the NIC port of all of its hops
  of.box().for_each_hop(of.owner(), [&](const RingBoxTrees::Hop& hop) { slice = hop.send.port; });
  TreeBuilder builder(topology, plan, like.part, slice);
  const int owner = of.owner();
  std::vector<int> strides{1};
  for (const int side : box.sides) strides.push_back(strides.back() * side);
  const auto lines = [&](std::size_t d, const auto& step_of) {
    for (int first = owner % strides[d]; first < std::ssize(box.ranks); first += strides[d + 1]) {
      for (int step = 1; step < box.sides[d]; ++step) {
        const auto at = [&](int steps) {
          return box.ranks[first + (owner / strides[d] + steps) % box.sides[d] * strides[d]];
        };
        step_of(at, step);
      }
    }
  };
  for (std::size_t d = 0; d < box.sides.size() && reduces(roles); ++d)
    lines(d,
          [&](const auto& at, int step) { builder.reduce(at(step), at(step + 1), builder.vc()); });
  for (std::size_t d = box.sides.size(); d-- > 0 && broadcasts(roles);)
    lines(d,
          [&](const auto& at, int step) { builder.pass_on(at(step - 1), at(step), builder.vc()); });
  return builder.finish(roles, of.root(), {like.first_flit, like.flits, like.bytes});
}

// Ranks, acknowledgements and orders of additions of reduce-scatters and all-gathers, beside chains
// that are laid and acknowledged tree by tree.
TEST(RingBoxTrees, OfOneDirectionAreThoseLaidAndAcknowledged) {
  int trees = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Topology topology =
        load_config(random.below(2) == 0 ? "configs/fred_a.yaml" : "configs/fred_64.yaml").topology;
    std::vector<int> group;
    for (int npu = 0; npu < std::ssize(topology.npus); ++npu)
      if (random.below(3) > 0) group.push_back(npu);
    const Collective collective =
        random.below(2) == 0 ? Collective::kReduceScatter : Collective::kAllGather;
    const bool is_one_ring = random.below(2) == 0;
    if (!is_one_ring) {
      group.resize(topology.npus.size());
      std::iota(group.begin(), group.end(), 0);
    }
    const Plan plan = make_plan(topology, collective, group, 1 << (14 + random.below(8)),
                                is_one_ring ? "ring" : "hier_ring");
    const Roles roles =
        collective == Collective::kReduceScatter ? Roles::kToRoot : Roles::kFromRoot;
    for (const Tree& tree : plan.trees) {
      ASSERT_NE(tree.ranks.box_tree(), nullptr);
      const RingBoxTrees& of = tree.ranks.box_tree()->box();
      Box box{of.sides(), {}};
      for (int position = 0; position < of.size(); ++position)
        box.ranks.push_back(of.rank_at(position));
      Plan laid;
      laid.parts = plan.parts;
      laid.trees.push_back(laid_tree(topology, plan, tree, box, roles));
      add_acknowledgements(topology, laid);
      const Tree& expected = laid.trees.front();
      EXPECT_EQ(tree.is_acknowledged, expected.is_acknowledged);
      EXPECT_EQ(tree.ranks.receivers(), expected.ranks.receivers());
      EXPECT_EQ(tree.order.postfix(), expected.order.postfix());
      ASSERT_EQ(tree.ranks.size(), expected.ranks.size());
      for (std::size_t r = 0; r < tree.ranks.size(); ++r) {
        TreeRank found = tree.ranks[r], of_laid = expected.ranks[r];
        for (TreeRank* const rank : {&found, &of_laid}) {
          // Virtual channels of a tree of switches are chosen by the plan.
          for (auto* sends : {&rank->reduce_to, &rank->broadcast_to})
            for (Send& send : *sends) send.vc = 0;
        }
        ASSERT_EQ(parts_of_rank(found), parts_of_rank(of_laid)) << "rank " << r;
      }
      ++trees;
    }
  }
  EXPECT_GT(trees, 200);
}

// A write gives a tree its own copy of the ranks; other copies stay unchanged.
TEST(TreeRanks, CopiesShareRanksUntilOneIsWritten) {
  TreeRanks ranks(std::vector<TreeRank>(2));
  ranks[1].rank = 5;
  TreeRanks copy = ranks;
  const TreeRanks& as_read = copy;
  EXPECT_EQ(&std::as_const(ranks).all(), &as_read.all());
  copy[1].rank = 7;
  EXPECT_NE(&std::as_const(ranks).all(), &as_read.all());
  EXPECT_EQ(std::as_const(ranks)[1].rank, 5);
  EXPECT_EQ(as_read[1].rank, 7);
  const TreeRank* const own = &as_read[0];
  copy[0].rank = 1;
  EXPECT_EQ(own, &as_read[0]) << "its own stay where they are";
  TreeRanks none;
  EXPECT_TRUE(none.empty());
  none.all().emplace_back();
  EXPECT_EQ(none.size(), 1U);
}

TEST(TreeRanks, OfABoxAreTheirOwnOnceWritten) {
  const Box box{{4}, {0, 1, 2, 3}};
  const auto shared = std::make_shared<const RingBoxTrees>(trees_of(box));
  TreeRanks ranks(std::make_shared<const RingBoxTree>(shared, 2));
  const TreeRanks copy = ranks;
  ASSERT_EQ(ranks.size(), 4U);
  ranks[1].reduce_to.front().due = 7;
  EXPECT_EQ(ranks.box_tree(), nullptr);
  EXPECT_EQ(ranks[1].reduce_to.front().due, 7U);
  ASSERT_NE(copy.box_tree(), nullptr);
  EXPECT_EQ(copy[1].reduce_to.front().due, 0U);
  expect_equal(copy.all(), laid_ranks(box, 2));
}

}  // namespace
}  // namespace fredsim
