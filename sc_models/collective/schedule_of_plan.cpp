// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/error.h"
#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"
#include "collective/schedule_algorithm.h"

namespace fredsim {
namespace {

class PlanWriter {
 public:
  PlanWriter(const Topology& topology, const Plan& plan)
      : topology_(topology), plan_(plan), part_(plan.parts.front()) {}

  CollectiveSchedule write() {
    refuse_others();
    const Algorithm* algorithm = find_algorithm(part_.algorithm);
    schedule_.file = schedule_.name = part_.algorithm;
    schedule_.collective = part_.collective;
    schedule_.ranks = part_.ranks();
    schedule_.root = part_.root;
    schedule_.window = part_.window;
    schedule_.window_is_fixed = algorithm->paces_by_window();
    schedule_.packet_order = algorithm->has_packet_order(topology_, part_);
    if (part_.ranks() == 1) {
      schedule_.flows.push_back({});
      return std::move(schedule_);
    }
    blocks_ = part_.collective == Collective::kAllReduce || !has_blocks(part_.collective)
                  ? std::vector{whole_range(0, part_.bytes)}
                  : padded_blocks(block_sizes(part_.bytes, part_.ranks()));
    for (const Tree& tree : plan_.trees) add(tree);
    return std::move(schedule_);
  }

 private:
  void refuse_others() const {
    const auto refuse = [&](const char* what) {
      throw BadInput(fmt::format("--plan: {} has {}, which no schedule expresses; allowed: {}",
                                 part_.algorithm, what, allowed_algorithms(part_.collective)));
    };
    if (plan_.parts.size() != 1) refuse("several steps or groups");
    if (part_.relays != 0) refuse("relays outside of the group");
    if (part_.roots != 0) refuse("streams");
    if (!may_be_scheduled(part_.collective)) refuse("blocks of any size");
    if (is_in_switches(part_)) refuse("sums in the switches");
  }

  void add(const Tree& tree) {
    if (tree.to_sum > 0) {
      operands_.push_back(results_of(tree));
      return;
    }
    ScheduleFlow flow;
    if (tree.operands > 0) {
      flow.operands = std::move(operands_);
      operands_.clear();
    } else if (pattern_of(part_.collective) == Pattern::kPairs) {
      flow.results = path_of(tree);
      flow.source = tree.order.postfix().front();
    } else {
      flow.sums = sums_of(tree);
      flow.results = results_of(tree);
    }
    const auto block = std::ranges::find_if(blocks_, [&](const FlitRange& range) {
      return tree.first_flit >= range.first_flit &&
             tree.first_flit < range.first_flit + range.flits;
    });
    if (blocks_.size() > 1) flow.block = static_cast<int>(block - blocks_.begin());
    flow.begin = tree.first_flit - block->first_flit;
    flow.end = flow.begin + tree.flits;
    flow.of = block->flits;
    if (endpoint_slices(topology_) > 1) flow.slice = slice_;
    schedule_.flows.push_back(std::move(flow));
  }

  ScheduleHop hop(int from, const Send& to) {
    slice_ = to.port;
    return {from, to.rank, to.vc == part_.vc ? -1 : to.vc};
  }
  const TreeRank& rank_of(const Tree& tree, int rank) const {
    return *std::ranges::find(tree.ranks.all(), rank, &TreeRank::rank);
  }

  // Sums in the order in which receivers add.
  std::vector<ScheduleHop> sums_of(const Tree& tree) {
    std::vector<ScheduleHop> hops;
    for (const TreeRank& rank : tree.ranks.all())
      for (const int from : rank.reduce_from)
        hops.push_back(hop(from, rank_of(tree, from).reduce_to.front()));
    return hops;
  }
  std::vector<ScheduleHop> results_of(const Tree& tree) {
    std::vector<ScheduleHop> hops;
    for (const TreeRank& rank : tree.ranks.all())
      for (const Send& to : rank.broadcast_to) hops.push_back(hop(rank.rank, to));
    return hops;
  }
  std::vector<ScheduleHop> path_of(const Tree& tree) {
    std::vector<ScheduleHop> hops;
    for (const TreeRank* rank = &rank_of(tree, tree.order.postfix().front());
         !rank->reduce_to.empty(); rank = &rank_of(tree, rank->reduce_to.front().rank))
      hops.push_back(hop(rank->rank, rank->reduce_to.front()));
    return hops;
  }

  const Topology& topology_;
  const Plan& plan_;
  const Part& part_;
  CollectiveSchedule schedule_{};
  std::vector<FlitRange> blocks_{};
  std::vector<std::vector<ScheduleHop>> operands_{};  // operands of the next sum
  int slice_ = 0;                                     // NIC port of the last hop
};

}  // namespace

CollectiveSchedule schedule_of(const Topology& topology, const Plan& plan) {
  return PlanWriter(topology, plan).write();
}

}  // namespace fredsim
