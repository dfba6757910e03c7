// SPDX-License-Identifier: Apache-2.0
#include "collective/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <ranges>

#include "base/error.h"
#include "base/suggest.h"
#include "base/units.h"
#include "collective/algorithm.h"
#include "collective/choice.h"
#include "collective/detail/covering_windows.h"
#include "collective/detail/endpoint_plan.h"
#include "collective/detail/packet_order.h"
#include "collective/detail/packet_pace.h"
#include "collective/detail/port_balance.h"
#include "collective/detail/slice_shares.h"
#include "collective/endpoint_trees.h"
#include "collective/in_switch_plan.h"
#include "collective/in_switch_time.h"
#include "collective/plan_time.h"
#include "plan/acknowledgements.h"
#include "plan/in_switch_roles.h"
#include "plan/link_load.h"
#include "plan/members.h"
#include "switch/node_shape.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

void check_roots(const CollectiveSpec& spec) {
  if (spec.roots == 0) return;
  const int max = static_cast<int>(spec.group.size()) - 1;
  if (spec.collective != Collective::kMulticast && spec.collective != Collective::kReduce)
    throw BadInput(
        fmt::format("roots: found {}, {} has no blocks with a root each; allowed: with "
                    "multicast and reduce",
                    spec.roots, to_string(spec.collective)));
  if (spec.roots < 0 || spec.roots > max)
    throw BadInput(fmt::format("roots: found {}; allowed: 1 to {}, for a group of {}", spec.roots,
                               max, max + 1));
  if (spec.root != 0)
    throw BadInput(fmt::format("root: rank {} found together with roots, which are the first ranks",
                               spec.root));
}

Part part_of(const Topology& topology, const CollectiveSpec& spec) {
  check_algorithm(spec.algorithm);
  Part part;
  part.collective = spec.collective;
  part.members = members_of(topology, spec.group);
  check_spec(spec);
  part.bytes = spec.bytes;
  part.packet_flits = spec.packet_flits > 0 ? std::min(spec.packet_flits, topology.packet_flits)
                                            : topology.packet_flits;
  part.vc = spec.vc;
  part.root = spec.root;
  part.roots = spec.roots;
  part.start_cycle = spec.start_cycle;
  part.order = spec.order;
  const auto ranks = part.members.size();
  check_roots(spec);
  if (spec.collective == Collective::kAllToAllV && spec.matrix.size() != ranks * ranks)
    throw BadInput(fmt::format("matrix: {} sizes found, a group of {} needs {} × {}",
                               spec.matrix.size(), ranks, ranks, ranks));
  return part;
}

// Algorithm of a part in the switches, as requested or by the paper's choice; null: the part runs
// at the endpoints. Errors: BadInput where the part cannot have a requested algorithm.
const Algorithm* switch_algorithm_of(const Topology& topology, const CollectiveSpec& spec,
                                     const Part& part) {
  if (is_choice(spec.algorithm)) {
    const Algorithm* papers = switch_algorithm(spec.collective);
    const bool takes_it = papers != nullptr && papers->is_papers(topology, spec.collective) &&
                          papers->refusal(topology, part).empty();
    return takes_it ? papers : nullptr;
  }
  const Algorithm* named = find_algorithm(spec.algorithm);
  if (!named->is_in_switches()) return nullptr;
  if (const std::string why = named->refusal(topology, part); !why.empty())
    throw BadInput("algorithm: " + why);
  return named;
}

void plan_alone(const Topology& topology, const CollectiveSpec& spec, int part, Plan& plan) {
  Part& p = plan.parts[part];
  const Algorithm* in_switch = switch_algorithm_of(topology, spec, p);
  p.algorithm = !is_choice(spec.algorithm) ? spec.algorithm
                : in_switch != nullptr     ? in_switch->name()
                                           : plain_algorithm(spec.collective).name();
  p.window = in_switch_window(topology, p);
  plan.trees.push_back(alone_tree(part, whole_range(0, p.bytes)));
}

class WorkPlanner {
 public:
  using Weights = std::vector<std::vector<std::uint64_t>>;

  WorkPlanner(const Topology& topology, std::span<const CollectiveSpec> work,
              OnConflict on_conflict)
      : topology_(topology), specs_(work.begin(), work.end()), on_conflict_(on_conflict) {
    for (const CollectiveSpec& spec : specs_) free_.push_back(is_choice(spec.algorithm));
  }

  // Plan for measuring the throughput of slices on a machine with failed components: even weights;
  // collectives that no slice can run in the switches run at the endpoints.
  Plan run_even(bool detached) {
    is_measured_ = true;
    by_slices_ = !detached;
    add_parts();
    for (int part = 0; part < std::ssize(specs_); ++part) {
      plan_.parts[part].slice_weights = even_weights(topology_, plan_, part, detached);
      if (is_to_choose(part) || !has_slice(part)) take_papers(part);
    }
    return run_parts();
  }
  // `weights`: by part, Part::slice_weights; empty: even. `by_slices`: endpoint trees go by them
  // too, not hop by hop.
  Plan run(const Weights& weights = {}, bool by_slices = false) {
    by_slices_ = by_slices;
    add_parts();
    for (int part = 0; part < std::ssize(weights); ++part) {
      plan_.parts[part].slice_weights = weights[part];
      if (!has_slice(part))
        plan_.parts[part].slice_weights = even_weights(topology_, plan_, part, false);
    }
    return run_parts();
  }

 private:
  void add_parts() {
    for (const CollectiveSpec& spec : specs_) plan_.parts.push_back(part_of(topology_, spec));
  }

  bool is_to_choose(int part) const {
    return choice_of(specs_[part].algorithm) == Choice::kFastest;
  }
  void take_papers(int part) { specs_[part].algorithm = to_string(Choice::kPapers); }

  // A slice that its in-switch trees can go by.
  bool has_slice(int part) const {
    const auto& weights = plan_.parts[part].slice_weights;
    return weights.empty() || std::ranges::any_of(weights, [](auto weight) { return weight > 0; });
  }

  // Same as switch_algorithm_of(), with the slices that are left.
  const Algorithm* in_switches(int part) const {
    const CollectiveSpec& spec = specs_[part];
    const Algorithm* found = switch_algorithm_of(topology_, spec, plan_.parts[part]);
    if (found == nullptr || has_slice(part)) return found;
    if (is_choice(spec.algorithm)) return nullptr;
    throw BadInput(
        fmt::format("algorithm: {} found, but no slice of {} joins all members of {} any more{}; "
                    "allowed: {}",
                    found->name(), topology_.name, group_name(topology_, plan_.parts[part]),
                    faults_text(topology_), allowed_algorithms(spec.collective)));
  }

  Plan run_parts() {
    choose_algorithms();
    for (int part = 0; part < std::ssize(specs_); ++part) {
      if (plan_.parts[part].members.size() == 1) continue;
      const Algorithm* algorithm = in_switches(part);
      if (algorithm == nullptr) continue;
      plan_.parts[part].algorithm = algorithm->name();
      in_switch_.push_back(part);
    }
    InSwitchPlan switches = plan_switches();
    std::vector<ChainSpec> chains;
    for (int part = 0; part < std::ssize(specs_); ++part) {
      Part& p = plan_.parts[part];
      if (p.members.size() == 1) {
        plan_alone(topology_, specs_[part], part, plan_);
      } else if (std::ranges::find(in_switch_, part) != in_switch_.end()) {
        p.window = find_algorithm(p.algorithm)->window(topology_, p);
        p.after = switches.after[part];
        p.packet_flits = std::min(p.packet_flits, switches.packets[part].flits);
        p.run = switches.packets[part].run;
        p.lead = switches.packets[part].lead;
        if (!switches.weights[part].empty()) p.slice_weights = switches.weights[part];
        std::ranges::move(switches.trees[part], std::back_inserter(plan_.trees));
      } else {
        if (!by_slices_ || !has_slice(part)) p.slice_weights.clear();
        plan_endpoint(topology_, specs_[part], part, plan_, chains);
      }
    }
    plan_.programs = std::move(switches.programs);
    plan_together(topology_, chains, plan_);
    balance_ports(topology_, plan_);
    if (on_grid_) part_channels();
    cover_round_trips(topology_, plan_);
    add_acknowledgements(topology_, plan_);
    refuse_packet_pace(topology_, plan_);
    set_packet_order(topology_, plan_);
    set_packet_pace(topology_, plan_);
    set_bounds(topology_, plan_);
    return std::move(plan_);
  }

  // Groups that want the same are looked at together: they share the links.
  void choose_algorithms() {
    const auto alike = [&](int a, int b) {
      const CollectiveSpec& x = specs_[a];
      const CollectiveSpec& y = specs_[b];
      return x.collective == y.collective && x.bytes == y.bytes && x.vc == y.vc &&
             x.roots == y.roots && x.start_cycle == y.start_cycle &&
             x.group.size() == y.group.size();
    };
    for (int first = 0; first < std::ssize(specs_); ++first) {
      if (specs_[first].roots > 0 && is_to_choose(first)) take_papers(first);  // the only path
      if (!is_to_choose(first) || plan_.parts[first].members.size() == 1) continue;
      std::vector<int> parts;
      for (int part = first; part < std::ssize(specs_); ++part) {
        if (is_to_choose(part) && alike(first, part)) parts.push_back(part);
      }
      const Algorithm* switches = switch_algorithm(specs_[first].collective);
      const bool has_it =
          switches != nullptr && switches->refusal(topology_, plan_.parts[first]).empty();
      choose(parts, has_it ? switches : nullptr);
    }
  }

  void choose(const std::vector<int>& numbers, const Algorithm* switches) {
    std::vector<CollectiveSpec> specs;
    std::vector<Part> parts;
    for (const int part : numbers) {
      specs.push_back(specs_[part]);
      parts.push_back(plan_.parts[part]);
    }
    // On a machine with failed components the switches may be limited to few slices; where credits
    // limit links, to one virtual channel, while endpoints may use several.
    std::optional<double> in_switch;
    const bool may_be_slow =
        topology_.failed.cut_slices() || (topology_.has_slices() && counts_credits(topology_));
    if (may_be_slow && switches != nullptr && !is_measured_)
      in_switch = cycles_in_switches(parts, specs.front());
    const Fastest fastest = fastest_algorithm(topology_, specs, parts, switches, in_switch);
    for (const int part : numbers) specs_[part].algorithm = fastest.algorithm;
    take_packets(numbers, fastest.packet_flits);
    if (!fastest.passed_over.empty()) {
      plan_.note(fmt::format(
          "{} in the switches, where its states recur; {} is estimated to be {:.1f} % faster",
          to_string(specs.front().collective), fastest.passed_over, 100 * fastest.gain));
    }
    if (switches != nullptr && switches->is_rule_on(topology_) &&
        takes_steps(specs.front().collective) && fastest.algorithm != switches->name()) {
      plan_.note(
          fmt::format("{} at the endpoints, estimated to be faster than its steps in the switches",
                      to_string(specs.front().collective)));
    }
  }

  void take_packets(const std::vector<int>& numbers, int flits) {
    const int longest = topology_.packet_flits;
    for (const int part : numbers) plan_.parts[part].packet_flits = flits > 0 ? flits : longest;
    if (flits == 0 || flits == longest) return;
    const auto size = [](int of) {
      return format_size(static_cast<std::uint64_t>(of) * kFlitBytes);
    };
    plan_.note(fmt::format("{} by packets of {}, estimated to be faster than of {} (fabric.packet)",
                           to_string(specs_[numbers.front()].collective), size(flits),
                           size(longest)));
  }

  // Time of groups that want the same, by themselves; none where steps have an estimate of their
  // own. Infinite: they do not fit.
  std::optional<double> cycles_in_switches(std::vector<Part> parts, const CollectiveSpec& spec) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const auto has_slice = [](const Part& part) {
      return part.slice_weights.empty() ||
             std::ranges::any_of(part.slice_weights, [](auto weight) { return weight > 0; });
    };
    if (!std::ranges::all_of(parts, has_slice)) return kNever;
    if (takes_steps(spec.collective)) return {};
    Plan plan;
    plan.parts = std::move(parts);
    std::vector<int> numbers(plan.parts.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    try {
      InSwitchPlan switches = plan_in_switch(topology_, plan, numbers, OnConflict::kRefuse);
      for (auto& trees : switches.trees) std::ranges::move(trees, std::back_inserter(plan.trees));
      plan.programs = std::move(switches.programs);
    } catch (const GroupConflict&) {
      return kNever;
    }
    balance_ports(topology_, plan);
    return in_switch_cycles(topology_, plan);
  }

  // On a grid, unicasts and the trees of one virtual channel could wait for each other in a circle:
  // unicasts turn from rows into columns, results of a tree from columns into rows. What runs at
  // the endpoints begins when the trees on its channels are done.
  void part_channels() {
    std::vector<unsigned> channels(plan_.parts.size());  // channels of unicasts, by part: a bit
                                                         // each
    for (const Tree& tree : plan_.trees) channels[tree.part] |= unicast_channels(tree.ranks);
    for (std::size_t part = 0; part < plan_.parts.size(); ++part) {
      for (const int tree : in_switch_) {
        if ((channels[part] >> plan_.parts[tree].vc & 1U) == 0) continue;
        plan_.parts[part].after.push_back(tree);
        plan_.note(fmt::format("{} begins after {}: unicasts and trees share no virtual channel",
                               group_name(topology_, plan_.parts[part]),
                               group_name(topology_, plan_.parts[tree])));
      }
    }
  }

  // On a grid: where `auto` has put all in-switch parts of a virtual channel there, they leave the
  // switches rather than have unicasts of other parts on that channel wait.
  void leave_beside_unicasts() {
    const std::vector<int> in_switch = in_switch_;
    for (const int part : in_switch) {
      const auto shares_channel = [&](int other) {
        return plan_.parts[other].vc == plan_.parts[part].vc;
      };
      const auto sends_unicasts = [&](int other) {
        return shares_channel(other) && plan_.parts[other].members.size() > 1 &&
               std::ranges::find(in_switch, other) == in_switch.end();
      };
      const auto must_stay = [&](int other) {
        return shares_channel(other) && (!free_[other] || is_choice(specs_[other].algorithm));
      };
      if (std::ranges::any_of(std::views::iota(0, static_cast<int>(specs_.size())),
                              sends_unicasts) &&
          std::ranges::none_of(in_switch, must_stay))
        to_endpoints(part, "unicasts of other groups share its virtual channel");
    }
  }

  // Parts that cannot be in the switches are taken out of in_switch_.
  InSwitchPlan plan_switches() {
    if (on_grid_) leave_beside_unicasts();
    for (;;) {
      InSwitchPlan switches;
      try {
        switches = plan_in_switch(topology_, plan_, in_switch_, on_conflict_);
      } catch (const GroupConflict& conflict) {
        const bool may_leave = on_grid_ || topology_.failed.cut_slices();
        if (!may_leave || !leave_to_endpoints(conflict)) throw;
        continue;
      }
      for (const int part : switches.left_over)
        to_endpoints(part, "its flows cannot be routed together with those before it");
      if (switches.no_rows) {
        to_endpoints(part_to_give_way(*switches.no_rows), *switches.no_rows);
        continue;
      }
      return switches;
    }
  }

  // On a grid, where trees meet easily and rings are as good, and on a tree with failed paths: the
  // parts of a virtual channel that may take another path do so, all of them, since unicasts would
  // have to wait for the remaining ones. False: there are none.
  bool leave_to_endpoints(const GroupConflict& conflict) {
    const int vc = plan_.parts[conflict.parts().front()].vc;
    std::vector<int> parts;
    std::ranges::copy_if(in_switch_, std::back_inserter(parts),
                         [&](int part) { return plan_.parts[part].vc == vc && free_[part]; });
    for (const int part : parts)
      to_endpoints(part,
                   "the trees of its priority do not fit together: " + conflict.obstacle().why);
    return !parts.empty();
  }

  // Last part that may take another path, preferably among the parts that use the most phases.
  int part_to_give_way(const std::string& why) const {
    int chosen = -1;
    for (const int part : in_switch_) {
      const bool steps = has_blocks(plan_.parts[part]);
      if (free_[part] && (chosen < 0 || steps || !has_blocks(plan_.parts[chosen]))) chosen = part;
    }
    if (chosen >= 0) return chosen;
    throw BadInput(fmt::format("algorithm: {} does not fit: {}; allowed: {}",
                               plan_.parts[in_switch_.back()].algorithm, why,
                               allowed_algorithms(specs_[in_switch_.back()].collective)));
  }

  void to_endpoints(int part, const std::string& why) {
    std::erase(in_switch_, part);
    if (choice_of(specs_[part].algorithm) != Choice::kPapers) choose({part}, nullptr);
    plan_.note(
        fmt::format("{} runs at the endpoints: {}", group_name(topology_, plan_.parts[part]), why));
  }

  const Topology& topology_;
  const bool on_grid_ = topology_.has_places();
  std::vector<CollectiveSpec> specs_;
  OnConflict on_conflict_;
  std::vector<bool> free_;  // by part: no algorithm is asked for
  bool is_measured_ = false;
  bool by_slices_ = false;
  Plan plan_;
  std::vector<int> in_switch_;
};

// Vectors whose shares are as good as exact.
constexpr std::uint64_t kKibi = 1024;
constexpr std::uint64_t kLongBytes = kKibi * kKibi * kKibi;
// Additional latency of a sum, and its result, on the path through a helper.
constexpr double kDetachedCycles = 250;
// Factor of the time where no helper is below the same L1 switch: operands and results share the
// uplinks with trees. Found by measurement of four groups over the L1 switches of Fred-D.
constexpr double kCrossingCosts = 1.5;

// Slowdown of all-to-alls where each hop has a port of its own: blocks meet at receivers, while
// shares that use the slices in turn do not. Found by measurement on Fred-D with one to twelve
// failed components.
constexpr double kHopByHopCosts = 1.15;

bool is_all_to_all(const Part& part) {
  return part.collective == Collective::kAllToAll || part.collective == Collective::kAllToAllV;
}

// Slices with or without detached ranks, whichever is faster.
const SliceUse& faster_use(const Topology& topology, std::uint64_t bytes, const SliceUse& whole,
                           const SliceUse& detached) {
  if (!detached.detaches) return whole;
  if (whole.flits_per_ns == 0) return detached;
  const double flits = static_cast<double>(bytes) / kFlitBytes;
  const double cycles_per_ns = static_cast<double>(topology.clock_hz) / 1e9;
  const double late = kDetachedCycles / cycles_per_ns;
  const double factor = detached.crosses ? kCrossingCosts : 1;
  const double detached_ns = factor * flits / detached.flits_per_ns + late;
  return detached_ns < flits / whole.flits_per_ns ? detached : whole;
}

// Notes the groups whose data is not split evenly over all slices.
void note_slices(const Topology& topology, Plan& plan) {
  for (const Part& part : plan.parts) {
    const auto& weights = part.slice_weights;
    if (std::ranges::adjacent_find(weights, std::ranges::not_equal_to{}) == weights.end()) continue;
    plan.note(fmt::format("slices carry {} of {}", weights_text(weights),
                          plan.parts.size() == 1 ? "the vector" : group_name(topology, part)));
  }
}

}  // namespace

Plan plan_on_fabric(const Topology& topology, std::span<const CollectiveSpec> work,
                    OnConflict on_conflict) {
  if (!topology.failed.cut_slices()) return WorkPlanner(topology, work, on_conflict).run();
  std::vector<CollectiveSpec> long_work(work.begin(), work.end());
  for (CollectiveSpec& spec : long_work) {
    spec.bytes = std::max(spec.bytes, kLongBytes);
    for (std::uint64_t& bytes : spec.matrix) bytes *= kLongBytes / kKibi;
  }
  const auto uses = [&](bool detached) {
    return measured_use(topology, WorkPlanner(topology, long_work, on_conflict).run_even(detached));
  };
  const std::vector<SliceUse> whole = uses(false);
  const std::vector<SliceUse> detached = uses(true);
  WorkPlanner::Weights weights;
  for (std::size_t part = 0; part < work.size(); ++part)
    weights.push_back(faster_use(topology, work[part].bytes, whole[part], detached[part]).weights);
  Plan plan = WorkPlanner(topology, work, on_conflict).run(weights);
  if (std::ranges::all_of(plan.parts, is_all_to_all)) {
    Plan by_slices = WorkPlanner(topology, work, on_conflict).run(weights, true);
    if (by_slices.bound_ns <= kHopByHopCosts * plan.bound_ns) plan = std::move(by_slices);
  }
  note_slices(topology, plan);
  return plan;
}

CollectiveSpec spec_of_part(const Topology& topology, const Part& part) {
  CollectiveSpec spec;
  spec.collective = part.collective;
  spec.algorithm = part.algorithm;
  for (const NodeId member : part.group()) spec.group.push_back(member_number(topology, member));
  spec.bytes = part.bytes;
  spec.root = part.root;
  spec.roots = part.roots;
  spec.vc = part.vc;
  spec.order = part.order;
  if (!find_algorithm(part.algorithm)->is_in_switches()) spec.packet_flits = part.packet_flits;
  return spec;
}

}  // namespace fredsim
