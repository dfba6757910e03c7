// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/slice_router.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "collective/detail/grid_trees.h"
#include "plan/group_conflict.h"
#include "plan/in_switch_roles.h"

namespace fredsim {
namespace {

constexpr int kMaxSearchSteps =
    50'000;  // max steps of the search in one slice: choices of uplinks,
             // routings

}  // namespace

const SwitchShape& RouteCache::shape(NodeId chiplet) {
  const auto found = shapes_.find(chiplet);
  if (found != shapes_.end()) return found->second;
  return shapes_.emplace(chiplet, switch_shape(topology_, topology_.nodes[chiplet])).first->second;
}

const RoutedFlows& RouteCache::route(NodeId chiplet, const std::vector<Flow>& flows) {
  const SwitchShape& of = shape(chiplet);
  Key key{of.kind, of.values, {}};
  for (const Flow& flow : flows) std::get<2>(key).emplace_back(flow.inputs, flow.outputs);
  const auto [at, added] = routed_.try_emplace(std::move(key));
  if (added) at->second = of.kind->route_flows(of, flows);
  return at->second;
}

bool SliceRouter::place() {
  if (on_grid_) return place_from(0);
  if (!demand_fits() || !place_from(0)) return false;
  // Adds uplink trees, one each in turn, for parts that need more.
  for (bool more = true; more;) {
    more = false;
    for (SlicePart& part : parts_) {
      // Streams should fill the ports of members that receive all streams.
      const std::span<const NodeId> all(members(part));
      const int wanted =
          trees_wanted(topology_, part.uplink_trees.front(),
                       all.subspan(static_cast<std::size_t>(plan_.parts[part.part].roots)), slice_);
      if (std::ssize(part.uplink_trees) < wanted && add_uplink_tree(part)) more = true;
    }
  }
  if (topology_.failed.any())
    for (SlicePart& part : parts_) leave_out_slow(part);
  return true;
}

// Uplink trees have equal shares: dropping a much slower tree lets the remaining ones finish
// earlier.
void SliceRouter::leave_out_slow(SlicePart& part) const {
  std::vector<std::pair<double, ReductionTree>> by_rate;
  for (const ReductionTree& tree : part.uplink_trees) {
    double rate = 1;
    for (const ReductionNode& node : tree) {
      if (node.up_port < 0) continue;
      rate = std::min(rate,
                      topology_.links[topology_.link_out(node.chiplet, node.up_port)].rate.value());
    }
    by_rate.emplace_back(-rate, tree);
  }
  std::ranges::stable_sort(by_rate, {}, &std::pair<double, ReductionTree>::first);
  const auto together = [&](std::size_t count) {
    return -by_rate[count - 1].first * static_cast<double>(count);
  };
  std::size_t best = by_rate.size();
  for (std::size_t count = best - 1; count > 0; --count)
    if (together(count) > together(best)) best = count;
  if (best == by_rate.size()) return;
  part.uplink_trees.clear();
  for (std::size_t k = 0; k < best; ++k) part.uplink_trees.push_back(std::move(by_rate[k].second));
}

Obstacle SliceRouter::obstacle() {
  if (on_grid_ && !gave_up()) return obstacle_;
  Obstacle no_uplinks{.kind = Obstacle::Kind::kUplinks,
                      .why = "there are not enough uplinks to give each a chiplet above its own"};
  if (topology_.has_levels() && !demand_fits()) return no_uplinks;
  bool placed = false;
  if (!gave_up()) {
    steps_ = 0;
    by_ports_alone_ = true;
    placed = place_from(0);
  }
  if (gave_up()) {
    return {.kind = Obstacle::Kind::kGaveUp,
            .why = fmt::format("no routing found in {} steps", kMaxSearchSteps)};
  }
  return placed ? obstacle_ : no_uplinks;
}

SliceRouter::Phase SliceRouter::phase(int number) const {
  Phase phase;
  for (int i = 0; i < std::ssize(parts_); ++i) {
    const SlicePart& part = parts_[i];
    if (part.uplink_trees.empty()) continue;
    const int slot = this->slot(part, number);
    if (slot < 0) continue;
    const std::vector<NodeFlow> flows = flows_of(part, slot);
    for (int f = 0; f < std::ssize(flows); ++f) {
      const NodeId chiplet = part.tree(slot)[flows[f].node].chiplet;
      phase.flows[chiplet].push_back(flows[f].flow);
      phase.owners[chiplet].push_back({i, f});
    }
  }
  return phase;
}

std::vector<NodeFlow> SliceRouter::flows_of(const SlicePart& part, int slot) const {
  const SliceTree& task = part.tasks[has_blocks(plan_.parts[part.part]) ? slot : 0];
  return flows_on(part.tree(slot),
                  of_joined(roles_of_task(plan_.parts[part.part], task.root), part.joined));
}

int SliceRouter::slot(const SlicePart& part, int phase) const {
  return part.slot(phase, has_blocks(plan_.parts[part.part]));
}

int SliceRouter::phases(const SlicePart& part) const {
  return part.first_slot + part.slots(has_blocks(plan_.parts[part.part]));
}

bool SliceRouter::gave_up() const { return steps_ > kMaxSearchSteps; }

bool SliceRouter::demand_fits() const {
  std::map<NodeId, std::pair<int, int>> demand;
  for (const SlicePart& part : parts_) {
    for (int s = 0; s < std::ssize(part.lowest) && part.lowest.size() > 1; ++s) {
      const PortMasks uplink = uplink_directions(part.lowest, s, part.roles);
      auto& [up, down] = demand[part.lowest[s].chiplet];
      up += uplink.outputs != 0 ? 1 : 0;
      down += uplink.inputs != 0 ? 1 : 0;
    }
  }
  return std::ranges::all_of(demand, [&](const auto& entry) {
    const int uplinks = static_cast<int>(uplinks_of(topology_, entry.first).size());
    return std::max(entry.second.first, entry.second.second) <= uplinks;
  });
}

bool SliceRouter::place_from(std::size_t i) {
  if (i == parts_.size()) return true;
  SlicePart& part = parts_[i];
  bool placed = false;
  visit(part, [&](const ReductionTree& tree) {
    const PortUse ports = ports_of(tree, part.roles);
    ++steps_;
    take(ports);
    part.uplink_trees = {tree};
    placed = routable() && place_from(i + 1);
    if (placed) return true;
    part.uplink_trees.clear();
    give_back(ports);
    return gave_up();
  });
  return placed;
}

bool SliceRouter::add_uplink_tree(SlicePart& part) {
  bool added = false;
  visit(part, [&](const ReductionTree& tree) {
    PortUse ports = ports_of(tree, part.roles);
    // Further uplink trees of a part share its members' ports with the first one.
    for (const ReductionNode& node : tree) {
      for (const auto& member : node.members) {
        ports[node.chiplet].inputs &= ~(1U << member.port);
        ports[node.chiplet].outputs &= ~(1U << member.port);
      }
    }
    take(ports);
    part.uplink_trees.push_back(tree);
    added = routable();
    if (added) return true;
    part.uplink_trees.pop_back();
    give_back(ports);
    return gave_up();
  });
  return added;
}

void SliceRouter::visit(const SlicePart& part,
                        const std::function<bool(const ReductionTree&)>& visit) {
  if (on_grid_) {
    visit_grid_trees(topology_, part.lowest, part.roles, [&](const ReductionTree& tree) {
      ++steps_;
      return is_free(ports_of(tree, part.roles)) ? visit(tree) : gave_up();
    });
    return;
  }
  visit_reduction_trees(topology_, part.lowest, part.roles, taken_, visit);
}

bool SliceRouter::is_free(const PortUse& wanted) {
  for (const auto& [router, ports] : wanted) {
    const auto taken = taken_.find(router);
    if (taken == taken_.end() || ((taken->second.inputs & ports.inputs) == 0 &&
                                  (taken->second.outputs & ports.outputs) == 0))
      continue;
    obstacle_ = {.kind = Obstacle::Kind::kLinks,
                 .why = "whichever rows or columns they take, their trees have links in common",
                 .chiplet = topology_.nodes[router].name};
    return false;
  }
  return true;
}

void SliceRouter::take(const PortUse& wanted) {
  for (const auto& [chiplet, ports] : wanted) {
    PortMasks& taken = taken_[chiplet];
    assert((taken.inputs & ports.inputs) == 0 && (taken.outputs & ports.outputs) == 0);
    taken.inputs |= ports.inputs;
    taken.outputs |= ports.outputs;
  }
}

void SliceRouter::give_back(const PortUse& wanted) {
  for (const auto& [chiplet, ports] : wanted) {
    taken_[chiplet].inputs &= ~ports.inputs;
    taken_[chiplet].outputs &= ~ports.outputs;
  }
}

bool SliceRouter::routable() {
  if (by_ports_alone_) return true;
  int max = 0;
  for (const SlicePart& part : parts_)
    if (!part.uplink_trees.empty()) max = std::max(max, phases(part));
  for (int slot = 0; slot < max; ++slot) {
    const Phase together = phase(slot);
    for (const auto& [chiplet, flows] : together.flows) {
      ++steps_;
      const RoutedFlows& routed = cache_.route(chiplet, flows);
      if (routed.routed) continue;
      set_obstacle(chiplet, flows, together.owners.at(chiplet), routed.conflict);
      return false;
    }
  }
  return true;
}

void SliceRouter::set_obstacle(NodeId chiplet, const std::vector<Flow>& flows,
                               const std::vector<ChipletFlow>& owners,
                               const ConflictingFlows& conflict) {
  const Node& node = topology_.nodes[chiplet];
  obstacle_ = {.kind = Obstacle::Kind::kFlows, .chiplet = node.name, .level = conflict.level};
  std::vector<std::string> names;
  for (const int f : conflict.flows) {
    obstacle_.flows.push_back({parts_[owners[f].part].part, flows[f]});
    names.push_back(to_string(flows[f]));
  }
  const SwitchShape& shape = cache_.shape(chiplet);
  obstacle_.why = shape.kind->describe_conflict(shape, conflict, names);
}

}  // namespace fredsim
