// SPDX-License-Identifier: Apache-2.0
#include "operations/prepared_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <stdexcept>

#include "plan/link_load.h"
#include "systems/make_plan.h"
#include "systems/system_phases.h"
#include "topology/system.h"

namespace fredsim {
namespace {

void find_channels(const Plan& plan, PreparedPlan& p) {
  for (const Tree& tree : plan.trees) {
    if (tree.transport == Transport::kInSwitch) {
      p.tree_channels |= 1U << plan.parts[tree.part].vc;
    }
    p.unicast_channels |= unicast_channels(tree.ranks);
  }
}

std::uint64_t result_bytes_of(const Tree& tree) { return tree.bytes * tree.receivers(); }

StateDigest next_identity() {
  static std::atomic<std::uint64_t> plans = 0;
  StateDigest identity(0);
  identity.add(++plans);
  return identity;
}

StateDigest identity_of(const std::string& key) {
  StateDigest identity(0);
  identity.add(0);  // tells it apart from identities of next_identity()
  identity.add_all(key);
  return identity;
}

StateDigest identity_of(const std::vector<PhaseRows>& rows) {
  StateDigest identity(0);
  for (const PhaseRows& of_phase : rows) {
    identity.add(of_phase.size());
    for (const auto& [node, row] : of_phase) {
      identity.add(static_cast<std::uint64_t>(node) << 32 | row.size());
      identity.add_all(row);
    }
  }
  return identity;
}

// True if two operations that cross a link form one wave there.
bool is_one_wave(const PreparedPlan& a, const LinkWave& of_a, const PreparedPlan& b,
                 const LinkWave& of_b) {
  return !of_a.is_mixed && !of_b.is_mixed && of_a.wave == of_b.wave &&
         a.rows_identity == b.rows_identity;
}

}  // namespace

std::string key_of(const CollectiveSpec& spec) {
  const Chunking& chunking = spec.chunking;
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {};",
                     static_cast<int>(spec.collective), fmt::join(spec.group, ","), spec.bytes,
                     spec.algorithm, spec.vc, spec.root, spec.roots, static_cast<int>(spec.order),
                     spec.packet_flits, chunking.chunks, static_cast<int>(chunking.dimension_order),
                     static_cast<int>(chunking.chunk_order), chunking.threshold,
                     fmt::join(spec.matrix, ","));
}

bool in_conflict(const PreparedPlan& a, const PreparedPlan& b) {
  if ((a.tree_channels & b.unicast_channels) != 0 || (a.unicast_channels & b.tree_channels) != 0)
    return true;
  auto of_b = b.links.begin();
  for (const LinkWave& of_a : a.links) {
    while (of_b != b.links.end() && of_b->place() < of_a.place()) ++of_b;
    if (of_b == b.links.end()) break;
    if (of_b->place() == of_a.place() && !is_one_wave(a, of_a, b, *of_b)) return true;
  }
  return false;
}

std::vector<std::uint16_t> missing_bytes(const Plan& plan) {
  std::vector<std::uint16_t> missing;
  for (const Tree& tree : plan.trees)
    missing.push_back(static_cast<std::uint16_t>(tree.flits * kFlitBytes - tree.bytes));
  return missing;
}

namespace {

// Checks the dependencies between parts, since engines look parts up by number.
void check_order(const Plan& plan) {
  for (const Part& part : plan.parts)
    for (const int before : part.after)
      if (before < 0 || before >= std::ssize(plan.parts))
        throw std::logic_error(
            fmt::format("plan: a part comes after part {} of {}", before, plan.parts.size()));
}

std::shared_ptr<PreparedPlan> make_ready(const Topology& topology, Plan plan,
                                         const StateDigest& identity) {
  auto prepared = std::make_shared<PreparedPlan>();
  PreparedPlan& p = *prepared;
  p.plan = std::move(plan);
  check_order(p.plan);
  p.identity = identity;
  int phases = 0;
  for (const PhaseProgram& program : p.plan.programs) phases = std::max(phases, program.phase + 1);
  p.rows.resize(static_cast<std::size_t>(phases));
  for (const PhaseProgram& program : p.plan.programs)
    p.rows[program.phase].emplace(program.node, program.row);
  p.rows_identity = identity_of(p.rows);
  const Plan* const whole = &p.plan;
  p.links = link_waves(topology, {&whole, 1});
  p.streams = static_cast<int>(p.plan.trees.size());
  p.missing_bytes = missing_bytes(p.plan);
  find_channels(p.plan, p);
  p.needs_online_routes = needs_online_routes(topology, p.plan);
  return prepared;
}

}  // namespace

namespace {

void count_additions(PreparedPlan& p) {
  for (std::size_t t = 0; t < p.plan.trees.size(); ++t)
    p.additions += p.copies_of(t) * additions_of(p.plan.trees[t]);
}

}  // namespace

std::shared_ptr<const PreparedPlan> prepare(const Topology& topology, Plan plan,
                                            std::vector<int> copies) {
  const auto prepared = make_ready(topology, std::move(plan), next_identity());
  prepared->copies = std::move(copies);
  count_additions(*prepared);
  return prepared;
}

std::shared_ptr<const PreparedPlan> prepare(const Topology& topology, Plan plan,
                                            const StateDigest& identity) {
  const auto prepared = make_ready(topology, std::move(plan), identity);
  count_additions(*prepared);
  return prepared;
}

namespace {

// Plans of a system's steps with switch programs, by dimension and group, each once.
using BlockPlans = std::map<std::pair<int, int>, std::vector<const Plan*>>;

BlockPlans block_plans(const SystemPlan& plan) {
  BlockPlans plans;
  for (const SystemStep& step : plan.steps) {
    if (step.plan->programs.empty()) continue;
    for (const int group : step.groups) {
      std::vector<const Plan*>& known = plans[{step.dimension, group}];
      if (std::ranges::find(known, step.plan.get()) == known.end())
        known.push_back(step.plan.get());
    }
  }
  return plans;
}

// Links and rows of all blocks, as in the expanded plan; groups of the same steps have equal ones.
void add_blocks(const Topology& system, const SystemPlan& plan, PreparedPlan& p) {
  const SystemPlaces places(system);
  std::map<std::pair<int, std::vector<const Plan*>>, std::vector<LinkWave>> alike;
  std::map<const Plan*, StateDigest> programs;  // looked up, never iterated
  SystemPhases phases;
  for (const auto& [place, plans] : block_plans(plan)) {
    const auto [dimension, group] = place;
    const auto [links, is_new] = alike.try_emplace({dimension, plans});
    if (is_new) links->second = link_waves(*system.blocks[dimension].topology, plans, true);
    for (LinkWave wave : links->second) {
      wave.link = places.link(dimension, group, wave.link);
      p.links.push_back(wave);
    }
    for (const Plan* const of_step : plans) {
      const SystemPhases::Place rows = phases.place(dimension, group, *of_step);
      if (!rows.is_new) continue;
      const auto [digest, is_first] = programs.try_emplace(of_step, 0);
      for (std::size_t i = 0; is_first && i < of_step->programs.size(); ++i) {
        const PhaseProgram& program = of_step->programs[i];
        digest->second.add_all(std::array{program.node, program.phase});
        digest->second.add_all(program.row);
      }
      p.rows_identity.add_all(std::array{dimension, group, rows.first});
      p.rows_identity.add(digest->second);
    }
  }
  std::ranges::sort(p.links, {}, &LinkWave::place);
}

}  // namespace

std::shared_ptr<const PreparedPlan> prepare(const Topology& system, SystemPlan plan) {
  auto prepared = std::make_shared<PreparedPlan>();
  PreparedPlan& p = *prepared;
  p.plan.parts = plan.collectives;
  p.plan.notes = plan.notes;
  p.plan.bound_ns = plan.bound_ns;
  p.identity = next_identity();
  std::set<const Plan*> seen;
  for (const SystemStep& step : plan.steps)
    if (seen.insert(step.plan.get()).second) find_channels(*step.plan, p);
  add_blocks(system, plan, p);
  p.system = std::make_shared<const SystemPlan>(std::move(plan));
  return prepared;
}

std::uint64_t result_bytes(const PreparedPlan& plan) {
  std::uint64_t bytes = 0;
  for (std::size_t t = 0; t < plan.plan.trees.size(); ++t)
    bytes += plan.copies_of(t) * result_bytes_of(plan.plan.trees[t]);
  if (plan.system == nullptr) return bytes;
  std::map<const Plan*, std::uint64_t> of_step;  // looked up, never iterated
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
