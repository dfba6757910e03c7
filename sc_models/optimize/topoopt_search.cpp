// SPDX-License-Identifier: Apache-2.0
#include "optimize/topoopt_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/random.h"

namespace fredsim {
namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();
// Temperatures of an annealing, in relative loss.
constexpr double kFirstTemperature = 0.3, kLastTemperature = 0.003;

using StrategyKey = std::tuple<int, int, int>;

StrategyKey key_of(const Strategy& strategy) { return {strategy.mp, strategy.dp, strategy.pp}; }

class TopooptSearch {
 public:
  TopooptSearch(int nodes, const JobOfStrategy& job, const TopooptOptions& options,
                const std::function<bool(int)>& keeps_on)
      : nodes_(nodes), job_(job), options_(options), keeps_on_(keeps_on), random_(options.seed) {}

  TopooptResult run() {
    check_degree(options_.finder, nodes_);
    if (options_.each)
      try_each();
    else
      alternate();
    if (std::isinf(result_.seconds)) throw BadInput(why_not_);
    return std::move(result_);
  }

 private:
  using Times = std::map<StrategyKey, double>;

  void try_each() {
    for (const Strategy& strategy : whole_strategies(nodes_)) {
      if (!std::isinf(result_.seconds) && is_over()) return;
      const double on_switch = time_on_switch(strategy);
      if (on_switch < result_.best_switch_seconds) {
        result_.best_switch_seconds = on_switch;
        result_.switch_strategy = strategy;
      }
      if (!std::isinf(on_switch)) give_network(strategy);
    }
    result_.converged = true;
  }

  void alternate() {
    Strategy strategy = first_possible();
    strategy = anneal(strategy, [&](const Strategy& one) { return time_on_switch(one); });
    result_.switch_strategy = strategy;
    result_.best_switch_seconds = time_on_switch(strategy);
    for (int round = 0; round < options_.rounds && !result_.converged; ++round) {
      const DirectTopology topology = give_network(strategy);
      DirectTimes network(topology, options_.link, options_.paths);
      Times known{{key_of(strategy), result_.rounds.back().seconds}};
      const Strategy next =
          anneal(strategy, [&](const Strategy& one) { return time_on(one, network, known); });
      if (is_over()) return;
      result_.converged = next == strategy;
      strategy = next;
    }
  }

  Strategy first_possible() {
    for (const Strategy& strategy : whole_strategies(nodes_))
      if (!std::isinf(time_on_switch(strategy))) return strategy;
    throw BadInput(why_not_);
  }

  // Precondition: the job allows the strategy.
  DirectTopology give_network(const Strategy& strategy) {
    ++result_.evaluations;
    const TaskGraph graph = job_(strategy);
    JobDemand demand = demand_of(graph, nodes_);
    DirectTopology topology = find_topology(demand, options_.finder);
    DirectTimes network(topology, options_.link, options_.paths);
    const double seconds = job_seconds(graph, options_.clock_hz, network);
    result_.rounds.push_back({strategy, seconds});
    if (seconds < result_.seconds) {
      result_.seconds = seconds;
      result_.strategy = strategy;
      result_.topology = topology;
      result_.demand = std::move(demand);
      result_.switch_seconds = time_on_switch(strategy);
    }
    return topology;
  }

  double time_on_switch(const Strategy& strategy) {
    SwitchTimes network(
        nodes_, {options_.link.bytes_per_second * options_.finder.degree, options_.link.latency});
    return time_on(strategy, network, on_switch_);
  }

  double time_on(const Strategy& strategy, NetworkTimes& network, Times& known) {
    const auto [time, is_new] = known.try_emplace(key_of(strategy), kImpossible);
    if (!is_new) return time->second;
    ++result_.evaluations;
    try {
      time->second = job_seconds(job_(strategy), options_.clock_hz, network);
    } catch (const BadInput& error) {
      why_not_ = error.what();
    }
    return time->second;
  }

  bool is_over() const { return keeps_on_ && !keeps_on_(result_.evaluations); }

  template <typename TimeOf>
  Strategy anneal(Strategy at, const TimeOf& time_of) {
    Strategy best = at;
    double now = time_of(at), least = now;
    for (int step = 0; step < options_.steps; ++step) {
      const double done = static_cast<double>(step) / options_.steps;
      const double temperature =
          kFirstTemperature * std::pow(kLastTemperature / kFirstTemperature, done);
      const std::optional<Strategy> next = neighbour(at);
      const double chance = static_cast<double>(random_.below(1U << 30)) / (1U << 30);
      if (is_over()) break;
      if (!next) continue;
      const double then = time_of(*next);
      if (std::isinf(then)) continue;
      if (then > now && chance >= std::exp(-(then / now - 1) / temperature)) continue;
      at = *next;
      now = then;
      if (now >= least) continue;
      least = now;
      best = at;
    }
    return best;
  }

  // Moves a prime factor; none: the drawn dimension has none.
  std::optional<Strategy> neighbour(const Strategy& strategy) {
    std::array<int, 3> sizes{strategy.mp, strategy.dp, strategy.pp};
    const std::uint64_t from = random_.below(3), to = (from + 1 + random_.below(2)) % 3;
    std::vector<int> factors;
    for (int left = sizes[from], factor = 2; left > 1;) {
      if (left % factor == 0) {
        factors.push_back(factor);
        left /= factor;
      } else {
        ++factor;
      }
    }
    if (factors.empty()) return {};
    const int factor = factors[random_.below(factors.size())];
    sizes[from] /= factor;
    sizes[to] *= factor;
    return Strategy{.mp = sizes[0], .dp = sizes[1], .pp = sizes[2]};
  }

  const int nodes_;
  const JobOfStrategy& job_;
  const TopooptOptions& options_;
  const std::function<bool(int)>& keeps_on_;
  Random random_;
  Times on_switch_;
  std::string why_not_;
  TopooptResult result_{.seconds = kImpossible, .best_switch_seconds = kImpossible};
};

}  // namespace

std::vector<Strategy> whole_strategies(int nodes) {
  std::vector<Strategy> whole;
  for (int mp = 1; mp <= nodes; ++mp) {
    if (nodes % mp != 0) continue;
    for (int dp = 1; dp <= nodes / mp; ++dp)
      if (nodes / mp % dp == 0) whole.push_back({.mp = mp, .dp = dp, .pp = nodes / mp / dp});
  }
  return whole;
}

TopooptResult search_topology(int nodes, const JobOfStrategy& job, const TopooptOptions& options,
                              const std::function<bool(int)>& keeps_on) {
  return TopooptSearch(nodes, job, options, keeps_on).run();
}

}  // namespace fredsim
