// SPDX-License-Identifier: Apache-2.0
// switch_reads: sums in the reduction engines of a switch, read and multicast by GPUs, as NCCL's
// NVLS does it on NVLink switches (multimem.ld_reduce and multimem.st).
//
// Each rank owns a shard. It reads the sum of its shard from the switch, which has the operands
//   from all ranks, the owner's own too, and writes it back to the switch, which sends a copy to
//   every other rank. So a rank sends S (1 + 1/N) bytes, its vector and the sum of its shard, and
//   as many packets of all shards are in flight as its window allows.
// The switch's engines are endpoints at ports of their own (NodeKind::kAdder), which a plan has as
//   relays (Part::relays): shard k is added at engine k and copied at the next one, so that with as
//   many engines as ranks none has more to carry than a rank. Reads are idealised: operands come
//   without a request. The links' efficiency includes the overhead of requests and
//   acknowledgements.
// The copy that the hardware sends back to the owner, S/N bytes towards each rank, is left out: the
//   owner has the sum.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"

namespace fredsim {
namespace {

constexpr int kMinAdders = 2;  // a tree adds at one and copies at another
// Found by measurement on 8 GPUs and 450 GB/s: 32 to 400 packets per shard do the same, 27, which
// cover the round trip of one alone, lose 7 %, since the shards of all meet at the ports.
constexpr int kWindow = 64;

// Tree of one owner. Ranks of adders follow the ranks of the group.
class ShardTree {
 public:
  ShardTree(const EndpointPart& part, int owner, int adds, int copies)
      : builder_(part.builder(0)),
        roles_(part.roles()),
        ranks_(part.part().ranks()),
        owner_(owner),
        adds_(adds),
        copies_(copies) {
    tree_.part = part.number();
    tree_.ranks.all().resize(part.members().size());
    for (int r = 0; r < std::ssize(part.members()); ++r) tree_.ranks[r].rank = r;
  }

  Tree finish(const FlitRange& range) {
    tree_.first_flit = range.first_flit;
    tree_.flits = range.flits;
    tree_.bytes = range.bytes;
    SumOrder order;
    if (reduces(roles_)) {
      for (int rank = 0; rank < ranks_; ++rank) {
        send_operand(rank);
        order.postfix.push_back(rank);
        if (rank > 0) order.postfix.push_back(SumOrder::kAdd);
      }
      pass_on(adds_, owner_);
    } else {
      tree_.ranks[owner_].contributes = true;
      order.postfix = {owner_};
    }
    tree_.ranks[owner_].receives = true;
    if (broadcasts(roles_)) copy_to_others();
    tree_.order = std::move(order);
    std::erase_if(tree_.ranks.all(), [](const TreeRank& rank) {
      return !rank.contributes && !rank.receives && rank.reduce_from.empty() &&
             rank.broadcast_to.empty();
    });
    return std::move(tree_);
  }

 private:
  void send_operand(int rank) {
    tree_.ranks[rank].contributes = true;
    tree_.ranks[rank].reduce_to.push_back(builder_.send(rank, adds_, builder_.vc()));
    tree_.ranks[adds_].reduce_from.push_back(rank);
  }
  void pass_on(int from, int to) {
    tree_.ranks[from].broadcast_to.push_back(builder_.send(from, to, builder_.vc()));
  }
  // Begins with the successor of the owner, so that every engine has a different first rank.
  void copy_to_others() {
    pass_on(owner_, copies_);
    for (int k = 1; k < ranks_; ++k) {
      const int rank = (owner_ + k) % ranks_;
      tree_.ranks[rank].receives = true;
      pass_on(copies_, rank);
    }
  }

  TreeBuilder builder_;
  Roles roles_;
  int ranks_, owner_, adds_, copies_;
  Tree tree_;
};

class SwitchReads final : public Algorithm {
 public:
  SwitchReads() : Algorithm("switch_reads") {}
  bool has(Collective collective) const override {
    return pattern_of(collective) == Pattern::kAllRanks;
  }
  bool exists_on(const Topology& topology) const override {
    return std::ssize(topology.adders) >= kMinAdders && endpoint_slices(topology) == 1;
  }
  std::string refusal(const Topology& topology, const Part& part) const override {
    if (exists_on(topology)) return {};
    return fmt::format(
        "switch_reads needs a switch with {} adders or more, nodes of the kind adder of a graph of "
        "one plane, {} has {} in {} plane{}; allowed: {}",
        kMinAdders, topology.name, topology.adders.size(), endpoint_slices(topology),
        endpoint_slices(topology) == 1 ? "" : "s", allowed_algorithms(part.collective));
  }
  int window(const Topology& /*topology*/, const Part& /*part*/) const override { return kWindow; }
  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    const Topology& topology = part.topology();
    const int ranks = part.ranks();
    const std::vector<FlitRange> blocks = part.blocks();
    const auto adders = static_cast<int>(topology.adders.size());
    Part& of_plan = part.part();
    of_plan.members.insert(of_plan.members.end(), topology.adders.begin(), topology.adders.end());
    of_plan.relays = adders;
    for (int owner = 0; owner < ranks; ++owner) {
      const FlitRange range =
          part.shares_vector() ? share_of(part.vector(), ranks, owner) : blocks[owner];
      part.add(ShardTree(part, owner, ranks + owner % adders, ranks + (owner + 1) % adders)
                   .finish(range));
    }
  }
  Layout layout() const override { return Layout::kStar; }
};

}  // namespace

const Algorithm& switch_reads_algorithm() {
  static const SwitchReads algorithm;
  return algorithm;
}

}  // namespace fredsim
