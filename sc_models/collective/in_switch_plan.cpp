// SPDX-License-Identifier: Apache-2.0
#include "collective/in_switch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/member.h"
#include "collective/detail/detached_ranks.h"
#include "collective/detail/member_boxes.h"
#include "collective/detail/slice_router.h"
#include "collective/detail/slice_shares.h"
#include "plan/in_switch_roles.h"
#include "plan/members.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

// Found by measurement on Fred-B: with packets of a flit in runs of 12 to 16 a chiplet has gone
// round its four uplink trees before the uplinks run dry; shorter runs cost more changes of phase,
// longer ones find the staging full.
constexpr PacketShape kSlowUplinks{.flits = 1, .run = 16};

// Trees per slice share when ranks are detached; interleaves the helpers and their ports.
constexpr std::uint64_t kDetachedTrees = 12;
// Slices keep pace with each other: a slice that is ahead fills the buffers through which the
// helpers of another slice receive operands.
// Found by measurement on Fred-D: 1 to 4 packets do as well; without a limit, sets of failed
//   components take up to half as long again.
constexpr int kDetachedLead = 2;

class InSwitchPlanner {
 public:
  InSwitchPlanner(const Topology& topology, const Plan& plan, OnConflict on_conflict)
      : topology_(topology),
        plan_(plan),
        on_conflict_(on_conflict),
        slices_(endpoint_slices(topology)),
        two_in_use_(phases_in_use(topology) > 1),
        cache_(topology) {
    result_.trees.resize(plan.parts.size());
    result_.after.resize(plan.parts.size());
    result_.packets.resize(plan.parts.size());
    result_.weights.resize(plan.parts.size());
  }

  InSwitchPlan run(std::span<const int> parts) {
    for (const int vc : {kMp, kPp, kDp}) {
      std::vector<int> of_vc;
      std::ranges::copy_if(parts, std::back_inserter(of_vc),
                           [&](int part) { return plan_.parts[part].vc == vc; });
      if (!of_vc.empty()) plan_vc(of_vc);
    }
    return std::move(result_);
  }

 private:
  using Weights = std::vector<std::vector<std::uint64_t>>;  // by part: Part::slice_weights
  // All slices of parts that are under way together; empty where they do not fit.
  struct Wave {
    std::vector<std::vector<SlicePart>> slices{};
    Weights weights{};
    bool empty() const { return slices.empty(); }
  };

  // Waves: parts under way together; a wave begins when the one before is complete.
  void plan_vc(const std::vector<int>& parts) {
    const bool refuses = on_conflict_ == OnConflict::kRefuse;
    Obstacle obstacle;
    if (Wave wave = try_wave(parts, refuses ? &obstacle : nullptr); !wave.empty()) {
      emit(std::move(wave));
      return;
    }
    if (refuses) refuse(parts, std::move(obstacle));
    // One part after the other into the first wave that takes it.
    std::vector<std::vector<int>> waves{{}};
    for (const int part : parts) {
      const auto takes = [&](std::vector<int> wave) {
        wave.push_back(part);
        return !try_wave(wave).empty();
      };
      const auto wave = std::ranges::find_if(waves, takes);
      if (wave != waves.end()) {
        wave->push_back(part);
      } else if (on_conflict_ == OnConflict::kUnicast) {
        result_.left_over.push_back(part);
      } else if (!takes({})) {
        try_wave({part}, &obstacle);
        refuse({part}, std::move(obstacle));
      } else {
        waves.push_back({part});
      }
    }
    for (std::size_t w = 0; w < waves.size(); ++w) {
      for (const int part : waves[w]) {
        if (w > 0) result_.after[part] = waves[w - 1];
      }
      if (!waves[w].empty()) emit(try_wave(waves[w]));
    }
  }

  // Removes from `parts` all parts that are not needed for a conflict of the kind of `obstacle`.
  [[noreturn]] void refuse(const std::vector<int>& parts, Obstacle obstacle) {
    std::vector<int> culprits = parts;
    // From behind, so that the first ones are named.
    for (const int part : std::vector<int>(parts.rbegin(), parts.rend())) {
      if (obstacle.kind == Obstacle::Kind::kGaveUp) break;
      std::vector<int> fewer = culprits;
      std::erase(fewer, part);
      Obstacle remains;
      if (!try_wave(fewer, &remains).empty() || remains.kind != obstacle.kind) continue;
      culprits = std::move(fewer);
      obstacle = std::move(remains);
    }
    std::string names;
    for (const int p : culprits)
      names +=
          fmt::format("{}{}", names.empty() ? "" : ", ", group_name(topology_, plan_.parts[p]));
    const std::string what =
        fmt::format("{}: {} cannot be routed {}: {}{} (--on-conflict later or unicast)",
                    topology_.name, names, culprits.size() > 1 ? "together" : "in the switches",
                    obstacle.chiplet.empty() ? "" : obstacle.chiplet + ": ", obstacle.why);
    throw GroupConflict(what, std::move(culprits), std::move(obstacle));
  }

  // An NPU of two parts: the switches see two operands at one port, or two results.
  std::optional<Obstacle> shared_member(const std::vector<int>& parts) const {
    std::set<std::pair<NodeId, bool>> in_use;
    for (const int part : parts) {
      const GroupRoles roles = roles_of_part(plan_.parts[part]);
      for (std::size_t r = 0; r < roles.receives.size(); ++r) {
        const NodeId member = plan_.parts[part].members[r];
        if ((!roles.contributes[r] || in_use.emplace(member, false).second) &&
            (!roles.receives[r] || in_use.emplace(member, true).second))
          continue;
        return Obstacle{.kind = Obstacle::Kind::kSharedNpu,
                        .why = fmt::format("they share {} on one virtual channel",
                                           topology_.nodes[member].name)};
      }
    }
    return {};
  }

  // Empty where they do not fit; `obstacle` then says why, where it is asked for.
  Wave try_wave(const std::vector<int>& parts, Obstacle* obstacle = nullptr) {
    if (std::optional<Obstacle> shared = shared_member(parts)) {
      if (obstacle != nullptr) *obstacle = std::move(*shared);
      return {};
    }
    Weights weights;
    for (const Part& part : plan_.parts) weights.push_back(part.slice_weights);
    for (;;) {
      Wave wave{{}, weights};
      bool all = true;
      for (int slice = 0; slice < slices_; ++slice) {
        std::vector<SlicePart>& placed =
            wave.slices.emplace_back(slice_parts(parts, slice, weights));
        SliceRouter router(topology_, plan_, cache_, slice, placed);
        if (router.place()) continue;
        all = false;
        // A slice with failed components may lack some of the groups.
        if (leave_out(parts, slice, weights)) continue;
        if (obstacle != nullptr) *obstacle = router.obstacle();
        return {};
      }
      if (all) return wave;
    }
  }

  std::vector<SlicePart> slice_parts(const std::vector<int>& parts, int slice,
                                     const Weights& weights) const {
    std::vector<SlicePart> placed;
    for (const int p : parts) {
      const Part& part = plan_.parts[p];
      std::vector<SliceTree> tasks = tasks_of(part, slice, SliceShares(topology_, weights[p]));
      if (tasks.empty()) continue;
      const std::vector<bool> joined = joined_ranks(topology_, part.members, slice);
      placed.push_back({p,
                        std::move(tasks),
                        of_joined(roles_of_part(part), joined),
                        lowest_nodes(topology_, part.members, slice, joined),
                        joined,
                        {}});
    }
    if (two_in_use_) set_streams_apart(placed);
    return placed;
  }

  // Streams of the two directions share no port, so where two phases can be in use each has phases
  // of its own: in one row they would have to come at the same time.
  void set_streams_apart(std::vector<SlicePart>& placed) const {
    const auto is_stream = [&](const SlicePart& part, bool adds) {
      const Part& of_plan = plan_.parts[part.part];
      return of_plan.roots > 0 && (of_plan.collective == Collective::kReduce) == adds;
    };
    int phases = 0;
    for (const SlicePart& part : placed) {
      if (is_stream(part, false)) phases = std::max(phases, static_cast<int>(part.tasks.size()));
    }
    for (SlicePart& part : placed) {
      if (is_stream(part, true)) part.first_slot = phases;
    }
  }

  // Places parts in a slice one after the other, starting with a different part in each slice: a
  // part that does not fit with earlier ones has no share of the slice. False: no paths have
  // failed, or a part has no slice left.
  bool leave_out(const std::vector<int>& parts, int slice, Weights& weights) {
    if (!topology_.failed.cut_slices()) return false;
    std::vector<int> kept;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const int part = parts[(k + static_cast<std::size_t>(slice)) % parts.size()];
      if (weights[part][slice] == 0) continue;
      kept.push_back(part);
      std::vector<SlicePart> placed = slice_parts(kept, slice, weights);
      if (SliceRouter(topology_, plan_, cache_, slice, placed).place()) continue;
      kept.pop_back();
      weights[part][slice] = 0;
      if (std::ranges::count(weights[part], 0U) == std::ssize(weights[part])) return false;
    }
    return true;
  }

  std::vector<SliceTree> tasks_of(const Part& part, int slice, const SliceShares& shares) const {
    const int ranks = static_cast<int>(part.members.size());
    if (!has_blocks(part)) {
      const FlitRange range = shares.of(whole_range(0, part.bytes), slice);
      if (range.flits == 0) return {};
      return {{first_root(part), range}};
    }
    const int owners = part.roots > 0 ? part.roots : ranks;
    const std::vector<FlitRange> blocks = padded_blocks(block_sizes(part.bytes, owners));
    std::vector<SliceTree> tasks;
    for (const int k : order_of_owners(part, owners)) {
      const FlitRange range = shares.of(blocks[k], slice, k);
      if (range.flits > 0) tasks.push_back({k, range});
    }
    return tasks;
  }

  // Streams in turn, one per switch: the switch of a root has to pass its sums on in both
  // directions.
  std::vector<int> order_of_owners(const Part& part, int owners) const {
    std::vector<int> order(static_cast<std::size_t>(owners));
    std::iota(order.begin(), order.end(), 0);
    if (part.roots == 0) return order;
    std::map<NodeId, int> before;
    std::vector<int> turn;
    turn.reserve(order.size());
    for (const int k : order) turn.push_back(before[topology_.nodes[part.members[k]].above]++);
    std::ranges::stable_sort(order, {}, [&](int k) { return turn[k]; });
    return order;
  }

  void emit(Wave placed) {
    auto& wave = placed.slices;
    int phases = 0;
    for (int slice = 0; slice < std::ssize(wave); ++slice) {
      for (const SlicePart& part : wave[slice])
        result_.weights[part.part] = placed.weights[part.part];
      const SliceRouter router(topology_, plan_, cache_, slice, wave[slice]);
      int slots = 0;
      for (const SlicePart& part : wave[slice]) {
        slots = std::max(slots, router.phases(part));
        if (plan_.parts[part.part].roots > 0) {
          result_.packets[part.part] = stream_packets(part);
        } else if (part.uplink_trees.size() > 1) {
          result_.packets[part.part] = kSlowUplinks;
        } else if (std::ranges::count(part.joined, false) > 0 && !slow_uplinks(topology_)) {
          result_.packets[part.part].lead = kDetachedLead;
        }
      }
      for (int slot = 0; slot < slots; ++slot) emit_phase(router, wave[slice], slice, slot);
      phases = std::max(phases, slots);
    }
    number_phases(phases);
  }

  // Runs of a burst of the roots' links.
  PacketShape stream_packets(const SlicePart& part) const {
    const Part& of_plan = plan_.parts[part.part];
    const Link& link = topology_.first_link_out(of_plan.members.front());
    return {.flits = of_plan.packet_flits, .run = std::max(1, link.burst / of_plan.packet_flits)};
  }

  // Numbers the phases of the wave just emitted, so far counted from 0: they take the numbers of an
  // earlier wave with the same rows, which is over when this one begins, or new numbers.
  void number_phases(int phases) {
    std::vector<Rows> rows(phases);
    for (PhaseProgram& program : programs_)
      rows[program.phase].emplace(program.node, std::move(program.row));
    programs_.clear();
    std::vector<int> number;
    int added = 0;
    for (Rows& of_phase : rows) {
      const auto known = known_rows_.find(of_phase);
      const bool is_new = known == known_rows_.end();
      number.push_back(is_new ? next_phase_ + added++ : known->second);
      if (!is_new) continue;
      for (const auto& [node, row] : of_phase) add_program({node, number.back(), row});
    }
    for (int phase = 0; phase < phases; ++phase)
      known_rows_.emplace(std::move(rows[phase]), number[phase]);
    next_phase_ += added;
    for (auto& [part, tree] : trees_) {
      for (TreeRank& rank : tree.ranks) rank.phase = number[rank.phase];
      result_.trees[part].push_back(std::move(tree));
    }
    trees_.clear();
  }

  void add_program(PhaseProgram program) {
    const SwitchShape& shape = cache_.shape(program.node);
    const int phases = shape.kind->num_phases(shape);
    if (program.phase < phases) {
      result_.programs.push_back(std::move(program));
    } else if (!result_.no_rows) {
      result_.no_rows = fmt::format("{} phases or more are needed, {} has room for {}",
                                    program.phase + 1, topology_.nodes[program.node].name, phases);
    }
  }

  void emit_phase(const SliceRouter& router, const std::vector<SlicePart>& parts, int slice,
                  int slot) {
    const SliceRouter::Phase phase = router.phase(slot);
    // Order of the ports in each flow, by part of the slice.
    std::vector<std::vector<SumOrder>> orders(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const int own = router.slot(parts[i], slot);
      if (own >= 0) orders[i].resize(router.flows_of(parts[i], own).size());
    }
    for (const auto& [chiplet, flows] : phase.flows) {
      const SwitchShape& shape = cache_.shape(chiplet);
      const RoutedFlows& routed = cache_.route(chiplet, flows);
      const std::vector<SliceRouter::ChipletFlow>& owners = phase.owners.at(chiplet);
      for (std::size_t f = 0; f < flows.size(); ++f)
        orders[owners[f].part][owners[f].flow] = routed.order[f];
      const int vc = plan_.parts[parts[owners.front().part].part].vc;
      programs_.push_back({chiplet, slot, shape.kind->phase_row(shape, vc, flows, routed)});
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const int own = router.slot(parts[i], slot);
      if (own < 0) continue;
      const int cuts = cuts_of(parts[i], own);
      for (int cut = 0; cut < cuts; ++cut) {
        Tree tree = tree_of(parts[i], slice, own, {cut, cuts});
        if (tree.flits == 0) continue;
        tree.order = rank_order(parts[i].tree(own), router.flows_of(parts[i], own), orders[i]);
        detached_.try_emplace(parts[i].part, topology_, plan_, parts[i].part)
            .first->second.attach(tree, parts[i].joined);
        trees_.emplace_back(parts[i].part, std::move(tree));
      }
    }
  }

  FlitRange range_of(const SlicePart& part, int slot) const {
    const auto trees = static_cast<std::uint64_t>(part.uplink_trees.size());
    return has_blocks(plan_.parts[part.part])
               ? part.tasks[slot].range
               : share_of(part.tasks[0].range, trees, static_cast<std::uint64_t>(slot));
  }

  // Trees that share a slot: more than one where ranks are detached, each of at least one packet.
  // Uplink trees are already several, and consecutive runs of one of them would starve the uplinks
  // of the remaining ones.
  int cuts_of(const SlicePart& part, int slot) const {
    if (std::ranges::count(part.joined, false) == 0 || part.uplink_trees.size() > 1) return 1;
    const std::uint64_t packets =
        range_of(part, slot).flits / static_cast<std::uint64_t>(topology_.packet_flits);
    return static_cast<int>(std::max<std::uint64_t>(1, std::min(kDetachedTrees, packets)));
  }

  struct Cut {
    int number = 0;
    int of = 1;
  };
  Tree tree_of(const SlicePart& part, int slice, int slot, const Cut& cut) const {
    const Part& of_plan = plan_.parts[part.part];
    const bool compound = has_blocks(of_plan);
    const auto trees = static_cast<int>(part.uplink_trees.size());
    const SliceTree& task = part.tasks[compound ? slot : 0];
    const FlitRange range = share_of(range_of(part, slot), static_cast<std::uint64_t>(cut.of),
                                     static_cast<std::uint64_t>(cut.number));
    const GroupRoles roles = of_joined(roles_of_task(of_plan, task.root), part.joined);
    Tree tree;
    tree.transport = Transport::kInSwitch;
    tree.part = part.part;
    tree.step = takes_steps(of_plan.collective) ? slot / trees : 0;
    tree.first_flit = range.first_flit;
    tree.flits = range.flits;
    tree.bytes = range.bytes;
    for (int r = 0; r < std::ssize(of_plan.members); ++r) {
      TreeRank rank;
      rank.rank = r;
      rank.contributes = roles.contributes[r];
      rank.receives = roles.receives[r];
      if (!rank.contributes && !rank.receives) continue;
      rank.switch_port = slice_nic_port(topology_, of_plan.members[r], slice);
      rank.phase = part.first_slot + slot;
      tree.ranks.all().push_back(std::move(rank));
    }
    return tree;
  }

  const Topology& topology_;
  const Plan& plan_;
  OnConflict on_conflict_;
  int slices_;
  bool two_in_use_;  // phases of a switch
  RouteCache cache_;
  InSwitchPlan result_;
  // State of the wave that is being emitted, phases counted from 0.
  std::vector<PhaseProgram> programs_;
  std::vector<std::pair<int, Tree>> trees_;                   // with their parts
  using Rows = std::map<NodeId, std::vector<std::uint32_t>>;  // rows of a phase
  std::map<Rows, int> known_rows_;                            // -> phase
  std::map<int, DetachedRanks> detached_;                     // by part
  int next_phase_ = 0;
};

}  // namespace

int in_switch_window(const Topology& topology, const Part& part) {
  constexpr int kMin = 64;
  constexpr int kRouter = 16;  // cycles of a hop beside the link's, with some to spare
  int latency = 0;
  for (const Link& link : topology.links) latency = std::max(latency, link.latency);
  // Up the tree and down again, at a flit per cycle.
  const int hops = 2 * (topology.grid.width + topology.grid.height + topology.tree.depth());
  return std::max(kMin, hops * (latency + kRouter + added_stages(topology)) / part.packet_flits);
}

InSwitchPlan plan_in_switch(const Topology& topology, const Plan& plan, std::span<const int> parts,
                            OnConflict on_conflict) {
  return InSwitchPlanner(topology, plan, on_conflict).run(parts);
}

std::string group_name(const Topology& topology, const Part& part) {
  std::string ranks;
  for (const NodeId member : part.group()) {
    ranks += (ranks.empty() ? "" : ",") + member_name(member_number(topology, member));
  }
  return fmt::format("group {} ({} at priority {})", ranks, to_string(part.collective),
                     priority_name(part.vc));
}

}  // namespace fredsim
