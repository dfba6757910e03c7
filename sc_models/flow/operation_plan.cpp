// SPDX-License-Identifier: Apache-2.0
#include "flow/operation_plan.h"

#include <algorithm>
#include <map>

namespace fredsim {
namespace {

FairRates::FlowClass kept(FlowSimulation& simulation, FairRates::Demand demand) {
  return demand.uses.empty() ? OperationPlan::kNoLinks : simulation.keep(std::move(demand));
}

}  // namespace

OperationPlan::OperationPlan(const Topology& topology, std::shared_ptr<const PreparedPlan> of,
                             FlowSimulation& simulation, PhaseTurns& turns, const QueueOf& queue_of,
                             const FlowLifts& lifts)
    : plan(std::move(of)), bytes(result_bytes(*plan)) {
  for (const Part& part : plan->plan.parts) ranks.emplace_back(part.members.size());
  if (plan->system != nullptr) {
    find_steps(topology);
    return;
  }
  flows = flows_of(topology, plan->plan, false, lifts);
  stays = turns.add(plan->plan, flows);
  find_trees(queue_of);
  bundle_trees(simulation);
}

void OperationPlan::find_steps(const Topology& topology) {
  system_ranks = ranks_by_steps(topology, *plan->system);
  ranks_in_step.resize(plan->system->steps.size());
  for (auto& part : ranks) {
    system_ranks_of.emplace_back(part.size());
    for (OfRank& rank : part) rank.trees = 1;
  }
  for (int i = 0; i < std::ssize(system_ranks); ++i) {
    const SystemRanks& alike = system_ranks[i];
    for (const int step : alike.steps) ranks_in_step[step].push_back(i);
    for (const int rank : alike.ranks) system_ranks_of[alike.collective][rank] = i;
  }
}

void OperationPlan::find_trees(const QueueOf& queue_of) {
  std::map<int, int> by_queue;
  std::vector<TreeRank> passing;
  for (int t = 0; t < std::ssize(plan->plan.trees); ++t) {
    const Tree& tree = plan->plan.trees[t];
    const Part& part = plan->plan.parts[tree.part];
    OfTree& of = trees.emplace_back();
    if (tree.operands > 0) continue;  // complete with the trees before it
    for (const TreeRank& rank : tree.ranks.passing(passing)) {
      of.members.push_back({rank.rank, rank.receives});
      OfRank& of_rank = ranks[tree.part][rank.rank];
      ++of_rank.trees;
      if (!rank.contributes) continue;
      of_rank.waits_for.push_back(t);
      ++of.contributors;
      if (tree.transport == Transport::kInSwitch && rank.switch_port >= 0)
        of.queues.push_back(queue_of(part.members[rank.rank], rank.switch_port, part.vc));
    }
    std::ranges::sort(of.queues);
    of.queues.erase(std::unique(of.queues.begin(), of.queues.end()), of.queues.end());
    for (const int queue : of.queues) ++by_queue[queue];
  }
  in_queue.assign(by_queue.begin(), by_queue.end());
}

void OperationPlan::bundle_trees(FlowSimulation& simulation) {
  std::map<std::pair<int, std::vector<int>>, int> numbers;  // by part and links
  for (int t = 0; t < std::ssize(trees); ++t) {
    OfTree& tree = trees[t];
    const TreeFlow& flow = flows[t];
    tree.flows = kept(simulation, flow.demand);
    tree.bundle = static_cast<int>(bundles.size());
    if (plan->plan.trees[t].transport == Transport::kEndpoint) {
      std::vector<int> links;
      for (const LinkUse& use : flow.demand.uses) links.push_back(use.link);
      tree.bundle = numbers.try_emplace({flow.part, std::move(links)}, tree.bundle).first->second;
    }
    bundles.resize(std::max<std::size_t>(bundles.size(), tree.bundle + 1));
    bundles[tree.bundle].trees.push_back(t);
  }
  for (Bundle& bundle : bundles) {
    const TreeFlow& first = flows[bundle.trees.front()];
    std::map<int, Bundle::Member> members;
    FairRates::Demand demand{.priority = first.demand.priority, .share = 0};
    demand.uses = first.demand.uses;
    for (LinkUse& use : demand.uses) use.crossings = 0;
    for (const int t : bundle.trees) {
      const TreeFlow& flow = flows[t];
      demand.share += flow.demand.share;
      demand.limit = std::min(demand.limit, flow.demand.limit / flow.demand.share);
      bundle.flits += flow.flits;
      for (std::size_t u = 0; u < demand.uses.size(); ++u)
        demand.uses[u].crossings += flow.demand.uses[u].crossings * flow.flits;
      for (const Member& of_tree : trees[t].members) {
        Bundle::Member& member = members[of_tree.rank];
        member.rank = of_tree.rank;
        ++member.trees;
        if (!of_tree.receives) continue;
        member.longest.fill = std::max(member.longest.fill, flow.fill);
        member.longest.overlaps = flow.overlaps;
        member.receives = true;
      }
    }
    demand.limit *= demand.share;
    for (LinkUse& use : demand.uses) use.crossings /= bundle.flits;
    for (const auto& [rank, member] : members) bundle.members.push_back(member);
    if (bundle.trees.size() > 1) bundle.flows = kept(simulation, std::move(demand));
  }
}

void OperationPlan::set_offset(std::vector<std::vector<RankOffset>> of_ranks) {
  offset = std::move(of_ranks);
  for (std::size_t t = 0; t < trees.size() && !offset.empty(); ++t) {
    double handed = 0;
    for (const Member& member : trees[t].members)
      if (!member.receives) handed = std::max(handed, offset[flows[t].part][member.rank].handed);
    trees[t].handed = handed > 0 ? handed : 1;
  }
}

}  // namespace fredsim
