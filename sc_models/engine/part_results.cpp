// SPDX-License-Identifier: Apache-2.0
#include "engine/part_results.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "collective/network_bound.h"
#include "plan/members.h"

namespace fredsim {
namespace {

// Adds each name once, in order.
void join(std::string& names, std::set<std::string>& seen, const std::string& name) {
  if (seen.insert(name).second) names += (names.empty() ? "" : "+") + name;
}

std::vector<int> group_of(const Topology& topology, const Part& part) {
  std::vector<int> group;
  for (const NodeId node : part.group()) group.push_back(member_number(topology, node));
  return group;
}

std::set<int> phases_of(const Plan& plan, const std::vector<int>& parts) {
  std::set<int> phases;
  for (const Tree& tree : plan.trees) {
    if (tree.transport != Transport::kInSwitch || !std::ranges::count(parts, tree.part)) continue;
    for (const TreeRank& rank : tree.ranks) phases.insert(rank.phase);
  }
  return phases;
}

}  // namespace

void fill_operations(const Plan& plan, std::span<const PartTime> times, RunResult& result) {
  if (std::ranges::none_of(plan.parts, [](const Part& part) { return !part.after.empty(); }))
    return;
  std::map<std::vector<int>, std::vector<int>> operations;  // key: predecessors
  for (int p = 0; p < std::ssize(plan.parts); ++p) operations[plan.parts[p].after].push_back(p);
  OperationsResult& counts = result.operations.emplace();
  std::set<int> phases;
  for (const PhaseProgram& program : plan.programs) phases.insert(program.phase);
  counts.rows.preloaded = phases.size();
  for (const auto& [after, parts] : operations) {
    if (std::ranges::all_of(parts, [&](int p) { return !times[p].incomplete; })) ++counts.complete;
    std::uint64_t waited = 0;
    for (const int p : parts) {
      const std::uint64_t asked = plan.parts[p].start_cycle;
      const std::uint64_t begun = times[p].has_begun ? times[p].start : result.cycles;
      if (begun > asked) waited = std::max(waited, begun - asked);
    }
    counts.waited_for_others += waited;
    counts.rows.found += phases_of(plan, parts).size();
  }
}

void fill_parts(const Topology& topology, std::span<const Part* const> parts,
                std::span<const PartTime> times, RunResult& result) {
  std::set<std::string> collectives;
  std::set<std::string> algorithms;
  std::uint64_t last_end = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Part& part = *parts[p];
    const PartTime& time = times[p];
    PartResult r;
    r.name = time.name;
    r.operations = time.operations;
    r.collective = to_string(part.collective);
    r.algorithm = part.algorithm;
    r.group = group_of(topology, part);
    r.priority = priority_name(part.vc);
    if (part.is_ordered) r.packet_order = part.frame > 0 ? "paced" : "recurring";
    r.frame_cycles = part.frame;
    r.size_bytes = part.bytes;
    r.incomplete = time.incomplete;
    r.start_cycle = time.start;
    const std::uint64_t end = r.incomplete ? result.cycles : time.end;
    r.cycles = end > r.start_cycle ? end - r.start_cycle : 0;
    r.time_ns = static_cast<double>(r.cycles) / result.clock_ghz;
    r.bound_ns = part.bound_ns * static_cast<double>(time.operations);
    const auto size = static_cast<double>(part.bytes) * static_cast<double>(time.operations);
    const double factor = bus_factor(part.collective, part.ranks());
    if (r.cycles > 0 && !r.incomplete) {
      r.algbw_gbps = size / r.time_ns;
      r.busbw_gbps = r.algbw_gbps * factor;
    }
    if (result.cycles > 0 && !result.incomplete && (p == 0 || time.end > last_end)) {
      result.algbw_gbps = size / result.time_ns;
      result.busbw_gbps = result.algbw_gbps * factor;
      last_end = time.end;
    }
    join(result.collective, collectives, r.collective);
    join(result.algorithm, algorithms, r.algorithm);
    result.size_bytes = std::max(result.size_bytes, part.bytes);
    result.network_bound_ns =
        std::max(result.network_bound_ns,
                 network_bound_ns(topology, part) * static_cast<double>(time.operations));
    result.groups.push_back(r.group);
    result.parts.push_back(std::move(r));
  }
}

void fill_collectives(const Topology& topology, const Plan& plan, std::span<const PartTime> times,
                      RunResult& result) {
  std::vector<const Part*> collectives;
  for (const Part& collective : plan.collectives) collectives.push_back(&collective);
  std::vector<PartTime> joined(collectives.size(), {.has_begun = false});
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    for (const int one : plan.parts[p].collective_of) {
      PartTime& time = joined[static_cast<std::size_t>(one)];
      time.start = time.has_begun ? std::min(time.start, times[p].start) : times[p].start;
      time.end = std::max(time.end, times[p].end);
      time.has_begun = true;
      time.incomplete = time.incomplete || times[p].incomplete;
    }
  }
  fill_parts(topology, collectives, joined, result);
}

}  // namespace fredsim
