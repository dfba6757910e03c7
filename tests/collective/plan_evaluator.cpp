#include "plan_evaluator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>

#include "routing/fred_interpreter.h"

namespace fredsim::test {
namespace {

void expect_partition(const Plan& plan) {
  std::uint64_t next = 0;
  for (const Tree& tree : plan.trees) {
    EXPECT_EQ(tree.first_flit, next);
    EXPECT_GT(tree.flits, 0U);
    next += tree.flits;
  }
  EXPECT_EQ(next, plan.flits);
}

void expect_every_rank_once(const SumOrder& order, std::size_t ranks) {
  std::vector<int> leaves;
  for (const int n : order.postfix)
    if (n != SumOrder::kAdd) leaves.push_back(n);
  std::ranges::sort(leaves);
  ASSERT_EQ(leaves.size(), ranks);
  for (std::size_t r = 0; r < ranks; ++r) EXPECT_EQ(leaves[r], static_cast<int>(r));
  EXPECT_EQ(order.postfix.size(), 2 * ranks - 1);
}

// Delivers partial sums as soon as all that a rank waits for is there, then the result.
void play_endpoint_tree(const Tree& tree) {
  const std::size_t n = tree.ranks.size();
  std::vector<std::map<int, Expression>> inbox(n);
  std::vector<bool> done(n);
  int root = -1;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < n; ++r) {
      const TreeRank& rank = tree.ranks[r];
      if (done[r] || inbox[r].size() < rank.reduce_from.size()) continue;
      Expression sum;
      if (rank.contributes) sum.push_back(static_cast<int>(r));
      for (const int from : rank.reduce_from) {
        ASSERT_TRUE(inbox[r].contains(from)) << from << " never sends to " << r;
        const bool empty = sum.empty();
        sum.insert(sum.end(), inbox[r][from].begin(), inbox[r][from].end());
        if (!empty) sum.push_back(SumOrder::kAdd);
      }
      done[r] = true;
      moved = true;
      ASSERT_LE(rank.reduce_to.size(), 1U);
      if (rank.reduce_to.empty()) {
        ASSERT_EQ(root, -1) << "two roots";
        root = static_cast<int>(r);
        EXPECT_EQ(sum, tree.order.postfix);
      } else {
        const auto [at, first] =
            inbox[rank.reduce_to[0].rank].emplace(static_cast<int>(r), std::move(sum));
        ASSERT_TRUE(first);
        const auto& expected_from = tree.ranks[rank.reduce_to[0].rank].reduce_from;
        ASSERT_EQ(std::ranges::count(expected_from, static_cast<int>(r)), 1);
      }
    }
  }
  EXPECT_EQ(std::ranges::count(done, false), 0) << "ranks wait for each other";
  ASSERT_GE(root, 0);

  std::vector<int> got(n);
  std::vector<int> passing{root};
  got[root] = 1;
  while (!passing.empty()) {
    const int r = passing.back();
    passing.pop_back();
    for (const Send& send : tree.ranks[r].broadcast_to) {
      ASSERT_EQ(++got[send.rank], 1) << "rank " << send.rank << " gets the result twice";
      passing.push_back(send.rank);
    }
  }
  for (std::size_t r = 0; r < n; ++r) EXPECT_EQ(got[r], tree.ranks[r].receives ? 1 : 0);
}

// Reads the rows bit by bit and lets every chiplet's µSwitches say what leaves by each port.
class SwitchPlayer {
 public:
  SwitchPlayer(const Topology& topology, const Plan& plan) : topology_(topology), plan_(plan) {
    for (const PhaseProgram& program : plan.programs) {
      const FredSwitchShape& shape = topology.nodes[program.node].fred;
      const auto bit = [&](int b) { return (program.row[b / 32] >> (b % 32) & 1U) != 0; };
      EXPECT_TRUE(bit(0));
      EXPECT_EQ(bit(1) + 2 * bit(2), plan.vc);
      const int width = std::bit_width(static_cast<unsigned>(shape.ports));
      std::uint32_t driven = 0;
      for (int p = 0; p < shape.ports; ++p)
        for (int b = 0; b < width; ++b)
          if (bit(3 + p * width + b)) driven |= 1U << p;
      std::vector<bool> config;
      config.reserve(static_cast<std::size_t>(fred_config_bits(shape)));
      for (int b = 0; b < fred_config_bits(shape); ++b)
        config.push_back(bit(3 + 2 * shape.ports * width + b));
      const bool first =
          out_.emplace(std::pair{program.node, program.phase}, interpret(shape, config, driven))
              .second;
      EXPECT_TRUE(first) << "programmed twice: " << topology.nodes[program.node].name;
    }
  }

  void play(const Tree& tree) {
    for (std::size_t r = 0; r < tree.ranks.size(); ++r) {
      const TreeRank& rank = tree.ranks[r];
      ASSERT_TRUE(rank.contributes && rank.receives);
      ASSERT_TRUE(rank.reduce_from.empty() && rank.reduce_to.empty() && rank.broadcast_to.empty());
      const int link = topology_.link_in(plan_.members[r], rank.switch_port);
      ASSERT_GE(link, 0);
      EXPECT_EQ(arriving(link, rank.phase, 0), tree.order.postfix) << "rank " << r;
    }
  }

 private:
  Expression arriving(int link_id, int phase, int depth) {
    const Link& link = topology_.links[link_id];
    if (topology_.nodes[link.from].kind == NodeKind::kNpu) {
      const auto it = std::ranges::find(plan_.members, link.from);
      return {static_cast<int>(it - plan_.members.begin())};
    }
    const auto program = out_.find({link.from, phase});
    if (program == out_.end() || depth > 8) {
      ADD_FAILURE() << topology_.nodes[link.from].name << " not programmed, or a loop";
      return {};
    }
    Expression result;
    for (const int n : program->second[link.from_port]) {
      if (n == SumOrder::kAdd) {
        result.push_back(n);
        continue;
      }
      const Expression leaf = arriving(topology_.link_in(link.from, n), phase, depth + 1);
      result.insert(result.end(), leaf.begin(), leaf.end());
    }
    return result;
  }

  const Topology& topology_;
  const Plan& plan_;
  std::map<std::pair<NodeId, int>, std::vector<Expression>> out_;
};

}  // namespace

void expect_all_reduce(const Topology& topology, const Plan& plan) {
  expect_partition(plan);
  EXPECT_GT(plan.window, 0);
  SwitchPlayer switches(topology, plan);
  for (const Tree& tree : plan.trees) {
    SCOPED_TRACE(fmt::format("tree from flit {}", tree.first_flit));
    ASSERT_EQ(tree.ranks.size(), plan.members.size());
    expect_every_rank_once(tree.order, tree.ranks.size());
    for (const TreeRank& rank : tree.ranks) EXPECT_TRUE(rank.contributes && rank.receives);
    if (tree.transport == Transport::kEndpoint)
      play_endpoint_tree(tree);
    else
      switches.play(tree);
  }
}

std::vector<std::uint64_t> flits_sent(const Plan& plan) {
  std::vector<std::uint64_t> sent(plan.members.size());
  for (const Tree& tree : plan.trees) {
    for (std::size_t r = 0; r < tree.ranks.size(); ++r) {
      const TreeRank& rank = tree.ranks[r];
      const std::size_t copies = tree.transport == Transport::kInSwitch
                                     ? (rank.contributes ? 1 : 0)
                                     : rank.reduce_to.size() + rank.broadcast_to.size();
      sent[r] += copies * tree.flits;
    }
  }
  return sent;
}

}  // namespace fredsim::test
