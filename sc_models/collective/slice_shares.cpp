#include "collective/slice_shares.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/int128.h"
#include "collective/endpoint_trees.h"
#include "collective/equal_slices.h"
#include "collective/in_switch_plan.h"
#include "collective/link_load.h"
#include "collective/link_walk.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

// Weights are such parts of the best slice's.
constexpr std::uint64_t kParts = 4096;

}  // namespace

SliceShares::SliceShares(const Topology& topology, const Part& part)
    : SliceShares(topology, part.slice_weights) {}

SliceShares::SliceShares(const Topology& topology, std::vector<std::uint64_t> weights)
    : slices_(endpoint_slices(topology)), weights_(std::move(weights)) {
  if (!weights_.empty() &&
      std::ranges::adjacent_find(weights_, std::ranges::not_equal_to{}) == weights_.end())
    weights_.clear();
}

FlitRange SliceShares::of(const FlitRange& range, int slice, int turn) const {
  const int place = (slice + turn) % slices_;
  if (weights_.empty()) return share_of(range, slices_, place);
  // Slices one after the other from the one of place 0 on.
  std::uint64_t before = 0;
  for (int p = 0; p < place; ++p) before += weights_[((p - turn) % slices_ + slices_) % slices_];
  const std::uint64_t sum = std::accumulate(weights_.begin(), weights_.end(), std::uint64_t{0});
  const auto flits_to = [&](std::uint64_t weight) {
    return static_cast<std::uint64_t>(static_cast<Uint128>(range.flits) * weight / sum);
  };
  return part_of(range, flits_to(before), flits_to(before + weights_[slice]));
}

std::vector<std::uint64_t> even_weights(const Topology& topology, const Part& part) {
  if (topology.reach.slices == 0) return {};
  std::vector<std::uint64_t> weights;
  for (int slice = 0; slice < topology.fred.slices; ++slice) {
    const bool joins_all = std::ranges::all_of(part.members, [&](NodeId from) {
      return std::ranges::all_of(part.members,
                                 [&](NodeId to) { return topology.reaches(from, to, slice); });
    });
    weights.push_back(joins_all ? 1 : 0);
  }
  if (std::ranges::count(weights, 1U) == 0) {
    throw BadInput(fmt::format("{}: no slice joins all members of {} any more{}", topology.name,
                               group_name(topology, part), faults_text(topology)));
  }
  return weights;
}

std::vector<std::vector<std::uint64_t>> measured_weights(const Topology& topology,
                                                         const Plan& plan) {
  const LinkWalk walk(topology, plan, needs_online_routes(topology, plan));
  std::vector<std::vector<std::uint64_t>> weights(plan.parts.size());
  for (std::size_t part = 0; part < plan.parts.size(); ++part) {
    const auto slices = static_cast<std::size_t>(topology.fred.slices);
    std::vector<std::uint64_t> flits(slices);
    std::vector<std::vector<std::uint64_t>> loads(
        slices, std::vector<std::uint64_t>(topology.links.size()));
    for (const Tree& tree : plan.trees) {
      const int slice = slice_port(tree);
      if (tree.part != static_cast<int>(part) || slice < 0) continue;
      flits[slice] += tree.flits;
      walk.walk(tree, [&](int link) { loads[slice][link] += tree.flits; });
    }
    std::vector<double> carried(slices);  // flits per ns
    for (std::size_t slice = 0; slice < slices; ++slice) {
      double busiest = 0;
      for (std::size_t link = 0; link < topology.links.size(); ++link)
        busiest = std::max(busiest, flits_ns(topology.links[link], loads[slice][link]));
      if (busiest > 0) carried[slice] = static_cast<double>(flits[slice]) / busiest;
    }
    const double best = std::ranges::max(carried);
    for (const double one : carried)
      weights[part].push_back(
          best > 0 ? static_cast<std::uint64_t>(std::lround(one / best * kParts)) : 0);
  }
  return weights;
}

std::string weights_text(const std::vector<std::uint64_t>& weights) {
  std::uint64_t divisor = 0;
  for (const std::uint64_t weight : weights) divisor = std::gcd(divisor, weight);
  std::vector<std::uint64_t> reduced;
  for (const std::uint64_t weight : weights) reduced.push_back(divisor > 0 ? weight / divisor : 0);
  return fmt::format("{}", fmt::join(reduced, " : "));
}

}  // namespace fredsim
