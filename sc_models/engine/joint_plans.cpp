// SPDX-License-Identifier: Apache-2.0
#include "engine/joint_plans.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "collective/algorithm.h"
#include "plan/in_switch_roles.h"
#include "plan/link_walk.h"
#include "switch/node_shape.h"
#include "switch/switch_kind.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

using Specs = std::vector<CollectiveSpec>;

// Parts [first_part, first_part + part_count) alone, with the phases of all. Their dependencies are
// those of the whole plan, including indirect ones through parts left out; they wait for no part
// that is left out.
Plan some_parts(Plan plan, std::size_t first_part, std::size_t part_count) {
  const int first = static_cast<int>(first_part);
  const int end = static_cast<int>(first_part + part_count);
  const auto is_kept = [&](int part) { return part >= first && part < end; };
  std::vector<std::vector<int>> after;
  for (int part = first; part < end; ++part) {
    std::set<int> seen;
    std::vector<int> reached = plan.parts[part].after, kept;
    while (!reached.empty()) {
      const int before = reached.back();
      reached.pop_back();
      if (!seen.insert(before).second) continue;
      if (is_kept(before))
        kept.push_back(before - first);
      else
        reached.insert(reached.end(), plan.parts[before].after.begin(),
                       plan.parts[before].after.end());
    }
    std::ranges::sort(kept);
    after.push_back(std::move(kept));
  }
  plan.parts.erase(plan.parts.begin() + end, plan.parts.end());
  plan.parts.erase(plan.parts.begin(), plan.parts.begin() + first);
  for (std::size_t part = 0; part < part_count; ++part)
    plan.parts[part].after = std::move(after[part]);
  std::erase_if(plan.trees, [&](const Tree& tree) { return !is_kept(tree.part); });
  for (Tree& tree : plan.trees) tree.part -= first;
  return plan;
}

// Key of all inputs of a plan; without bytes, of the inputs of a work's flows.
std::string key_of_works(const Specs& specs, bool with_bytes) {
  std::string key;
  for (CollectiveSpec spec : specs) {
    if (!with_bytes) {
      spec.bytes = 0;
      spec.matrix.clear();
    }
    key += key_of(spec);
  }
  return key;
}

// Returns true if the plan runs in the switches only, all at once, on one virtual channel.
bool is_all_in_switches(const Plan& plan) {
  const auto fits = [&](const Part& part) {
    return is_in_switches(part) && part.after.empty() && part.vc == plan.parts.front().vc;
  };
  const auto by_switch = [](const Tree& tree) {
    return tree.transport == Transport::kInSwitch &&
           std::ranges::none_of(tree.ranks, [](const TreeRank& rank) {
             return !rank.reduce_to.empty() || !rank.broadcast_to.empty();
           });
  };
  return !plan.programs.empty() && plan.collectives.empty() &&
         std::ranges::all_of(plan.parts, fits) && std::ranges::all_of(plan.trees, by_switch);
}

// Returns true if the trees of two plans of one work do the same, even over different uplinks.
bool has_equal_trees(const Plan& a, const Plan& b) {
  const auto same_rank = [](const TreeRank& x, const TreeRank& y) {
    return x.rank == y.rank && x.contributes == y.contributes && x.receives == y.receives &&
           x.switch_port == y.switch_port;
  };
  return std::ranges::equal(a.trees, b.trees, [&](const Tree& x, const Tree& y) {
    return x.part == y.part && x.step == y.step && x.first_flit == y.first_flit &&
           x.flits == y.flits && x.bytes == y.bytes &&
           std::ranges::equal(x.ranks, y.ranks, same_rank);
  });
}

class JointPlanner {
 public:
  JointPlanner(const Topology& topology, OnConflict on_conflict)
      : topology_(topology), on_conflict_(on_conflict) {}

  // Plans a work without neighbours before or beside it, once.
  void add(const Specs& work) {
    Plan& alone = plans_[key_of_works(work, true)] = make_plan(topology_, work, on_conflict_);
    if (!is_all_in_switches(alone)) return;
    Kin& kin = kin_[key_of_works(work, false)];
    if (kin.works.empty()) {
      kin.specs = work;
      for (std::size_t s = 0; s < work.size(); ++s)
        kin.specs[s].algorithm = alone.parts[s].algorithm;
      kin.ends = ends_of(alone);
    }
    kin.works.push_back({work, &alone});
    for (std::size_t s = 0; s < work.size(); ++s)
      kin.specs[s].bytes = std::max(kin.specs[s].bytes, work[s].bytes);
  }

  // Called once all works are added.
  void join() {
    std::vector<Set> of_kinds, sets;
    for (auto& [key, kin] : kin_) {
      const CollectiveSpec& first = kin.specs.front();
      put(of_kinds, {first.vc, first.collective, {&kin}, kin.ends}, true);
    }
    for (Set& set : of_kinds) put(sets, std::move(set), false);
    for (Set& set : sets)
      if (set.kin.size() > 1) plan_set(set);
  }

  Plan take(const Specs& work) { return std::move(plans_.at(key_of_works(work, true))); }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  using Ends = std::set<std::pair<NodeId, bool>>;  // endpoint, and whether it receives
  struct Work {
    Specs specs;
    Plan* plan = nullptr;
  };
  // Works with the same groups and any bytes.
  struct Kin {
    std::vector<Work> works;
    Specs specs;  // specs of the work with the most bytes
    Ends ends;
    std::optional<Plan> alone{};  // plan of these works alone
  };
  struct Set {
    int vc = 0;
    Collective collective{};  // collective of the first work
    std::vector<Kin*> kin;
    Ends ends;
  };

  static Ends ends_of(const Plan& plan) {
    Ends ends;
    for (const Part& part : plan.parts) {
      const GroupRoles roles = roles_of_part(part);
      for (std::size_t r = 0; r < part.members.size(); ++r) {
        if (roles.contributes[r]) ends.emplace(part.members[r], false);
        if (roles.receives[r]) ends.emplace(part.members[r], true);
      }
    }
    return ends;
  }

  // Sorts works, so that their order does not depend on the input.
  static std::vector<Kin*> sorted(std::vector<Kin*> kin) {
    std::ranges::sort(kin, {}, [](const Kin* one) {
      return std::pair(one->specs.front().group, one->specs.front().collective);
    });
    return kin;
  }

  // Joint plan of the k-th work of each; of one with fewer works, the largest.
  std::optional<Plan> plan_of(const std::vector<Kin*>& kin, std::size_t k = kNone) const {
    Specs specs;
    for (const Kin* one : kin) {
      const std::size_t first = specs.size();
      specs.insert(specs.end(), one->specs.begin(), one->specs.end());
      for (std::size_t s = 0; k < one->works.size() && s < one->specs.size(); ++s)
        specs[first + s].bytes = one->works[k].specs[s].bytes;
    }
    try {
      return make_plan(topology_, specs, OnConflict::kRefuse);
    } catch (const RoutingConflict&) {
      return {};
    } catch (const BadInput&) {
      return {};  // a machine with failed components
    }
  }

  // Adds the works to the first set that takes them, or to a new one.
  void put(std::vector<Set>& sets, Set more, bool of_one_kind) {
    for (Set& set : sets) {
      if (set.vc != more.vc || (of_one_kind && set.collective != more.collective)) continue;
      const auto is_taken = [&](const auto& end) { return set.ends.contains(end); };
      if (std::ranges::any_of(more.ends, is_taken)) continue;
      std::vector<Kin*> together = set.kin;
      together.insert(together.end(), more.kin.begin(), more.kin.end());
      together = sorted(std::move(together));
      if (!go_together(together)) continue;
      set.kin = std::move(together);
      set.ends.merge(more.ends);
      return;
    }
    sets.push_back(std::move(more));
  }

  bool go_together(const std::vector<Kin*>& kin) {
    const std::optional<Plan> all = plan_of(kin);
    std::size_t first = 0;
    return all && std::ranges::all_of(kin, [&](Kin* one) {
             if (!one->alone) one->alone = plan_of({one});
             const Plan own = some_parts(*all, first, one->specs.size());
             first += one->specs.size();
             return one->alone && is_all_in_switches(own) && has_equal_trees(own, *one->alone);
           });
  }

  // Plans the first works of all members together, then the second ones, and so on. A work of any
  // size has the phases of the largest ones.
  void plan_set(const Set& set) const {
    std::size_t max = 0;
    for (const Kin* kin : set.kin) max = std::max(max, kin->works.size());
    const std::optional<Plan> largest = plan_of(set.kin);
    for (std::size_t k = 0; largest && k < max; ++k) {
      const std::optional<Plan> all = plan_of(set.kin, k);
      std::size_t first = 0;
      for (const Kin* kin : set.kin) {
        const std::size_t parts = kin->specs.size();
        if (all && k < kin->works.size())
          keep(some_parts(*all, first, parts), largest->programs, *kin->works[k].plan);
        first += parts;
      }
    }
  }

  // Replaces the plan of a work by itself.
  void keep(Plan joint, const std::vector<PhaseProgram>& programs, Plan& plan) const {
    if (!is_all_in_switches(joint) || !has_equal_trees(joint, plan)) return;
    if (has_paths_of(joint, programs)) joint.programs = programs;
    joint.notes = std::move(plan.notes);
    joint.bound_ns = plan.bound_ns;
    plan = std::move(joint);
  }

  // Returns true if every flow of the plan's trees is in the same phase of `programs`.
  bool has_paths_of(const Plan& plan, const std::vector<PhaseProgram>& programs) const {
    const PhaseFlows own = flows_of(plan.programs);
    const PhaseFlows others = flows_of(programs);
    const LinkWalk walk(topology_, plan, false);
    bool all = true;
    for (const Tree& tree : plan.trees) {
      const int phase = tree.ranks.front().phase;  // phase of all its ranks
      walk.walk_in_switch(tree, [&](int number) {
        const Link& link = topology_.links[number];
        if (topology_.nodes[link.to].is_endpoint()) return;
        const auto there = others.find({link.to, phase});
        const std::vector<Flow>& flows = own.at({link.to, phase});
        const auto flow = std::ranges::find_if(
            flows, [&](const Flow& f) { return (f.inputs >> link.to_port & 1U) != 0; });
        all = all && there != others.end() &&
              std::ranges::find(there->second, *flow) != there->second.end();
      });
    }
    return all;
  }

  using PhaseFlows = std::map<std::pair<NodeId, int>, std::vector<Flow>>;
  PhaseFlows flows_of(const std::vector<PhaseProgram>& programs) const {
    PhaseFlows flows;
    for (const PhaseProgram& program : programs) {
      const SwitchShape shape = switch_shape(topology_, topology_.nodes[program.node]);
      flows[{program.node, program.phase}] = shape.kind->phase_flows(shape, program.row);
    }
    return flows;
  }

  const Topology& topology_;
  const OnConflict on_conflict_;
  std::map<std::string, Plan> plans_;  // key: work
  std::map<std::string, Kin> kin_;
};

bool has_streams(const Specs& specs) {
  return std::ranges::any_of(specs, [](const CollectiveSpec& spec) { return spec.roots > 0; });
}

// Plans a work with neighbours before or beside it. Streams in both directions of several shards
// may exceed the uplinks of a chiplet in one row. Then each direction has rows of its own, and
// operations of the two directions take turns.
Plan plan_with_others(const Topology& topology, const ApartWork& work, const Specs& own,
                      OnConflict on_conflict) {
  if (topology.has_blocks()) return make_plan(topology, own, on_conflict);
  Specs all = work.before;
  all.insert(all.end(), own.begin(), own.end());
  all.insert(all.end(), work.beside.begin(), work.beside.end());
  try {
    return some_parts(make_plan(topology, all, on_conflict), work.before.size(), own.size());
  } catch (const RoutingConflict&) {
    if (!has_streams(own)) throw;
  }
  return make_plan(topology, own, on_conflict);
}

std::vector<std::shared_ptr<const PreparedPlan>> plan_in_steps(const Topology& system,
                                                               std::span<const ApartWork> works) {
  std::map<std::string, std::shared_ptr<const PreparedPlan>> known;
  std::vector<std::shared_ptr<const PreparedPlan>> plans;
  for (const ApartWork& work : works) {
    Specs specs = work.work;
    for (CollectiveSpec& spec : specs) spec.start_cycle = 0;
    auto& plan = known[key_of_works(specs, true)];
    if (plan == nullptr) plan = prepare(system, plan_system(system, specs));
    plans.push_back(plan);
  }
  return plans;
}

}  // namespace

std::vector<std::shared_ptr<const PreparedPlan>> plan_apart(const Topology& topology,
                                                            std::span<const ApartWork> works,
                                                            OnConflict on_conflict,
                                                            SystemForm form) {
  if (topology.has_blocks() && form == SystemForm::kSteps) return plan_in_steps(topology, works);
  std::vector<std::shared_ptr<const PreparedPlan>> plans;
  std::vector<Specs> at_zero;  // a plan does not include starts
  JointPlanner joint(topology, on_conflict);
  std::map<std::string, std::shared_ptr<const PreparedPlan>> known;
  for (const ApartWork& work : works) {
    Specs& specs = at_zero.emplace_back(work.work);
    for (CollectiveSpec& spec : specs) spec.start_cycle = 0;
    if (!work.before.empty() || !work.beside.empty()) continue;
    if (known.try_emplace(key_of_works(specs, true)).second) joint.add(specs);
  }
  joint.join();
  for (std::size_t w = 0; w < works.size(); ++w) {
    const ApartWork& work = works[w];
    if (work.before.empty() && work.beside.empty()) {
      std::shared_ptr<const PreparedPlan>& plan = known.at(key_of_works(at_zero[w], true));
      if (plan == nullptr) plan = prepare(topology, joint.take(at_zero[w]));
      plans.push_back(plan);
      continue;
    }
    plans.push_back(prepare(topology, plan_with_others(topology, work, at_zero[w], on_conflict)));
  }
  return plans;
}

}  // namespace fredsim
