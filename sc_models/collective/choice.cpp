// SPDX-License-Identifier: Apache-2.0
#include "collective/choice.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <vector>

#include "collective/detail/chains.h"
#include "collective/detail/covering_windows.h"
#include "collective/detail/endpoint_plan.h"
#include "collective/detail/packet_race.h"
#include "collective/detail/port_balance.h"
#include "collective/plan_size.h"
#include "collective/plan_time.h"
#include "plan/hop_paths.h"
#include "plan/in_switch_roles.h"
#include "plan/pattern.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

// True for kPapers without an estimate: an algorithm in the switches that always wins, or the only
// one at the endpoints. `switches`: candidate in the switches.
bool is_fixed(const Topology& topology, const CollectiveSpec& spec, const Algorithm* switches) {
  const auto is_at_endpoints = [&](const Algorithm* algorithm) {
    return !algorithm->is_in_switches() && algorithm->has(spec.collective) &&
           algorithm->exists_on(topology);
  };
  if (std::ranges::count_if(algorithms(), is_at_endpoints) == 1) return true;
  return switches != nullptr && switches->is_rule_on(topology) && !takes_steps(spec.collective);
}

class Chooser {
 public:
  Chooser(const Topology& topology, std::span<const CollectiveSpec> specs,
          std::span<const Part> parts)
      : topology_(topology),
        walk_(topology, none_, routes_by_table(topology)),
        specs_(specs),
        parts_(parts) {}

  Fastest run(const Algorithm* switches, std::optional<double> in_switch) {
    if (is_raced()) {
      if (std::optional<Fastest> first = race()) return std::move(*first);
    }
    if (in_switch) {
      best_ = *in_switch;
      if (best_ != kNever)
        take_switches(*switches, topology_.failed.cut_slices() ? kSwitchLead : kClearly);
    } else if (switches != nullptr) {
      best_ = 0;
      for (std::size_t k = 0; k < specs_.size(); ++k)
        best_ = std::max(best_, switches->cycles(topology_, walk_, specs_[k], parts_[k]).value());
      take_switches(*switches, recurs_in_switches() ? kRecurringLead : 1);
    }
    // The paper's algorithm goes first: any other has to be clearly faster.
    for (const bool papers : {true, false}) {
      for (const Algorithm* algorithm : algorithms() | std::views::reverse) {
        if (!algorithm->is_in_switches() && algorithm->is_weighed() &&
            algorithm->is_papers(topology_, specs_.front().collective) == papers)
          weigh(*algorithm);
      }
    }
    Fastest fastest{name_};
    if (best_in_switches_ && passed_cycles_ < best_) {
      fastest.passed_over = passed_over_;
      fastest.gain = 1 - passed_cycles_ / best_;
    }
    return fastest;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr double kClearly = 0.96;  // differences below the model's error do not count
  static constexpr double kClearlyOfPairs =
      0.985;  // nothing is added: first packets are known to 3 %
  // Grids, beyond the size of a race: the busiest link alone decides which is faster.
  static constexpr double kOfLongOnes = 0.99;
  // Endpoint trees in shares of the ports took up to a fourth longer than estimated (one group of
  // two, six sizes).
  static constexpr double kSwitchLead = 0.8;

  // Long reduce-scatters in the switches recur, trees of endpoints do not: 1 GiB on Fred-D takes 20
  // times as long to simulate by hier_ring, and 4.5 % fewer cycles (estimated: 9 %).
  static constexpr double kRecurringLead = 0.9;

  // Whole vectors over a reducing mesh, in place of the switches: up to a tenth longer than
  // estimated (six groups, ten sizes).
  static constexpr double kVectorLead = 0.9;

  // Maximum ratio of real to estimated time for packets that are held up by other packets.
  static constexpr double kHeldUp = 1.5;

  // Packets of 1 KiB end up to a tenth earlier than packets of 4 KiB on a grid, by up to 1 MiB
  // (mesh of 20); each costs time to simulate.
  static constexpr int kShortPacketFlits = 2;
  static constexpr double kShortLead = 0.98;
  // Beyond it, no runner becomes the first by short packets.
  static constexpr double kMayCatchUp = 1.15;

  struct Runner {
    const Algorithm* algorithm = nullptr;
    Plan plan{};
    double cycles = 0;  // estimate
    double bound = 0;   // lower bound on the time of any race
  };

  // Switches with phases, and switches of trees of levels, have buffers and an arbitration of their
  // own; one-way links may end in a deadlock. Pairs on a grid go on virtual channels of their own,
  // which races do not know.
  bool is_raced() const {
    const bool is_known = !on_grid_ || pattern_of(specs_.front().collective) != Pattern::kPairs;
    return is_known && topology_.tree.levels.size() < 2 && !topology_.one_way &&
           !has_phases(topology_);
  }

  // Reduce-scatters in the switches recur from some size on, all-gathers do not.
  bool recurs_in_switches() const {
    return specs_.front().collective == Collective::kReduceScatter &&
           specs_.front().bytes > kPacedAboveBytes;
  }

  void take_switches(const Algorithm& switches, double lead) {
    name_ = switches.name();
    lead_ = lead;
    best_in_switches_ = true;
  }

  // The first over the line; none: there are too many packets for a race.
  std::optional<Fastest> race() {
    HopPaths hops(topology_, walk_);
    std::vector<Runner> runners = all_runners(hops);
    std::ranges::stable_sort(runners, {}, &Runner::cycles);
    const double least = runners.empty() ? 0 : runners.front().cycles;
    std::erase_if(runners, [&](const Runner& runner) {
      return (on_grid_ ? runner.cycles : runner.bound) > least * kHeldUp;
    });
    if (!std::ranges::all_of(runners, [&](Runner& runner) { return can_race(runner.plan, hops); }))
      return {};
    double best = kNever;
    Fastest first;
    const auto run = [&](Runner& runner, double lead) {
      if (runner.bound >= best * lead) return;
      runner.cycles = race_packets(topology_, runner.plan, hops);
      if (runner.cycles >= best * lead) return;
      best = runner.cycles;
      first = {std::string(runner.algorithm->name()), runner.plan.parts.front().packet_flits};
    };
    for (Runner& runner : runners) run(runner, 1);
    if (best == kNever) return {};
    if (!on_grid_ || topology_.packet_flits <= kShortPacketFlits) return first;
    std::erase_if(runners,
                  [&](const Runner& runner) { return runner.cycles > best * kMayCatchUp; });
    for (const Runner& of_long : runners) {
      std::optional<Runner> runner = runner_of(*of_long.algorithm, kShortPacketFlits, hops);
      if (runner && races_whole(runner->plan, hops)) run(*runner, kShortLead);
    }
    return first;
  }

  std::vector<Runner> all_runners(HopPaths& hops) {
    std::vector<Runner> runners;
    for (const Algorithm* algorithm : algorithms() | std::views::reverse) {
      // Packets in flight beyond a path's length, by an algorithm's own window, queue more
      // than their first ones show.
      if (algorithm->is_in_switches() || algorithm->paces_by_window()) continue;
      if (std::optional<Runner> runner = runner_of(*algorithm, topology_.packet_flits, hops))
        runners.push_back(std::move(*runner));
    }
    return runners;
  }

  std::optional<Runner> runner_of(const Algorithm& algorithm, int packet_flits, HopPaths& hops) {
    std::optional<Plan> plan = plan_by(algorithm, packet_flits);
    if (!plan) return {};
    cover_round_trips(topology_, *plan);
    const double cycles = estimated_cycles(topology_, *plan, walk_);
    const double bound = busiest_link_cycles(topology_, *plan, hops);
    return Runner{&algorithm, std::move(*plan), cycles, bound};
  }

  std::optional<Plan> plan_by(const Algorithm& algorithm, int packet_flits) {
    if (!algorithm.has(specs_.front().collective)) return {};
    Plan plan;
    plan.parts.assign(parts_.begin(), parts_.end());
    for (Part& part : plan.parts) {
      part.slice_weights.clear();
      part.packet_flits = packet_flits;
    }
    for (const Part& part : plan.parts) {
      const bool has_it = part.roots == 0 || algorithm.has_streams();
      if (!has_it || !algorithm.refusal(topology_, part).empty()) return {};
    }
    std::vector<CollectiveSpec> specs(specs_.begin(), specs_.end());
    for (CollectiveSpec& spec : specs) spec.algorithm = algorithm.name();
    if (plan_size_on_fabric(topology_, specs).entries > kMaxWeighedEntries &&
        !algorithm.is_weighed_at_any_size())
      return {};
    std::vector<ChainSpec> chains;
    for (std::size_t k = 0; k < specs.size(); ++k)
      plan_endpoint(topology_, specs[k], static_cast<int>(k), plan, chains);
    plan_together(topology_, chains, plan);
    balance_ports(topology_, plan);
    return plan;
  }

  void weigh(const Algorithm& algorithm) {
    const std::optional<Plan> plan = plan_by(algorithm, topology_.packet_flits);
    if (!plan) return;
    const double cycles = estimated_cycles(topology_, *plan, walk_);
    const bool leaves_switches = best_in_switches_ && algorithm.sends_whole_vectors();
    if (cycles >= best_ * (leaves_switches ? std::min(lead_, kVectorLead) : lead_)) {
      if (best_in_switches_ && recurs_in_switches() && cycles < passed_cycles_) {
        passed_cycles_ = cycles;
        passed_over_ = algorithm.name();
      }
      return;
    }
    best_in_switches_ = false;
    best_ = cycles;
    name_ = algorithm.name();
    lead_ = pattern_of(specs_.front().collective) == Pattern::kPairs ? kClearlyOfPairs
            : on_grid_ && is_raced()                                 ? kOfLongOnes
                                                                     : kClearly;
  }

  const Topology& topology_;
  const bool on_grid_ = topology_.has_places();
  const Plan none_{};
  LinkWalk walk_;
  std::span<const CollectiveSpec> specs_;
  std::span<const Part> parts_;
  double best_ = kNever;
  bool best_in_switches_ = false;
  std::string passed_over_;  // the fastest that was not faster by kRecurringLead
  double passed_cycles_ = kNever;
  double lead_ = kClearly;  // factor by which the next one has to be faster than the best so far
  std::string name_{to_string(Choice::kPapers)};
};

}  // namespace

Fastest fastest_algorithm(const Topology& topology, std::span<const CollectiveSpec> specs,
                          std::span<const Part> parts, const Algorithm* switches,
                          std::optional<double> in_switch) {
  if (is_fixed(topology, specs.front(), in_switch ? nullptr : switches))
    return {std::string(to_string(Choice::kPapers))};
  return Chooser(topology, specs, parts).run(switches, in_switch);
}

}  // namespace fredsim
