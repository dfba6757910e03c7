// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/slice_shares.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/int128.h"
#include "collective/algorithm.h"
#include "collective/detail/detached_ranks.h"
#include "collective/endpoint_trees.h"
#include "plan/link_load.h"
#include "plan/link_walk.h"

namespace fredsim {
namespace {

// Weights are such parts of the best slice's.
constexpr std::uint64_t kParts = 4096;

}  // namespace

SliceShares::SliceShares(const Topology& topology, std::vector<std::uint64_t> weights)
    : slices_(endpoint_slices(topology)), weights_(std::move(weights)) {
  if (!weights_.empty() &&
      std::ranges::adjacent_find(weights_, std::ranges::not_equal_to{}) == weights_.end())
    weights_.clear();
}

FlitRange SliceShares::of(const FlitRange& range, int slice, int turn) const {
  const int place = (slice + turn) % slices_;
  const std::uint64_t sum = std::accumulate(weights_.begin(), weights_.end(), std::uint64_t{0});
  if (sum == 0) return share_of(range, slices_, place);
  // Slices one after the other from the one of place 0 on.
  std::uint64_t before = 0;
  for (int p = 0; p < place; ++p) before += weights_[((p - turn) % slices_ + slices_) % slices_];
  const auto flits_to = [&](std::uint64_t weight) {
    return static_cast<std::uint64_t>(static_cast<Uint128>(range.flits) * weight / sum);
  };
  return part_of(range, flits_to(before), flits_to(before + weights_[slice]));
}

std::vector<std::uint64_t> even_weights(const Topology& topology, const Plan& plan, int part,
                                        bool detached) {
  if (!topology.failed.cut_slices()) return {};
  std::vector<std::uint64_t> weights;
  for (int slice = 0; slice < topology.slices; ++slice) {
    const std::vector<bool> joined = joined_ranks(topology, plan.parts[part].members, slice);
    const bool all = std::ranges::count(joined, false) == 0;
    weights.push_back(all || (detached && can_detach(topology, plan, part, joined)) ? 1 : 0);
  }
  return weights;
}

namespace {

// Loads that the trees of a part put on the links, by slice.
struct SliceLoads {
  std::vector<std::uint64_t> flits;  // flits of the slice's share
  std::vector<std::vector<std::uint64_t>> on_links;
  std::vector<bool> detaches;
  std::vector<bool> crosses;  // ranks that are the only ones of their L1 switch
};

// Ranks that it does not join, of an in-switch tree, go by other ones.
int slice_of(const Tree& tree) {
  for (const TreeRank& rank : tree.ranks) {
    if (tree.transport == Transport::kInSwitch) {
      if (rank.switch_port >= 0) return rank.switch_port;
    } else if (!rank.reduce_to.empty()) {
      return rank.reduce_to.front().port;
    } else if (!rank.broadcast_to.empty()) {
      return rank.broadcast_to.front().port;
    }
  }
  return 0;
}

SliceLoads loads_of(const Topology& topology, const Plan& plan, const LinkWalk& walk, int part) {
  const auto slices = static_cast<std::size_t>(topology.slices);
  SliceLoads loads{std::vector<std::uint64_t>(slices),
                   {slices, std::vector<std::uint64_t>(topology.links.size())},
                   std::vector<bool>(slices),
                   std::vector<bool>(slices)};
  if (plan.parts[part].slice_weights.empty()) return loads;
  for (const Tree& tree : plan.trees) {
    if (tree.part != part) continue;
    const auto slice = static_cast<std::size_t>(slice_of(tree));
    loads.flits[slice] += tree.flits;
    walk.walk(tree, [&](int link) { loads.on_links[slice][link] += tree.flits; });
    if (tree.transport != Transport::kInSwitch) continue;
    for (const TreeRank& rank : tree.ranks) {
      if (rank.switch_port >= 0) continue;
      loads.detaches[slice] = true;
      const std::vector<NodeId>& members = plan.parts[part].members;
      const NodeId own = topology.nodes[members[rank.rank]].above;
      const auto is_near = [&](NodeId member) { return topology.nodes[member].above == own; };
      if (std::ranges::count_if(members, is_near) == 1) loads.crosses[slice] = true;
    }
  }
  return loads;
}

// Cost of each slice's share by link, in ns per flit; links without load are left out.
using Costs = std::vector<std::vector<double>>;

Costs costs_of(const Topology& topology, const SliceLoads& loads) {
  Costs costs;
  for (std::size_t link = 0; link < topology.links.size(); ++link) {
    std::vector<double> of_link;
    for (std::size_t slice = 0; slice < loads.flits.size(); ++slice) {
      const double ns = flits_ns(topology.links[link], loads.on_links[slice][link]);
      of_link.push_back(loads.flits[slice] > 0 ? ns / static_cast<double>(loads.flits[slice]) : 0);
    }
    if (std::ranges::any_of(of_link, [](double cost) { return cost > 0; }))
      costs.push_back(std::move(of_link));
  }
  return costs;
}

double busiest_ns(const Costs& costs, const std::vector<double>& shares) {
  double max = 0;
  for (const auto& of_link : costs) {
    double ns = 0;
    for (std::size_t slice = 0; slice < shares.size(); ++slice)
      ns += of_link[slice] * shares[slice];
    max = std::max(max, ns);
  }
  return max;
}

// Shares of the allowed slices that minimise the load of the busiest link. In each round the slices
// respond to the busiest links so far, and the links to the shares so far.
std::vector<double> best_shares(const Costs& costs, const std::vector<bool>& allowed) {
  constexpr int kGameRounds = 3000;
  std::vector<double> had(allowed.size());      // by slice, rounds
  std::vector<double> loads(costs.size());      // by link
  std::vector<double> answers(allowed.size());  // by slice: costs on the busiest links so far
  for (int round = 0; round < kGameRounds; ++round) {
    int slice = -1;
    for (int other = 0; other < std::ssize(allowed); ++other)
      if (allowed[other] && (slice < 0 || answers[other] < answers[slice])) slice = other;
    had[slice] += 1;
    for (std::size_t link = 0; link < costs.size(); ++link) loads[link] += costs[link][slice];
    const auto busiest = std::ranges::max_element(loads) - loads.begin();
    for (std::size_t other = 0; other < allowed.size(); ++other)
      answers[other] += costs[busiest][other];
  }
  for (double& share : had) share /= kGameRounds;
  return had;
}

// A gain below this is less than the costs that link loads do not show.
constexpr double kAsWell = 1.02;

std::vector<double> detached_shares(const Costs& costs, const SliceLoads& loads) {
  std::vector<bool> allowed;
  for (const std::uint64_t flits : loads.flits) allowed.push_back(flits > 0);
  std::vector<double> best = best_shares(costs, allowed);
  const double min = busiest_ns(costs, best);
  for (std::size_t slice = 0; slice < allowed.size(); ++slice) {
    if (!allowed[slice] || !loads.detaches[slice] || std::ranges::count(allowed, true) == 1)
      continue;
    allowed[slice] = false;
    std::vector<double> without = best_shares(costs, allowed);
    if (busiest_ns(costs, without) <= kAsWell * min) {
      best = std::move(without);
    } else {
      allowed[slice] = true;
    }
  }
  return best;
}

}  // namespace

std::vector<SliceUse> measured_use(const Topology& topology, const Plan& plan) {
  const LinkWalk walk(topology, plan, needs_online_routes(topology, plan));
  std::vector<SliceUse> uses(plan.parts.size());
  for (int part = 0; part < std::ssize(plan.parts); ++part) {
    SliceUse& use = uses[part];
    const SliceLoads loads = loads_of(topology, plan, walk, part);
    use.weights.resize(loads.flits.size());
    if (std::ranges::count(loads.flits, 0U) == std::ssize(loads.flits)) continue;
    const Costs costs = costs_of(topology, loads);
    std::vector<double> shares(loads.flits.size());
    if (std::ranges::count(loads.detaches, true) > 0) {
      shares = detached_shares(costs, loads);
    } else {
      for (std::size_t slice = 0; slice < shares.size(); ++slice) {  // flits per ns
        std::vector<double> alone(shares.size());
        alone[slice] = 1;
        if (const double ns = busiest_ns(costs, alone); ns > 0) shares[slice] = 1 / ns;
      }
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    const double best = std::ranges::max(shares);
    for (std::size_t slice = 0; slice < shares.size(); ++slice) {
      use.weights[slice] = static_cast<std::uint64_t>(std::lround(shares[slice] / best * kParts));
      if (use.weights[slice] > 0 && loads.detaches[slice]) use.detaches = true;
      if (use.weights[slice] > 0 && loads.crosses[slice]) use.crosses = true;
      shares[slice] /= sum;
    }
    if (is_in_switches(plan.parts[part])) use.flits_per_ns = 1 / busiest_ns(costs, shares);
  }
  return uses;
}

std::string weights_text(const std::vector<std::uint64_t>& weights) {
  std::uint64_t divisor = 0;
  for (const std::uint64_t weight : weights) divisor = std::gcd(divisor, weight);
  std::vector<std::uint64_t> reduced;
  reduced.reserve(weights.size());
  for (const std::uint64_t weight : weights) reduced.push_back(divisor > 0 ? weight / divisor : 0);
  return fmt::format("{}", fmt::join(reduced, " : "));
}

}  // namespace fredsim
