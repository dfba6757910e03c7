// SPDX-License-Identifier: Apache-2.0
#include "fabric/rank_cut.h"

#include <fmt/format.h>
#include <metis.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "links/link_policy.h"

namespace fredsim {
namespace {

// Disjoint sets of nodes that stay together, each a tree whose root has the lowest number.
class TogetherNodes {
 public:
  explicit TogetherNodes(std::size_t nodes) : above_(nodes) {
    std::iota(above_.begin(), above_.end(), 0);
  }
  NodeId first_of(NodeId node) {
    while (above_[node] != node) node = above_[node] = above_[above_[node]];
    return node;
  }
  void join(NodeId a, NodeId b) {
    a = first_of(a);
    b = first_of(b);
    above_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<NodeId> above_;
};

// Nodes that stay together in any cut.
TogetherNodes together(const Topology& topology) {
  TogetherNodes nodes(topology.nodes.size());
  std::vector<bool> is_linked(topology.nodes.size());
  for (const Link& link : topology.links) {
    is_linked[link.from] = is_linked[link.to] = true;
    if (link.policy != nullptr) nodes.join(link.from, link.to);
  }
  const NodeId any = static_cast<NodeId>(std::ranges::find(is_linked, true) - is_linked.begin());
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    if (!is_linked[id]) nodes.join(id, is_linked.empty() || any == std::ssize(is_linked) ? 0 : any);
    if (const NodeId home = home_switch(topology, id); home >= 0) nodes.join(id, home);
  }
  return nodes;
}

// Graph of units, which are nodes that stay together: units in the order of their first nodes, and
// links between them.
struct Units {
  std::vector<int> of_node;
  std::vector<double> ns;                       // cost of a cycle
  std::vector<std::map<int, double>> flits_to;  // index: unit; flits per cycle to and from other
                                                // units
  int count() const { return static_cast<int>(ns.size()); }
};

Units units_of(const Topology& topology, const NodeCosts& costs, TogetherNodes nodes) {
  Units units;
  units.of_node.resize(topology.nodes.size());
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    const NodeId first = nodes.first_of(id);
    if (first == id) {
      units.of_node[id] = units.count();
      units.ns.push_back(0);
    }
    units.of_node[id] = units.of_node[first];
    units.ns[units.of_node[id]] += costs.ns[id];
  }
  units.flits_to.resize(units.ns.size());
  for (const Link& link : topology.links) {
    const int from = units.of_node[link.from], to = units.of_node[link.to];
    if (from == to) continue;
    const double flits = static_cast<double>(link.rate.num) / static_cast<double>(link.rate.den);
    units.flits_to[from][to] += flits;
    units.flits_to[to][from] += flits;
  }
  return units;
}

using Parts = std::vector<int>;  // part of each unit

// Runs of consecutive units of almost equal cost; none is empty.
Parts parts_in_order(const Units& units, int ranks) {
  Parts parts(units.ns.size());
  const double total = std::accumulate(units.ns.begin(), units.ns.end(), 0.0);
  double before = 0;
  int part = 0, in_it = 0;
  for (int unit = 0; unit < units.count(); ++unit) {
    const bool is_full = (before + units.ns[unit] / 2) * ranks >= total * (part + 1);
    const bool is_last_chance = units.count() - unit < ranks - part;
    if (in_it != 0 && part + 1 < ranks && (is_full || is_last_chance)) {
      ++part;
      in_it = 0;
    }
    parts[unit] = part;
    ++in_it;
    before += units.ns[unit];
  }
  return parts;
}

// Recursive bisection with METIS. METIS's own recursion, also inside its k-way partition, prints on
// standard output if a half has too few units.
class Bisections {
 public:
  Bisections(const Units& units, int ranks)
      : units_(units), parts_(units.ns.size()), place_(units.ns.size(), -1) {
    mean_ = std::accumulate(units.ns.begin(), units.ns.end(), 0.0) / ranks;
    for (const auto& row : units.flits_to)
      for (const auto& [other, flits] : row) max_flits_ = std::max(max_flits_, flits);
    std::vector<int> all(units.ns.size());
    std::iota(all.begin(), all.end(), 0);
    split(all, 0, ranks);
  }
  Parts take() { return std::move(parts_); }

 private:
  static constexpr double kShare = 1e6;  // weight of a mean part
  static constexpr double kFlits = 100;  // weight of the fastest link

  void split(const std::vector<int>& units, int first, int ranks) {
    if (ranks == 1) {
      for (const int unit : units) parts_[unit] = first;
      return;
    }
    const int left_ranks = ranks / 2, right_ranks = ranks - left_ranks;
    std::vector<idx_t> weights;
    for (const int unit : units) weights.push_back(weight_of(unit));
    std::vector<bool> is_right = bisection(units, weights, left_ranks, ranks);
    const auto right = std::ranges::count(is_right, true);
    if (right < right_ranks || std::ssize(units) - right < left_ranks)
      is_right = bisection_in_order(weights, left_ranks, ranks);
    std::vector<int> halves[2];
    for (std::size_t i = 0; i < units.size(); ++i) halves[is_right[i] ? 1 : 0].push_back(units[i]);
    split(halves[0], first, left_ranks);
    split(halves[1], first + left_ranks, right_ranks);
  }

  // Weight of a unit, at most that of a part: a larger one leaves nothing to balance beside it.
  idx_t weight_of(int unit) const {
    const double share = mean_ > 0 ? std::min(units_.ns[unit] / mean_, 1.0) : 1.0;
    return static_cast<idx_t>(share * kShare) + 1;
  }

  std::vector<bool> bisection(const std::vector<int>& units, std::vector<idx_t>& weights,
                              int left_ranks, int ranks) {
    std::vector<idx_t> first{0}, others, flits_to;
    for (std::size_t i = 0; i < units.size(); ++i) place_[units[i]] = static_cast<int>(i);
    for (const int unit : units) {
      for (const auto& [other, flits] : units_.flits_to[unit]) {
        if (place_[other] < 0) continue;
        others.push_back(place_[other]);
        flits_to.push_back(static_cast<idx_t>(flits / max_flits_ * kFlits) + 1);
      }
      first.push_back(static_cast<idx_t>(others.size()));
    }
    for (const int unit : units) place_[unit] = -1;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NCUTS] = 4;
    auto count = static_cast<idx_t>(units.size());
    idx_t constraints = 1, halves = 2, cut = 0;
    real_t shares[2] = {static_cast<real_t>(left_ranks) / static_cast<real_t>(ranks), 0};
    shares[1] = 1 - shares[0];
    std::vector<idx_t> half(units.size());
    const int status = METIS_PartGraphRecursive(&count, &constraints, first.data(), others.data(),
                                                weights.data(), nullptr, flits_to.data(), &halves,
                                                shares, nullptr, options, &cut, half.data());
    std::vector<bool> is_right(
        units.size());  // METIS out of memory: all in one half, which selects bisection_in_order()
    for (std::size_t i = 0; status == METIS_OK && i < half.size(); ++i) is_right[i] = half[i] == 1;
    return is_right;
  }

  static std::vector<bool> bisection_in_order(const std::vector<idx_t>& weights, int left_ranks,
                                              int ranks) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    const auto min = static_cast<std::size_t>(left_ranks);
    const std::size_t max = weights.size() - static_cast<std::size_t>(ranks - left_ranks);
    std::size_t left = 0;
    for (double before = 0; left < max; ++left) {
      if (left >= min && (before + weights[left] / 2.0) * ranks >= total * left_ranks) break;
      before += weights[left];
    }
    std::vector<bool> is_right(weights.size());
    std::fill(is_right.begin() + static_cast<std::ptrdiff_t>(left), is_right.end(), true);
    return is_right;
  }

  const Units& units_;
  Parts parts_;
  std::vector<int> place_;  // index: unit; place in the half that is split, -1: not in it
  double mean_ = 0;         // cost of a part
  double max_flits_ = 0;
};

// Cut with its parts numbered by their first node.
Cut cut_of(const Units& units, const Parts& parts, int ranks) {
  std::vector<int> number(static_cast<std::size_t>(ranks), -1);
  int next = 0;
  Cut cut;
  cut.reserve(units.of_node.size());
  for (const int unit : units.of_node) {
    int& rank = number[parts[unit]];
    if (rank < 0) rank = next++;
    cut.push_back(rank);
  }
  return cut;
}

// The best of the candidate cuts.
class BestCut {
 public:
  BestCut(const Topology& topology, const NodeCosts& costs) : topology_(topology), costs_(costs) {}

  void offer(Cut cut) {
    const RankForecast forecast = rank_forecast(topology_, cut, costs_);
    int links = 0;
    for (const RankPart& part : forecast.parts) links += part.links_out;
    const double ns = forecast.cycle_ns();
    // Predictions this close count as equal: then fewer links win, since they cost more than the
    // model has.
    const bool is_close = ns < ns_ * kClose && ns_ < ns * kClose;
    if (!cut_.empty() && (is_close ? links >= links_ : ns >= ns_)) return;
    cut_ = std::move(cut);
    ns_ = ns;
    links_ = links;
  }
  Cut take() { return std::move(cut_); }

 private:
  static constexpr double kClose = 1.01;

  const Topology& topology_;
  const NodeCosts& costs_;
  Cut cut_;
  double ns_ = 0;
  int links_ = 0;
};

// Refinement that moves units out of the costliest part, or swaps them, as long as it shortens the
// predicted cycle. For machines of few units, which METIS balances only as well as integer weights
// and repeated halving allow.
class Refinement {
 public:
  static constexpr int kMaxUnits = 128;

  Refinement(const Topology& topology, const NodeCosts& costs, const Units& units, int ranks)
      : topology_(topology), costs_(costs), units_(units), ranks_(ranks) {}

  Parts refined(Parts parts) {
    double ns = cycle_ns(parts);
    while (left_ > 0 && improve(parts, ns)) {
    }
    return parts;
  }

 private:
  double cycle_ns(const Parts& parts) {
    --left_;
    Cut cut;
    cut.reserve(units_.of_node.size());
    for (const int unit : units_.of_node) cut.push_back(parts[unit]);
    return rank_forecast(topology_, cut, costs_).cycle_ns();
  }

  // Makes the first change that is an improvement.
  bool improve(Parts& parts, double& ns) {
    std::vector<double> cost(static_cast<std::size_t>(ranks_));
    std::vector<int> size(static_cast<std::size_t>(ranks_));
    for (int unit = 0; unit < units_.count(); ++unit) {
      cost[parts[unit]] += units_.ns[unit];
      ++size[parts[unit]];
    }
    const auto costliest = static_cast<int>(std::ranges::max_element(cost) - cost.begin());
    const auto is_better = [&] {
      const double changed = cycle_ns(parts);
      if (changed >= ns) return false;
      ns = changed;
      return true;
    };
    for (int unit = 0; unit < units_.count(); ++unit) {
      if (parts[unit] != costliest) continue;
      for (int part = 0; part < ranks_ && size[costliest] > 1 && left_ > 0; ++part) {
        if (part == costliest || cost[part] + units_.ns[unit] >= cost[costliest]) continue;
        parts[unit] = part;
        if (is_better()) return true;
        parts[unit] = costliest;
      }
      for (int other = 0; other < units_.count() && left_ > 0; ++other) {
        if (parts[other] == costliest || units_.ns[other] > units_.ns[unit]) continue;
        std::swap(parts[unit], parts[other]);
        if (is_better()) return true;
        std::swap(parts[unit], parts[other]);
      }
    }
    return false;
  }

  const Topology& topology_;
  const NodeCosts& costs_;
  const Units& units_;
  int ranks_;
  int left_ = 2'000;  // forecasts left
};

// Latencies of links between units, ascending; a sample if there are many.
std::vector<int> latencies_of(const Topology& topology, const Units& units) {
  constexpr std::size_t kMax = 8;
  std::vector<int> all;
  for (const Link& link : topology.links) {
    if (units.of_node[link.from] != units.of_node[link.to]) all.push_back(link.latency);
  }
  std::ranges::sort(all);
  const auto doubles = std::ranges::unique(all);
  all.erase(doubles.begin(), doubles.end());
  if (all.size() <= kMax) return all;
  std::vector<int> some;
  for (std::size_t i = 0; i < kMax; ++i) some.push_back(all[i * (all.size() - 1) / (kMax - 1)]);
  return some;
}

}  // namespace

int max_ranks(const Topology& topology) {
  TogetherNodes nodes = together(topology);
  int count = 0;
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) count += nodes.first_of(id) == id;
  return std::max(1, count);
}

Cut cut_for_ranks(const Topology& topology, const NodeCosts& costs, int ranks) {
  const int max = max_ranks(topology);
  if (ranks < 1 || ranks > max) {
    throw BadInput(fmt::format(
        "found {} ranks; allowed for {}: 1 to {}, as many as it has {}", ranks, topology.name, max,
        find_link_policy(topology) == nullptr
            ? "switches, each with its endpoints, and endpoints without one"
            : fmt::format("parts between which {}, which keeps their ends in one process",
                          find_link_policy(topology)->title())));
  }
  if (ranks == 1) return Cut(topology.nodes.size(), 0);
  const TogetherNodes base = together(topology);
  const Units all = units_of(topology, costs, base);
  BestCut best(topology, costs);
  // Short links stay inside a part: a longer look-ahead for all, and fewer choices.
  for (const int least : latencies_of(topology, all)) {
    TogetherNodes nodes = base;
    for (const Link& link : topology.links)
      if (link.latency < least) nodes.join(link.from, link.to);
    const Units units = units_of(topology, costs, std::move(nodes));
    if (units.count() < ranks) break;
    for (Parts parts : {parts_in_order(units, ranks), Bisections(units, ranks).take()}) {
      if (units.count() <= Refinement::kMaxUnits)
        parts = Refinement(topology, costs, units, ranks).refined(std::move(parts));
      best.offer(cut_of(units, parts, ranks));
    }
  }
  return best.take();
}

}  // namespace fredsim
