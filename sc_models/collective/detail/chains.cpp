// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/chains.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "collective/detail/port_balance.h"
#include "collective/detail/slice_shares.h"
#include "plan/channels.h"
#include "plan/link_load.h"
#include "plan/link_walk.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

// Per half of the data, whether it goes forwards. Of equally good ones the first is taken.
using Directions = std::array<bool, 2>;
constexpr std::array<Directions, 3> kDirections{{{true, true}, {false, false}, {true, false}}};

// Parts choose one after the other, knowing the choices of earlier parts; then each chooses again,
// knowing all choices.
constexpr int kRounds = 3;

class ChainPlanner {
 public:
  ChainPlanner(const Topology& topology, const std::vector<ChainSpec>& chains, Plan& plan)
      : topology_(topology),
        chains_(chains),
        plan_(plan),
        walk_(topology, plan, routes_by_table(topology)),
        flits_(topology.links.size()),
        chosen_(chains.size()) {
    for (const ChainSpec& chain : chains) {
      channels_.push_back(topology.has_slices() ? channels_of(topology, plan, chain.part)
                                                : std::vector<int>{plan.parts[chain.part].vc});
    }
    for (const Tree& tree : plan.trees)
      walk_.walk(tree, [&](int link) { flits_[link] += tree.flits; });
  }

  void run() {
    bool changes = true;
    for (int round = 0; round < kRounds && changes; ++round) {
      changes = false;
      for (std::size_t c = 0; c < chains_.size(); ++c) changes |= choose(c);
    }
    for (std::size_t c = 0; c < chains_.size(); ++c) {
      if (chosen_[c].forwards[0] != chosen_[c].forwards[1]) note(channels_[c]);
      std::ranges::move(chosen_[c].trees, std::back_inserter(plan_.trees));
    }
    std::ranges::stable_sort(plan_.trees, {}, &Tree::part);
  }

 private:
  struct Crossing {
    int link;
    std::uint64_t flits;
  };
  struct Choice {
    Directions forwards{};
    std::vector<Tree> trees;
    std::vector<Crossing> crossings{};
    double ns = std::numeric_limits<double>::infinity();
  };

  // True: the choice has changed.
  bool choose(std::size_t c) {
    Choice& now = chosen_[c];
    for (const Crossing& crossing : now.crossings) flits_[crossing.link] -= crossing.flits;
    Choice best;
    for (const Directions& forwards : kDirections) {
      if (Choice choice = weighed(c, forwards); choice.ns < best.ns) best = std::move(choice);
    }
    for (const Crossing& crossing : best.crossings) flits_[crossing.link] += crossing.flits;
    const bool changes = now.trees.empty() || now.forwards != best.forwards;
    now = std::move(best);
    return changes;
  }

  Choice weighed(std::size_t c, const Directions& forwards) {
    Choice choice{.forwards = forwards, .trees = trees_of(c, forwards)};
    std::int64_t longest = 0;
    for (const Tree& tree : choice.trees) {
      std::int64_t cycles = 0;
      walk_.walk(tree, [&](int link) {
        choice.crossings.push_back({link, tree.flits});
        flits_[link] += tree.flits;
        cycles += topology_.links[link].latency;
      });
      longest = std::max(longest, cycles);
    }
    double busiest_ns = 0;
    for (const Crossing& crossing : choice.crossings)
      busiest_ns =
          std::max(busiest_ns, flits_ns(topology_.links[crossing.link], flits_[crossing.link]));
    for (const Crossing& crossing : choice.crossings) flits_[crossing.link] -= crossing.flits;
    choice.ns =
        busiest_ns + static_cast<double>(longest) * 1e9 / static_cast<double>(topology_.clock_hz);
    return choice;
  }

  std::vector<Tree> trees_of(std::size_t c, const Directions& forwards) const {
    const ChainSpec& chain = chains_[c];
    const Part& part = plan_.parts[chain.part];
    const std::vector<int>& channels = channels_[c];
    const FlitRange whole = whole_range(0, part.bytes);
    const std::size_t halves = chain.ring.size() > 2 ? 2 : 1;
    const int slices = slice_cuts(topology_, halves, whole.flits / halves);
    const SliceShares shares(slices);
    std::vector<Tree> trees;
    for (int s = 0; s < slices; ++s) {
      for (std::size_t half = 0; half < halves; ++half) {
        const FlitRange range = share_of(shares.of(whole, s), halves, half);
        if (range.flits == 0) continue;
        // Backwards first: that is the longer path, by the hop that closes the ring.
        const int vc = channels.size() < 2 || forwards[0] == forwards[1]
                           ? part.vc
                           : channels[forwards[half] ? 1 : 0];
        trees.push_back(chain_tree({topology_, plan_, chain.part, s}, chain.ring, part.root,
                                   forwards[half], chain.roles, range, vc));
      }
    }
    return trees;
  }

  void note(const std::vector<int>& channels) {
    if (channels.size() < 2) return;
    plan_.note(fmt::format("chain: half of the data each way round, on virtual channels {} and {}",
                           priority_name(channels[0]), priority_name(channels[1])));
  }

  const Topology& topology_;
  const std::vector<ChainSpec>& chains_;
  Plan& plan_;
  LinkWalk walk_;
  std::vector<std::uint64_t> flits_;  // trees of the plan and chosen chains, by link
  std::vector<Choice> chosen_;
  std::vector<std::vector<int>> channels_;  // by chain: what its halves may use
};

}  // namespace

void add_chains(const Topology& topology, const std::vector<ChainSpec>& chains, Plan& plan) {
  if (!chains.empty()) ChainPlanner(topology, chains, plan).run();
}

}  // namespace fredsim
