// SPDX-License-Identifier: Apache-2.0
#include "plan_evaluator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "fabrics.h"
#include "plan/operand.h"
#include "support/fred_interpreter.h"

namespace fredsim::test {
namespace {

// Data that a rank receives, by the ranks whose operands are in it: ranges of flits, and their
// bytes.
struct Received {
  std::map<std::uint64_t, std::uint64_t> ranges;  // first flit -> flits
  std::uint64_t bytes = 0;
  friend bool operator==(const Received&, const Received&) = default;
};
using Receipts = std::map<std::pair<int, std::vector<int>>, Received>;  // (rank, operands of)

std::vector<int> leaves_of(const SumOrder& order) {
  std::vector<int> leaves;
  for (const int n : order.postfix)
    if (n != SumOrder::kAdd) leaves.push_back(n);
  std::ranges::sort(leaves);
  EXPECT_EQ(std::ranges::adjacent_find(leaves), leaves.end()) << "an operand is added twice";
  EXPECT_EQ(order.postfix.size() + 1, 2 * leaves.size());
  return leaves;
}

// Adds flits; without overlap, neighbours become one range.
void add(Received& received, std::uint64_t first, std::uint64_t flits, std::uint64_t bytes) {
  received.bytes += bytes;
  auto next = received.ranges.lower_bound(first);
  EXPECT_TRUE(next == received.ranges.end() || next->first >= first + flits) << "received twice";
  if (next != received.ranges.begin()) {
    const auto before = std::prev(next);
    EXPECT_LE(before->first + before->second, first) << "received twice";
    if (before->first + before->second == first) {
      first = before->first;
      flits += before->second;
      received.ranges.erase(before);
    }
  }
  if (next != received.ranges.end() && next->first == first + flits) {
    flits += next->second;
    received.ranges.erase(next);
  }
  received.ranges[first] = flits;
}

// Blocks as the contract says (plan/plan.h), counted here byte by byte.
class Wanted {
 public:
  Wanted(const Part& part, const CollectiveSpec& spec)
      : part_(part), spec_(spec), ranks_(part.ranks()) {}

  Receipts receipts() {
    for (int r = 0; r < ranks_; ++r) all_.push_back(r);
    if (ranks_ == 1) {  // its content is checked
      take(0, {0}, 0, part_.bytes);
      return std::move(wanted_);
    }
    if (part_.roots > 0) {
      for (int k = 0; k < part_.roots; ++k) stream(k);
      return std::move(wanted_);
    }
    for (int r = 0; r < ranks_; ++r) {
      const bool is_root = r == part_.root;
      switch (part_.collective) {
        case Collective::kAllReduce:
          take(r, all_, 0, part_.bytes);
          break;
        case Collective::kReduceScatter:
          take(r, all_, block_begin(r), block_bytes(r));
          break;
        case Collective::kAllGather:
          for (int k = 0; k < ranks_; ++k)
            if (k != r) take(r, {k}, block_begin(k), block_bytes(k));
          break;
        case Collective::kReduce:
          if (is_root) take(r, all_, 0, part_.bytes);
          break;
        case Collective::kBroadcast:
        case Collective::kMulticast:
          if (!is_root) take(r, {part_.root}, 0, part_.bytes);
          break;
        case Collective::kGather:
          if (!is_root) take(part_.root, {r}, block_begin(r), block_bytes(r));
          break;
        case Collective::kScatter:
          if (!is_root) take(r, {part_.root}, block_begin(r), block_bytes(r));
          break;
        case Collective::kAllToAll:
          for (int k = 0; k < ranks_; ++k)
            if (k != r) take(r, {k}, block_begin(r), block_bytes(r));
          break;
        case Collective::kAllToAllV:
          for (int k = 0; k < ranks_; ++k) {
            std::uint64_t first = 0;
            for (int j = 0; j < r; ++j) first += flits_of(spec_.matrix[k * ranks_ + j]);
            if (k != r) take(r, {k}, first, spec_.matrix[k * ranks_ + r]);
          }
          break;
        case Collective::kUnicast:
          if (r == 1) take(1, {0}, 0, part_.bytes);
          break;
      }
    }
    return std::move(wanted_);
  }

 private:
  static std::uint64_t flits_of(std::uint64_t bytes) {
    return (bytes + kFlitBytes - 1) / kFlitBytes;
  }
  // Block k, between root k and all that are no roots.
  void stream(int k) {
    std::vector<int> others;
    for (int r = part_.roots; r < ranks_; ++r) others.push_back(r);
    if (part_.collective == Collective::kReduce) {
      take(k, others, block_begin(k), block_bytes(k));
    } else {
      for (const int r : others) take(r, {k}, block_begin(k), block_bytes(k));
    }
  }

  std::uint64_t block_bytes(int k) const {
    const auto n = static_cast<std::uint64_t>(part_.roots > 0 ? part_.roots : ranks_);
    return part_.bytes / n + (static_cast<std::uint64_t>(k) < part_.bytes % n ? 1 : 0);
  }
  std::uint64_t block_begin(int k) const {
    std::uint64_t first = 0;
    for (int j = 0; j < k; ++j) first += flits_of(block_bytes(j));
    return first;
  }
  void take(int rank, std::vector<int> from, std::uint64_t first, std::uint64_t bytes) {
    if (bytes > 0) add(wanted_[{rank, std::move(from)}], first, flits_of(bytes), bytes);
  }

  const Part& part_;
  const CollectiveSpec& spec_;
  int ranks_;
  std::vector<int> all_;
  Receipts wanted_;
};

// Data that its holder keeps is checked on the way past the engine; it is no transfer.
bool keeps_its_own(const Part& part, const Tree& tree, int rank) {
  return part.ranks() > 1 && tree.order.postfix() == std::vector<int>{rank};
}

const TreeRank* find(const Tree& tree, int rank) {
  const auto found = std::ranges::find(tree.ranks, rank, &TreeRank::rank);
  return found == tree.ranks.end() ? nullptr : &*found;
}

// Delivers partial sums as soon as all that a rank waits for is there, then the result.
void play_endpoint_tree(const Tree& tree, std::size_t n) {
  std::vector<std::map<int, Expression>> inbox(n);
  std::vector<bool> done(n);
  int root = -1;
  for (bool moved = true; moved;) {
    moved = false;
    for (const TreeRank& rank : tree.ranks) {
      const int r = rank.rank;
      if (done[r] || inbox[r].size() < rank.reduce_from.size()) continue;
      Expression sum;
      if (rank.contributes) sum.push_back(r);
      for (const int from : rank.reduce_from) {
        ASSERT_TRUE(inbox[r].contains(from)) << from << " never sends to " << r;
        const bool empty = sum.empty();
        sum.insert(sum.end(), inbox[r][from].begin(), inbox[r][from].end());
        if (!empty) sum.push_back(SumOrder::kAdd);
      }
      done[r] = true;
      if (sum.empty()) continue;
      moved = true;
      ASSERT_LE(rank.reduce_to.size(), 1U);
      if (rank.reduce_to.empty()) {
        ASSERT_EQ(root, -1) << "two roots";
        root = r;
        EXPECT_EQ(sum, tree.order.postfix());
      } else {
        const int to = rank.reduce_to[0].rank;
        ASSERT_TRUE(inbox[to].emplace(r, std::move(sum)).second);
        ASSERT_NE(find(tree, to), nullptr);
        ASSERT_EQ(std::ranges::count(find(tree, to)->reduce_from, r), 1);
      }
    }
  }
  ASSERT_GE(root, 0);

  std::vector<int> got(n);
  std::vector<int> passing{root};
  got[root] = 1;
  while (!passing.empty()) {
    const int r = passing.back();
    passing.pop_back();
    ASSERT_NE(find(tree, r), nullptr);
    for (const Send& send : find(tree, r)->broadcast_to) {
      ASSERT_EQ(++got[send.rank], 1) << "rank " << send.rank << " gets the result twice";
      passing.push_back(send.rank);
    }
  }
  for (const TreeRank& rank : tree.ranks) {
    EXPECT_LE(rank.receives ? 1 : 0, got[rank.rank]) << "rank " << rank.rank;
    EXPECT_TRUE(done[rank.rank]) << "rank " << rank.rank << " waits for ever";
  }
}

// Every rank's sum contains the operand of each rank once: operands arrive through the trees before
// it.
void expect_sum_of_operands(const Plan& plan, const Tree& sum) {
  const auto place = &sum - plan.trees.data();
  const std::size_t ranks = plan.parts[sum.part].members.size();
  ASSERT_EQ(sum.operands, std::ssize(plan.parts[sum.part].members));
  ASSERT_GE(place, sum.operands);
  Expression in_order;
  for (int k = 0; k < sum.operands; ++k) {
    SCOPED_TRACE(fmt::format("operand {}", k));
    const Tree& tree = plan.trees[place - sum.operands + k];
    EXPECT_EQ(tree.to_sum, sum.operands - k);
    EXPECT_EQ(std::tuple(tree.part, tree.first_flit, tree.flits, tree.bytes),
              std::tuple(sum.part, sum.first_flit, sum.flits, sum.bytes));
    ASSERT_EQ(tree.order.postfix().size(), 1U);
    EXPECT_EQ(std::ranges::count_if(tree.ranks, &TreeRank::receives), ranks);
    in_order.push_back(tree.order.postfix().front());
    if (k > 0) in_order.push_back(SumOrder::kAdd);
  }
  EXPECT_EQ(sum.order.postfix(), in_order);
  for (const TreeRank& rank : sum.ranks)
    EXPECT_TRUE(!rank.contributes && rank.reduce_from.empty() && rank.reduce_to.empty() &&
                rank.broadcast_to.empty());
}

// Balanced tree over ports `first` … `first` + `size` - 1, a power of two, restricted to the ports
// in the mask.
Expression balanced(std::uint32_t inputs, int first, int size) {
  if (size == 1) return (inputs >> first & 1U) != 0 ? Expression{first} : Expression{};
  Expression sum = balanced(inputs, first, size / 2);
  const Expression right = balanced(inputs, first + size / 2, size / 2);
  const bool both = !sum.empty() && !right.empty();
  sum.insert(sum.end(), right.begin(), right.end());
  if (both) sum.push_back(SumOrder::kAdd);
  return sum;
}

// Flits that leave by each port if every output has a tree of adders over the inputs of its flow
// (adder trees, a row is the flows of the ports alone). `field`: of a row, the flow of port p, or
// of output port p - ports.
template <typename Field>
std::vector<Expression> add_by_flows(int ports, const Field& field) {
  std::vector<Expression> out;
  for (int o = 0; o < ports; ++o) {
    std::uint32_t inputs = 0;
    for (int p = 0; p < ports; ++p)
      if (field(p) != 0 && field(p) == field(ports + o)) inputs |= 1U << p;
    EXPECT_EQ(field(ports + o) != 0, inputs != 0) << "an output of a flow without inputs";
    out.push_back(balanced(inputs, 0, 32));
  }
  return out;
}

// Reads the rows bit by bit and evaluates the output of every port from each chiplet's µSwitches or
// adder trees.
class SwitchPlayer {
 public:
  SwitchPlayer(const Topology& topology, const Plan& plan) : topology_(topology), plan_(plan) {
    for (const PhaseProgram& program : plan.programs) {
      const auto bit = [&](int b) { return (program.row[b / 32] >> (b % 32) & 1U) != 0; };
      EXPECT_TRUE(bit(0));
      vc_[{program.node, program.phase}] = bit(1) + 2 * bit(2);
      if (topology.has_places()) {
        const int ports = topology.nodes[program.node].ports;
        const int width = std::bit_width(static_cast<unsigned>(ports));
        EXPECT_LT(program.phase, 384 / ((3 + 2 * ports * width + 31) / 32));
        const auto field = [&](int p) {
          int code = 0;
          for (int b = 0; b < width; ++b) code |= bit(3 + p * width + b) << b;
          return code;
        };
        EXPECT_TRUE(
            out_.emplace(std::pair{program.node, program.phase}, add_by_flows(ports, field)).second)
            << "programmed twice: " << topology.nodes[program.node].name;
        continue;
      }
      const FredSwitchShape shape = fred_shape(topology, program.node);
      EXPECT_LT(program.phase, num_phases(shape));
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
    tree_ = &tree;
    std::map<int, int> passed_on;  // results, by rank
    for (const TreeRank& rank : tree.ranks) {
      for (const Send& send : rank.broadcast_to) ++passed_on[send.rank];
      for (const Send& send : rank.reduce_to)
        EXPECT_EQ(std::ranges::count(find(tree, send.rank)->reduce_from, rank.rank), 1);
    }
    for (const TreeRank& rank : tree.ranks) {
      // A detached rank is one that the slice does not join.
      const bool is_detached = rank.switch_port < 0;
      ASSERT_EQ(rank.reduce_to.size(), is_detached ? 1U : 0U) << "rank " << rank.rank;
      EXPECT_EQ(passed_on[rank.rank], is_detached ? 1 : 0) << "rank " << rank.rank;
      if (is_detached) {
        EXPECT_TRUE(is_led_to_a_switch(tree, rank)) << "rank " << rank.rank;
        continue;
      }
      const int link =
          topology_.link_in(plan_.parts[tree.part].members[rank.rank], rank.switch_port);
      ASSERT_GE(link, 0);
      if (rank.receives) {
        EXPECT_EQ(arriving(link, tree.part, rank.phase, 0), tree.order.postfix())
            << "rank " << rank.rank;
        continue;
      }
      const auto program = out_.find({topology_.links[link].from, rank.phase});
      if (program != out_.end() && !receives_another(tree, link, rank.phase)) {
        EXPECT_TRUE(program->second[topology_.links[link].from_port].empty())
            << "rank " << rank.rank << " gets what it must not get";
      }
    }
  }

 private:
  // Sums and results of a detached rank go by the same ranks.
  static bool is_led_to_a_switch(const Tree& tree, const TreeRank& rank) {
    const TreeRank* at = &rank;
    for (std::size_t hops = 0; at->switch_port < 0; ++hops) {
      if (hops > tree.ranks.size()) return false;
      const TreeRank* const above = find(tree, at->reduce_to.front().rank);
      if (std::ranges::count(above->broadcast_to, at->rank, &Send::rank) != 1) return false;
      at = above;
    }
    return true;
  }
  // Operand that a rank sends: its own plus the operands that it adds.
  Expression operand(int rank) const {
    Expression sum{rank};
    for (const int from : find(*tree_, rank)->reduce_from) {
      const Expression other = operand(from);
      sum.insert(sum.end(), other.begin(), other.end());
      sum.push_back(SumOrder::kAdd);
    }
    return sum;
  }

  // True if the NPU gets the result of another part by this link and phase.
  bool receives_another(const Tree& tree, int link, int phase) const {
    const NodeId npu = topology_.links[link].to;
    return std::ranges::any_of(plan_.trees, [&](const Tree& other) {
      return other.part != tree.part && std::ranges::any_of(other.ranks, [&](const TreeRank& rank) {
               return rank.receives && rank.phase == phase &&
                      rank.switch_port == topology_.links[link].to_port &&
                      plan_.parts[other.part].members[rank.rank] == npu;
             });
    });
  }

  Expression arriving(int link_id, int part, int phase, int depth) {
    const Link& link = topology_.links[link_id];
    if (topology_.nodes[link.from].is_endpoint()) {
      const std::vector<NodeId>& members = plan_.parts[part].members;
      const auto it = std::ranges::find(members, link.from);
      EXPECT_NE(it, members.end()) << "an operand of another part";
      return operand(static_cast<int>(it - members.begin()));
    }
    const auto program = out_.find({link.from, phase});
    if (program == out_.end() || depth > std::ssize(topology_.nodes)) {
      ADD_FAILURE() << topology_.nodes[link.from].name << " not programmed, or a loop";
      return {};
    }
    EXPECT_EQ((vc_.at({link.from, phase})), plan_.parts[part].vc);
    Expression result;
    for (const int n : program->second[link.from_port]) {
      if (n == SumOrder::kAdd) {
        result.push_back(n);
        continue;
      }
      const Expression leaf = arriving(topology_.link_in(link.from, n), part, phase, depth + 1);
      result.insert(result.end(), leaf.begin(), leaf.end());
    }
    return result;
  }

  const Topology& topology_;
  const Plan& plan_;
  std::map<std::pair<NodeId, int>, std::vector<Expression>> out_;
  std::map<std::pair<NodeId, int>, int> vc_;
  const Tree* tree_ = nullptr;
};

}  // namespace

void expect_plan(const Topology& topology, std::span<const CollectiveSpec> work, const Plan& plan) {
  ASSERT_EQ(plan.parts.size(), work.size());
  SwitchPlayer switches(topology, plan);
  std::vector<Receipts> receipts(plan.parts.size());
  for (const Tree& tree : plan.trees) {
    const Part& part = plan.parts[tree.part];
    SCOPED_TRACE(fmt::format("part {} tree from flit {}", tree.part, tree.first_flit));
    EXPECT_GT(part.window, 0);
    EXPECT_GT(tree.bytes + kFlitBytes, tree.flits * kFlitBytes);
    EXPECT_LE(tree.bytes, tree.flits * kFlitBytes);
    EXPECT_GT(tree.bytes, 0U);
    EXPECT_TRUE(std::ranges::is_sorted(tree.ranks, {}, &TreeRank::rank));
    const std::vector<int> leaves = leaves_of(tree.order.sum());
    std::vector<int> contributors;
    for (const TreeRank& rank : tree.ranks) {
      EXPECT_FALSE(rank.rank >= part.ranks() && (rank.contributes || rank.receives))
          << "helper " << rank.rank;
      if (rank.contributes) contributors.push_back(rank.rank);
      if (rank.receives && tree.to_sum == 0 && !keeps_its_own(part, tree, rank.rank))
        add(receipts[tree.part][{rank.rank, leaves}], tree.first_flit, tree.flits, tree.bytes);
    }
    if (tree.operands > 0) {
      expect_sum_of_operands(plan, tree);
      continue;
    }
    EXPECT_EQ(contributors, leaves);
    if (tree.transport == Transport::kEndpoint)
      play_endpoint_tree(tree, part.members.size());
    else
      switches.play(tree);
  }
  for (std::size_t p = 0; p < work.size(); ++p) {
    SCOPED_TRACE(fmt::format("part {}: {}", p, to_string(plan.parts[p].collective)));
    EXPECT_EQ(plan.parts[p].bytes, work[p].bytes);
    EXPECT_TRUE(receipts[p] == Wanted(plan.parts[p], work[p]).receipts());
  }
}

void expect_all_reduce(const Topology& topology, const Plan& plan) {
  CollectiveSpec spec;
  spec.bytes = plan.parts[0].bytes;
  expect_plan(topology, {&spec, 1}, plan);
}

std::vector<std::uint64_t> flits_sent(const Plan& plan) {
  std::vector<std::uint64_t> sent(plan.parts[0].members.size());
  for (const Tree& tree : plan.trees) {
    for (const TreeRank& rank : tree.ranks) {
      const std::size_t copies = (rank.switch_port >= 0 && rank.contributes ? 1 : 0) +
                                 rank.reduce_to.size() + rank.broadcast_to.size();
      sent[rank.rank] += copies * tree.flits;
    }
  }
  return sent;
}

}  // namespace fredsim::test
