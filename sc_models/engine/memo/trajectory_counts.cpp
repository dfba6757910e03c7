// SPDX-License-Identifier: Apache-2.0
#include "engine/memo/trajectory_counts.h"

#include <algorithm>
#include <iterator>

namespace fredsim {
namespace {

bool same(const SwitchCounters& a, const SwitchCounters& b) {
  return a.flits_in == b.flits_in && a.flits_out == b.flits_out &&
         std::ranges::all_of(kSwitchCounters, [&](const CounterInfo& counter) {
           return a.*counter.value == b.*counter.value;
         });
}

SwitchCounters multiple(SwitchCounters counts, std::uint64_t times) {
  for (const CounterInfo& counter : kSwitchCounters) counts.*counter.value *= times;
  for (std::uint64_t& flits : counts.flits_in) flits *= times;
  for (std::uint64_t& flits : counts.flits_out) flits *= times;
  return counts;
}

}  // namespace

bool TrajectoryCounts::operator==(const TrajectoryCounts& other) const {
  const auto same_link = [](const LinkCount& a, const LinkCount& b) {
    return a.flits == b.flits && a.phase_flits == b.phase_flits &&
           a.missing_bytes == b.missing_bytes;
  };
  const auto same_switch = [](const auto& a, const auto& b) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  };
  return std::ranges::equal(fabric.links, other.fabric.links, same_link) &&
         std::ranges::equal(fabric.switches, other.fabric.switches, same_switch) &&
         acknowledgements == other.acknowledgements && rows_loaded == other.rows_loaded &&
         rows_found == other.rows_found && rows_evicted == other.rows_evicted &&
         words == other.words;
}

TrajectoryCounts TrajectoryCounts::operator-(const TrajectoryCounts& before) const {
  TrajectoryCounts counts;
  for (std::size_t l = 0; l < fabric.links.size(); ++l) {
    const LinkCount& a = fabric.links[l];
    const LinkCount& b = before.fabric.links[l];
    counts.fabric.links.push_back({.flits = a.flits - b.flits,
                                   .phase_flits = a.phase_flits - b.phase_flits,
                                   .missing_bytes = a.missing_bytes - b.missing_bytes});
  }
  for (std::size_t node = 0; node < fabric.switches.size(); ++node) {
    const auto& now = fabric.switches[node];
    auto& count = counts.fabric.switches.emplace_back();
    if (now) count = difference(*before.fabric.switches[node], *now);
  }
  std::ranges::transform(acknowledgements, before.acknowledgements,
                         std::back_inserter(counts.acknowledgements), std::minus<>());
  counts.rows_loaded = rows_loaded - before.rows_loaded;
  counts.rows_found = rows_found - before.rows_found;
  counts.rows_evicted = rows_evicted - before.rows_evicted;
  counts.words = words - before.words;
  return counts;
}

std::size_t TrajectoryCounts::bytes() const {
  std::size_t bytes =
      fabric.links.size() * sizeof(LinkCount) + acknowledgements.size() * sizeof(std::uint64_t);
  for (const auto& counters : fabric.switches) {
    bytes += sizeof counters;
    if (counters)
      bytes += (counters->flits_in.size() + counters->flits_out.size()) * sizeof(std::uint64_t);
  }
  return bytes;
}

TrajectoryCounts count_machine(Machine& machine) {
  Fabric& fabric = machine.fabric();
  return {.fabric = count_all(fabric.core(), fabric.topology(), fabric.switches()),
          .acknowledgements = machine.acknowledgements()};
}

std::uint64_t add_to_machine(Machine& machine, const TrajectoryCounts& counts,
                             std::uint64_t times) {
  Fabric& fabric = machine.fabric();
  std::uint64_t flit_hops = 0;
  std::vector<LinkCount> links = counts.fabric.links;
  for (std::size_t l = 0; l < links.size(); ++l) {
    links[l].flits *= times;
    links[l].phase_flits *= times;
    links[l].missing_bytes *= times;
    if (!fabric.topology().links[l].on_die) flit_hops += links[l].flits;
  }
  fabric.core().skip(0, links);
  for (NodeId node = 0; node < std::ssize(counts.fabric.switches); ++node) {
    if (const auto& counted = counts.fabric.switches[node]; counted)
      fabric.switch_core(node).add_to_counters(multiple(*counted, times));
  }
  for (NodeId node = 0; node < std::ssize(counts.acknowledgements); ++node) {
    const std::uint64_t more = counts.acknowledgements[node] * times;
    if (more != 0) machine.npus_by_node()[node]->count_acknowledgements(more);
  }
  return flit_hops;
}

}  // namespace fredsim
