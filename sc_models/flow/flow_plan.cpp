// SPDX-License-Identifier: Apache-2.0
#include "flow/flow_plan.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "collective/plan_time.h"
#include "flow/detail/spread_paths.h"
#include "plan/acknowledgements.h"
#include "plan/hop_paths.h"
#include "plan/hop_times.h"
#include "plan/link_load.h"
#include "plan/link_walk.h"
#include "switch/node_shape.h"
#include "topology/credit_loop.h"

namespace fredsim {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// Counts of the links that a tree crosses.
class Crossings {
 public:
  explicit Crossings(std::size_t links) : counts_(links) {}

  void add(int link) {
    if (counts_[link]++ == 0) crossed_.push_back(link);
  }
  // Returns the counts in order of links, and clears them.
  std::vector<LinkUse> take() {
    // Many links are scanned in order rather than sorted.
    constexpr std::size_t kMany = 16;
    std::vector<LinkUse> uses;
    uses.reserve(crossed_.size());
    const auto take = [&](int link) {
      if (counts_[link] > 0)
        uses.push_back({link, static_cast<double>(std::exchange(counts_[link], 0))});
    };
    if (crossed_.size() > counts_.size() / kMany) {
      for (int link = 0; link < std::ssize(counts_); ++link) take(link);
    } else {
      std::ranges::sort(crossed_);
      for (const int link : crossed_) take(link);
    }
    crossed_.clear();
    return uses;
  }

 private:
  std::vector<int> counts_;  // by link
  std::vector<int> crossed_;
};

// Links that are no bottleneck: every hop over such a link also crosses a link that is no faster.
class LinksBehind {
 public:
  // `of_one`: of a priority.
  LinksBehind(const std::vector<double>& capacities, const std::vector<double>& of_one)
      : capacities_(capacities), of_one_(of_one), links_(capacities.size()) {}

  void add(const HopPaths::Hop& hop) {
    ++hops_;
    for (const int link : hop.links()) links_[link].last_hop = hops_;
    for (const int number : hop.links()) {
      LinkState& link = links_[number];
      if (std::exchange(link.is_crossed, true)) {
        std::erase_if(link.before, [&](int other) { return links_[other].last_hop != hops_; });
      } else {
        std::ranges::copy_if(hop.links(), std::back_inserter(link.before),
                             [&](int other) { return is_full_before(other, number); });
      }
    }
  }
  // Keeps a link that further traffic crosses.
  void keep(int link) {
    links_[link].is_crossed = true;
    links_[link].before.clear();
  }
  bool has(int link) const { return !links_[link].before.empty(); }

 private:
  struct LinkState {
    std::vector<int> before{};  // on all of its hops
    int last_hop = 0;
    bool is_crossed = false;
  };
  // Ties: the first one, so that one of them remains.
  bool is_full_before(int a, int b) const {
    return capacities_[a] <= capacities_[b] && of_one_[a] <= of_one_[b] &&
           std::tuple(capacities_[a], of_one_[a], a) < std::tuple(capacities_[b], of_one_[b], b);
  }

  const std::vector<double>& capacities_;
  const std::vector<double>& of_one_;
  std::vector<LinkState> links_;
  int hops_ = 0;
};

// Shortcut for plans with one decisive link: all trees of one part begin together, move in
// proportion to their flits and cross this link, which saturates before any tree reaches its own
// limit. So the link limits all trees until they end, together.
class OneBottleneck {
 public:
  // `limits`: highest rates, by tree.
  OneBottleneck(const std::vector<double>& capacities, const std::vector<double>& limits,
                const Plan& plan, HopPaths& hops)
      : capacities_(capacities), limits_(limits), plan_(plan), hops_(hops) {}

  // Crossings of the decisive link, by tree; empty: there is none. Looks up all hops.
  std::vector<LinkUse> find() {
    std::vector<LinkUse> uses;
    if (plan_.parts.size() != 1 || !std::ranges::all_of(plan_.trees, is_at_endpoints)) return uses;
    std::vector<std::uint64_t> flits(capacities_.size());
    hops_.add_loads(
        plan_, plan_.trees, [](const Tree& tree) { return tree.flits; }, flits);
    double longest = 0;
    for (std::size_t l = 0; l < flits.size(); ++l) {
      if (const double cycles = static_cast<double>(flits[l]) / capacities_[l]; cycles > longest) {
        longest = cycles;
        link_ = static_cast<int>(l);
      }
    }
    for (std::size_t t = 0; t < plan_.trees.size(); ++t) {
      const Tree& tree = plan_.trees[t];
      const int crossings = crossings_of(tree);
      if (crossings == 0 || limits_[t] * longest < static_cast<double>(tree.flits)) return {};
      uses.push_back({link_, static_cast<double>(crossings)});
    }
    return uses;
  }

 private:
  // Hops of a box that cross it.
  struct BoxHops {
    const RingBoxTrees* box = nullptr;
    std::vector<const RingBoxTrees::Hop*> hops{};
  };
  static bool is_at_endpoints(const Tree& tree) { return tree.transport == Transport::kEndpoint; }

  int crossings_of(const Tree& tree) {
    int crossings = 0;
    const RingBoxTree* const of_box = tree.ranks.box_tree();
    if (of_box == nullptr) {
      hops_.walk(plan_, tree, [&](int link) { crossings += link == link_ ? 1 : 0; });
      return crossings;
    }
    if (of_box_.box != &of_box->box()) of_box_ = hops_of(of_box->box());
    for (const RingBoxTrees::Hop* hop : of_box_.hops)
      crossings += of_box->box().has_hop(of_box->owner(), *hop) ? 1 : 0;
    return crossings;
  }
  BoxHops hops_of(const RingBoxTrees& box) {
    const std::vector<NodeId>& members = plan_.parts.front().members;
    BoxHops found{.box = &box};
    for (const RingBoxTrees::Hop& hop : box.hops()) {
      const HopPaths::Hop way =
          hops_.hop(members[box.rank_of(hop)], members[hop.send.rank], hop.send.port);
      found.hops.insert(found.hops.end(), std::ranges::count(way.links(), link_), &hop);
    }
    return found;
  }

  const std::vector<double>& capacities_;
  const std::vector<double>& limits_;
  const Plan& plan_;
  HopPaths& hops_;
  int link_ = -1;
  BoxHops of_box_{};
};

// Mean flits of the trees of each part.
std::vector<double> mean_flits_of(const Plan& plan) {
  std::vector<double> flits(plan.parts.size());
  std::vector<double> trees(plan.parts.size());
  for (const Tree& tree : plan.trees) {
    flits[tree.part] += static_cast<double>(tree.flits);
    ++trees[tree.part];
  }
  for (std::size_t p = 0; p < flits.size(); ++p) flits[p] /= std::max(trees[p], 1.0);
  return flits;
}

// Rate of a tree that the pace of its sources allows.
double pace_limit(const Part& part, const Tree& tree) {
  if (part.frame == 0) return kNoLimit;
  const auto flits = static_cast<double>(tree.in_frame) * part.packet_flits;
  return flits / static_cast<double>(part.frame);
}

// Rate of a tree that its window allows.
double window_limit(const Part& part, const Tree& tree, double fill, double round_trip) {
  auto packets = static_cast<std::uint64_t>(part.window);
  if (round_trip <= 0) {  // sources count acknowledgements
    packets = acknowledged_window(part, tree);
    round_trip = 2 * fill;
  }
  const std::uint64_t flits = packets * static_cast<std::uint64_t>(part.packet_flits);
  if (flits == 0 || flits >= tree.flits || round_trip <= 0) return kNoLimit;
  return static_cast<double>(flits) / round_trip;
}

// Fill of each tree, and the rate that its window and pace allow.
struct TreeTimes {
  std::vector<double> fills{}, windows{};
};
TreeTimes times_of(const Topology& topology, const LinkWalk& walk, const Plan& plan,
                   HopPaths& hops) {
  const std::vector<FirstPacket> packets = first_packets(topology, plan, hops);
  TreeTimes times;
  std::vector<double> latencies(plan.parts.size(), -1);
  for (std::size_t t = 0; t < plan.trees.size(); ++t) {
    const Tree& tree = plan.trees[t];
    const Part& part = plan.parts[tree.part];
    double round_trip = packets[t].round_trip;
    times.fills.push_back(packets[t].all);
    if (tree.transport == Transport::kInSwitch) {
      double& latency = latencies[tree.part];
      if (latency < 0) latency = member_latency(topology, walk, part);
      times.fills.back() = round_trip = latency + kTurnCycles;
    }
    times.windows.push_back(
        std::min(window_limit(part, tree, times.fills.back(), round_trip), pace_limit(part, tree)));
  }
  return times;
}

// Fills where each link takes a cycle.
std::vector<double> fills_without_latency(const Topology& topology, const Plan& plan) {
  Topology close = topology;
  for (Link& link : close.links) link.latency = 1;
  const LinkWalk walk(close, plan, routes_by_table(close));
  HopPaths hops(close, walk);
  return times_of(close, walk, plan, hops).fills;
}

TreeTimes times_of(const Topology& topology, const LinkWalk& walk, const Plan& plan, HopPaths& hops,
                   const FlowLifts& lifts) {
  TreeTimes times = times_of(topology, walk, plan, hops);
  if (lifts.windows) std::ranges::fill(times.windows, kNoLimit);
  if (lifts.latency) times.fills = fills_without_latency(topology, plan);
  return times;
}

// Links that trees cross, with the hops of endpoint trees spread over all of their paths.
class SpreadCrossings {
 public:
  SpreadCrossings(const Topology& topology, const LinkWalk& walk,
                  const std::vector<double>& capacities)
      : walk_(walk), paths_(topology, capacities), crossings_(topology.links.size()) {}

  void add(const Plan& plan, const Tree& tree, double amount) {
    const std::vector<NodeId>& members = plan.parts[tree.part].members;
    if (tree.transport == Transport::kInSwitch)
      walk_.walk_in_switch(tree, [&](int link) { add(link, amount); });
    for_each_send(tree.ranks, [&](int rank, const Send& send) {
      for (const LinkUse& use : paths_.hop(members[rank], members[send.rank]))
        add(use.link, use.crossings * amount);
    });
  }
  // Returns the counts in order of links, and clears them.
  std::vector<LinkUse> take() {
    std::ranges::sort(crossed_);
    std::vector<LinkUse> uses;
    for (const int link : crossed_) uses.push_back({link, std::exchange(crossings_[link], 0)});
    crossed_.clear();
    return uses;
  }

 private:
  void add(int link, double amount) {
    if (crossings_[link] == 0) crossed_.push_back(link);
    crossings_[link] += amount;
  }

  const LinkWalk& walk_;
  SpreadPaths paths_;
  std::vector<double> crossings_;  // by link
  std::vector<int> crossed_;
};

bool overlaps(const Tree& tree) {
  return tree.transport == Transport::kEndpoint && !is_straight_operand(tree);
}

// Links that each tree crosses, all together.
bool crosses_more(const Topology& topology, const Plan& plan, HopPaths& hops, std::size_t uses) {
  std::vector<std::size_t> crossed_by(topology.links.size());  // 1 + the last tree
  std::size_t found = 0;
  for (std::size_t t = 0; t < plan.trees.size() && found <= uses; ++t) {
    hops.walk(plan, plan.trees[t], [&](int link) {
      if (std::exchange(crossed_by[link], t + 1) != t + 1) ++found;
    });
  }
  return found > uses;
}

}  // namespace

double with_fill(const TreeFlow& tree, double moved) {
  if (!tree.overlaps) return moved + tree.fill;
  return overlapped(tree.fill, moved);
}

std::vector<double> flow_capacities(const Topology& topology) {
  std::vector<double> capacities;
  capacities.reserve(topology.links.size());
  for (const Link& link : topology.links) capacities.push_back(link.rate.value());
  return capacities;
}

std::vector<double> credit_limits(const Topology& topology) {
  std::vector<double> limits;
  limits.reserve(topology.links.size());
  for (const Link& link : topology.links)
    limits.push_back(static_cast<double>(depth_behind(topology, link)) / credit_round_trip(link));
  return limits;
}

std::vector<TreeFlow> flows_of(const Topology& topology, const Plan& plan, bool is_alone,
                               const FlowLifts& lifts) {
  is_alone = is_alone && !lifts.paths;
  const LinkWalk walk(topology, plan, routes_by_table(topology));
  HopPaths hops(topology, walk);
  if (is_alone) hops.note_found();
  const auto [fills, windows] = times_of(topology, walk, plan, hops, lifts);
  const std::vector<double> capacities = flow_capacities(topology);
  std::vector<double> of_one = credit_limits(topology);
  std::ranges::transform(of_one, capacities, of_one.begin(), std::ranges::min);
  LinksBehind behind(capacities, of_one);
  std::vector<LinkUse> bottleneck;
  if (is_alone) bottleneck = OneBottleneck(of_one, windows, plan, hops).find();
  if (is_alone && bottleneck.empty()) {
    for (const Tree& tree : plan.trees)
      hops.walk(plan, tree, [&](int link) {
        if (tree.transport == Transport::kInSwitch) behind.keep(link);
      });
    for (const HopPaths::Hop& hop : hops.found()) behind.add(hop);
  }
  const std::vector<double> mean_flits = mean_flits_of(plan);
  std::vector<TreeFlow> flows;
  flows.reserve(plan.trees.size());
  Crossings crossings(topology.links.size());
  std::optional<SpreadCrossings> spread;
  if (lifts.paths) spread.emplace(topology, walk, of_one);
  for (std::size_t t = 0; t < plan.trees.size(); ++t) {
    const Tree& tree = plan.trees[t];
    const Part& part = plan.parts[tree.part];
    std::vector<LinkUse> uses;
    if (spread) {
      spread->add(plan, tree, 1);
      uses = spread->take();
    } else if (bottleneck.empty()) {
      hops.walk(plan, tree, [&](int link) {
        if (!behind.has(link)) crossings.add(link);
      });
      uses = crossings.take();
    } else {
      uses = {bottleneck[t]};
    }
    flows.push_back({.part = tree.part,
                     .demand = {.priority = part.vc,
                                .share = static_cast<double>(tree.flits) / mean_flits[tree.part],
                                .uses = std::move(uses),
                                .limit = windows[t]},
                     .flits = static_cast<double>(tree.flits),
                     .fill = fills[t],
                     .overlaps = overlaps(tree)});
  }
  return flows;
}

void JoinedFlow::note_fill(bool overlaps, double fill) {
  TreeFlow& longest = slowest[overlaps ? 1 : 0];
  longest.overlaps = overlaps;
  longest.fill = std::max(longest.fill, fill);
}

std::optional<JoinedFlow> joined_flow(const Topology& topology, const Plan& plan, std::size_t uses,
                                      const FlowLifts& lifts) {
  const LinkWalk walk(topology, plan, routes_by_table(topology));
  HopPaths hops(topology, walk);
  if (!crosses_more(topology, plan, hops, uses)) return std::nullopt;
  JoinedFlow flow;
  const auto [fills, windows] = times_of(topology, walk, plan, hops, lifts);
  for (std::size_t t = 0; t < fills.size(); ++t) {
    const auto flits = static_cast<double>(plan.trees[t].flits);
    flow.flits += flits;
    flow.demand.limit = std::min(flow.demand.limit, windows[t] / flits);
    flow.note_fill(overlaps(plan.trees[t]), fills[t]);
  }
  flow.demand.limit *= flow.flits;
  flow.demand.priority = plan.parts[plan.trees.front().part].vc;
  if (lifts.paths) {
    const std::vector<double> capacities = flow_capacities(topology);
    SpreadCrossings spread(topology, walk, capacities);
    for (const Tree& tree : plan.trees)
      spread.add(plan, tree, static_cast<double>(tree.flits) / flow.flits);
    flow.demand.uses = spread.take();
    return flow;
  }
  std::vector<std::uint64_t> flits(topology.links.size());
  hops.add_loads(
      plan, plan.trees, [](const Tree& tree) { return tree.flits; }, flits);
  for (int link = 0; link < std::ssize(flits); ++link) {
    if (flits[link] > 0)
      flow.demand.uses.push_back({link, static_cast<double>(flits[link]) / flow.flits});
  }
  return flow;
}

}  // namespace fredsim
