// SPDX-License-Identifier: Apache-2.0
#include "collective/prepared_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <set>

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

void find_channels(const Plan& plan, PreparedPlan& p) {
  for (const Tree& tree : plan.trees) {
    if (tree.transport == Transport::kInSwitch) {
      p.tree_channels |= 1U << plan.parts[tree.part].vc;
    }
    p.unicast_channels |= unicast_channels(tree.ranks);
  }
}

std::uint64_t result_bytes_of(const Tree& tree) { return tree.bytes * tree.ranks.receivers(); }

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
  const Chunking& chunking = spec.chunking;
  return fmt::format(
      "{} {} {} {} {} {} {} {} {} {} {} {} {};", static_cast<int>(spec.collective),
      fmt::join(spec.group, ","), spec.bytes, spec.algorithm, spec.vc, spec.root, spec.roots,
      static_cast<int>(spec.order), chunking.chunks, static_cast<int>(chunking.dimension_order),
      static_cast<int>(chunking.chunk_order), chunking.threshold, fmt::join(spec.matrix, ","));
}

bool in_conflict(const PreparedPlan& a, const PreparedPlan& b) {
  if ((a.tree_channels & b.unicast_channels) != 0 || (a.unicast_channels & b.tree_channels) != 0)
    return true;
  if (&a == &b || (a.system == nullptr && a.rows == b.rows)) return false;
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
  find_channels(p.plan, p);
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

std::shared_ptr<const PreparedPlan> prepare(SystemPlan plan) {
  auto prepared = std::make_shared<PreparedPlan>();
  PreparedPlan& p = *prepared;
  p.plan.parts = plan.collectives;
  p.plan.notes = plan.notes;
  p.plan.bound_ns = plan.bound_ns;
  p.identity = next_identity();
  std::set<const Plan*> seen;
  for (const SystemStep& step : plan.steps) {
    if (!seen.insert(step.plan.get()).second) continue;
    find_channels(*step.plan, p);
    if (step.plan->programs.empty()) continue;
    // All of a dimension's switches, as one that is no node.
    p.ports[{step.plan->parts.front().vc, -1 - step.dimension}] = {.in = ~0U, .out = ~0U};
  }
  p.system = std::make_shared<const SystemPlan>(std::move(plan));
  return prepared;
}

std::uint64_t result_bytes(const PreparedPlan& plan) {
  std::uint64_t bytes = 0;
  for (std::size_t t = 0; t < plan.plan.trees.size(); ++t)
    bytes += plan.copies_of(t) * result_bytes_of(plan.plan.trees[t]);
  if (plan.system == nullptr) return bytes;
  std::map<const Plan*, std::uint64_t> of_step;  // looked up alone
  for (const SystemStep& step : plan.system->steps) {
    const auto [at, is_new] = of_step.try_emplace(step.plan.get(), 0);
    if (is_new)
      for (const Tree& tree : step.plan->trees) at->second += result_bytes_of(tree);
    bytes += step.groups.size() * at->second;
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
