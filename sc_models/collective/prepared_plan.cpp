// SPDX-License-Identifier: Apache-2.0
#include "collective/prepared_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>

#include "collective/link_load.h"
#include "collective/link_walk.h"
#include "collective/planner.h"

namespace fredsim {
namespace {

// Ports of its own trees: phases may have flows of other operations, too.
void find_ports(const Topology& topology, PreparedPlan& p) {
  if (p.plan.programs.empty()) return;
  const LinkWalk walk(topology, p.plan, false);
  for (const Tree& tree : p.plan.trees) {
    const int vc = p.plan.parts[tree.part].vc;
    walk.walk_in_switch(tree, [&](int number) {
      const Link& link = topology.links[number];
      if (!topology.nodes[link.from].is_endpoint())
        p.ports[{vc, link.from}].out |= 1U << link.from_port;
      if (!topology.nodes[link.to].is_endpoint()) p.ports[{vc, link.to}].in |= 1U << link.to_port;
    });
  }
}

void find_channels(PreparedPlan& p) {
  for (const Tree& tree : p.plan.trees) {
    if (tree.transport == Transport::kInSwitch) {
      p.tree_channels |= 1U << p.plan.parts[tree.part].vc;
    }
    p.unicast_channels |= unicast_channels(tree.ranks);
  }
}

StateDigest next_identity() {
  static std::atomic<std::uint64_t> plans = 0;
  StateDigest identity(0);
  identity.add(++plans);
  return identity;
}

StateDigest identity_of(const std::string& key) {
  StateDigest identity(0);
  identity.add(0);  // those of next_identity() begin otherwise
  identity.add_all(key);
  return identity;
}

}  // namespace

std::string key_of(const CollectiveSpec& spec) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {};", static_cast<int>(spec.collective),
                     fmt::join(spec.group, ","), spec.bytes, spec.algorithm, spec.vc, spec.root,
                     spec.roots, static_cast<int>(spec.order), spec.chunks,
                     fmt::join(spec.matrix, ","));
}

bool in_conflict(const PreparedPlan& a, const PreparedPlan& b) {
  if ((a.tree_channels & b.unicast_channels) != 0 || (a.unicast_channels & b.tree_channels) != 0)
    return true;
  if (&a == &b || a.rows == b.rows) return false;
  return std::ranges::any_of(a.ports, [&](const auto& entry) {
    const auto other = b.ports.find(entry.first);
    return other != b.ports.end() && ((entry.second.in & other->second.in) != 0 ||
                                      (entry.second.out & other->second.out) != 0);
  });
}

std::vector<std::uint16_t> missing_bytes(const Plan& plan) {
  std::vector<std::uint16_t> missing;
  for (const Tree& tree : plan.trees)
    missing.push_back(static_cast<std::uint16_t>(tree.flits * kFlitBytes - tree.bytes));
  return missing;
}

namespace {

std::shared_ptr<PreparedPlan> make_ready(const Topology& topology, Plan plan,
                                         const StateDigest& identity) {
  auto prepared = std::make_shared<PreparedPlan>();
  PreparedPlan& p = *prepared;
  p.plan = std::move(plan);
  p.identity = identity;
  int phases = 0;
  for (const PhaseProgram& program : p.plan.programs) phases = std::max(phases, program.phase + 1);
  p.rows.resize(static_cast<std::size_t>(phases));
  for (const PhaseProgram& program : p.plan.programs)
    p.rows[program.phase].emplace(program.node, program.row);
  find_ports(topology, p);
  p.streams = static_cast<int>(p.plan.trees.size());
  p.missing_bytes = missing_bytes(p.plan);
  find_channels(p);
  p.needs_online_routes = needs_online_routes(topology, p.plan);
  return prepared;
}

}  // namespace

std::shared_ptr<const PreparedPlan> prepare(const Topology& topology, Plan plan,
                                            std::vector<int> copies) {
  const auto prepared = make_ready(topology, std::move(plan), next_identity());
  prepared->copies = std::move(copies);
  return prepared;
}

std::shared_ptr<const PreparedPlan> prepare(const Topology& topology, Plan plan,
                                            const StateDigest& identity) {
  return make_ready(topology, std::move(plan), identity);
}

std::uint64_t result_bytes(const PreparedPlan& plan) {
  std::uint64_t bytes = 0;
  for (std::size_t t = 0; t < plan.plan.trees.size(); ++t) {
    const Tree& tree = plan.plan.trees[t];
    bytes += plan.copies_of(t) * tree.bytes * receivers(tree.ranks);
  }
  return bytes;
}

std::shared_ptr<const PreparedPlan> PlanCache::plan(std::span<const CollectiveSpec> work,
                                                    OnConflict on_conflict) {
  std::string key = fmt::format("{}:", static_cast<int>(on_conflict));
  for (const CollectiveSpec& spec : work) key += key_of(spec);
  const std::uint64_t now = hits_ + made_;
  if (const auto known = plans_.find(key); known != plans_.end()) {
    ++hits_;
    known->second.used = now;
    return known->second.plan;
  }
  std::vector<CollectiveSpec> specs(work.begin(), work.end());
  for (CollectiveSpec& spec : specs) spec.start_cycle = 0;
  Entry entry{prepare(topology_, make_plan(topology_, specs, on_conflict), identity_of(key)), now};
  ++made_;
  if (plans_.size() >= kPlans) {
    plans_.erase(
        std::ranges::min_element(plans_, {}, [](const auto& known) { return known.second.used; }));
  }
  return plans_.emplace(std::move(key), std::move(entry)).first->second.plan;
}

}  // namespace fredsim
