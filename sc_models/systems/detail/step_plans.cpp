// SPDX-License-Identifier: Apache-2.0
#include "systems/detail/step_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/error.h"
#include "collective/in_switch_time.h"
#include "collective/planner.h"
#include "plan/hop_paths.h"
#include "plan/link_walk.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

// Latencies of links on the longest path of a tree, from the leaves to the root and back; whole
// cycles.
class LongestPath {
 public:
  LongestPath(const Plan& plan, HopPaths& hops) : plan_(plan), hops_(hops) {}

  double of(const Tree& tree) {
    if (const RingBoxTree* const of_box = tree.ranks.box_tree();
        of_box != nullptr && of_box->box().is_ring())
      return along_ring(*of_box, tree.part);
    const std::vector<TreeRank>& ranks = tree.ranks.passing(made_);
    place_.assign(plan_.parts[tree.part].members.size(), -1);
    sums_.assign(place_.size(), -1);
    for (int k = 0; k < std::ssize(ranks); ++k) place_[ranks[k].rank] = k;
    const auto sum = [&](const auto& self, int rank) -> double {
      double& path = sums_[rank];
      if (path >= 0) return path;
      path = 0;
      const std::vector<Send>& sends = ranks[place_[rank]].reduce_to;
      if (!sends.empty())
        path = wire(tree.part, rank, sends.front()) + self(self, sends.front().rank);
      return path;
    };
    double sums = 0;
    for (const TreeRank& leaf : ranks) sums = std::max(sums, sum(sum, leaf.rank));
    const auto results = [&](const auto& self, int rank) -> double {
      double longest = 0;
      if (place_[rank] < 0) return longest;
      for (const Send& send : ranks[place_[rank]].broadcast_to)
        longest = std::max(longest, wire(tree.part, rank, send) + self(self, send.rank));
      return longest;
    };
    return sums + results(results, tree.order.root());
  }

 private:
  double wire(int part, int from, const Send& send) {
    const std::vector<NodeId>& members = plan_.parts[part].members;
    return hops_.hop(members[from], members[send.rank], send.port).wire;
  }

  // Latency of all hops, except the hop of sums from the owner and the hop of results to it.
  double along_ring(const RingBoxTree& tree, int part) {
    const RingBoxTrees& box = tree.box();
    const auto wire_of = [&](const RingBoxTrees::Hop& hop) {
      return wire(part, box.rank_of(hop), hop.send);
    };
    const auto [all, is_new] = rings_.try_emplace({&box, part}, 0);
    if (is_new)
      for (const RingBoxTrees::Hop& hop : box.hops()) all->second += wire_of(hop);
    double longest = all->second;
    const int before = (tree.owner() + box.size() - 1) % box.size();
    if (box.has_sums()) longest -= wire_of(box.hop_from(tree.owner(), false));
    if (box.has_results()) longest -= wire_of(box.hop_from(before, true));
    return longest;
  }

  const Plan& plan_;
  HopPaths& hops_;
  std::vector<TreeRank> made_;
  std::vector<int> place_;    // place in the list of ranks, by rank
  std::vector<double> sums_;  // latency from a rank to the root; -1: not known
  std::map<std::pair<const RingBoxTrees*, int>, double> rings_;  // latency of all hops, by part
};

}  // namespace

std::shared_ptr<const Plan> StepPlans::plan(const Stage& stage, const std::string& algorithm,
                                            const CollectiveSpec& asked, const Members& members) {
  std::vector<std::pair<int, std::vector<int>>> parts;
  for (const auto& [places, collectives] : members) parts.push_back(places);
  std::shared_ptr<const Plan>& plan =
      plans_[{stage.dimension, stage.collective, stage.bytes, algorithm, asked.vc, parts}];
  if (plan != nullptr) return plan;
  const SystemBlock& block = system_.blocks[stage.dimension];
  const std::size_t end = algorithm.find(kThenGathers);
  std::string name = algorithm.substr(0, end);
  if (end != std::string::npos && stage.collective == Collective::kAllGather)
    name = algorithm.substr(end + 1);
  std::vector<CollectiveSpec> specs;
  for (const auto& [root, places] : parts) {
    CollectiveSpec& spec = specs.emplace_back();
    spec.collective = stage.collective;
    spec.group = places;
    spec.bytes = stage.bytes;
    spec.algorithm = name;
    spec.vc = asked.vc;
    spec.root = root;
  }
  try {
    plan = std::make_shared<const Plan>(plan_on_fabric(*block.topology, specs));
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{} (dimension {})", error.what(), block.name));
  }
  for (const std::string& note : plan->notes) {
    const std::string text = fmt::format("{}: {}", block.name, note);
    if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(text);
  }
  return plan;
}

StepPlans::Time StepPlans::time(const Stage& stage, const std::string& algorithm,
                                const CollectiveSpec& asked, const Members& members) {
  const std::shared_ptr<const Plan> of_step = plan(stage, algorithm, asked, members);
  const auto [known, is_new] = times_.try_emplace(of_step.get());
  if (!is_new) return known->second;
  const Topology& block = *system_.blocks[stage.dimension].topology;
  const double cycle_ns = 1e9 / static_cast<double>(block.clock_hz);
  double latency = 0;  // cycles
  if (of_step->programs.empty()) {
    const LinkWalk walk(block, *of_step, routes_by_table(block));
    HopPaths hops(block, walk);
    LongestPath longest(*of_step, hops);
    for (const Tree& tree : of_step->trees) latency = std::max(latency, longest.of(tree));
  } else {
    latency = std::max(0.0, in_switch_cycles(block, *of_step) - of_step->bound_ns / cycle_ns);
  }
  return known->second = {of_step->bound_ns, latency * cycle_ns};
}

}  // namespace fredsim
