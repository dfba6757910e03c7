// SPDX-License-Identifier: Apache-2.0
#include "engine/window_counts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "engine/run_counts.h"
#include "links/link_policy.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

std::uint64_t flits_between(const FabricCounts& before, const FabricCounts& after, int link) {
  return link < 0 ? 0 : after.links[link].flits - before.links[link].flits;
}

}  // namespace

SwitchCounters difference(const SwitchCounters& before, const SwitchCounters& after) {
  SwitchCounters counts;
  for (const CounterInfo& counter : kSwitchCounters)
    counts.*counter.value = after.*counter.value - before.*counter.value;
  std::ranges::transform(after.flits_in, before.flits_in, std::back_inserter(counts.flits_in),
                         std::minus<>());
  std::ranges::transform(after.flits_out, before.flits_out, std::back_inserter(counts.flits_out),
                         std::minus<>());
  return counts;
}

FabricCounts count_all(const FabricCore& core, const Topology& topology, SwitchCores switches) {
  FabricCounts counts;
  for (int l = 0; l < std::ssize(topology.links); ++l) counts.links.push_back(core.count(l));
  counts.switches.resize(switches.size());
  for (std::size_t id = 0; id < switches.size(); ++id) {
    SwitchCounters counters;
    if (switches[id] != nullptr && switches[id]->peek_counters(counters))
      counts.switches[id] = std::move(counters);
  }
  return counts;
}

std::string model_names(std::span<const std::string> models) {
  std::set<std::string_view> names(models.begin(), models.end());
  names.erase("");
  return fmt::format("{}", fmt::join(names, "+"));
}

std::vector<LinkResult> link_results(const Topology& topology, const FabricCounts& before,
                                     const FabricCounts& after, std::uint64_t cycles) {
  std::vector<LinkResult> results;
  for (int l = 0; l < std::ssize(topology.links); ++l) {
    const Link& link = topology.links[l];
    LinkResult r = named_link(topology, link);
    r.flits = flits_between(before, after, l);
    r.phase_flits = after.links[l].phase_flits - before.links[l].phase_flits;
    r.counters = policy_counters(link, before.links[l], after.links[l]);
    r.busy_cycles = r.flits + after.links[l].again - before.links[l].again;
    r.bytes = r.flits * kFlitBytes;
    r.utilization = cycles == 0 ? 0
                                : (after.links[l].sent - before.links[l].sent) /
                                      (link.rate.value() * static_cast<double>(cycles));
    results.push_back(std::move(r));
  }
  return results;
}

std::vector<SwitchResult> switch_results(const Topology& topology,
                                         std::span<const std::string> models,
                                         const FabricCounts& before, const FabricCounts& after) {
  std::vector<SwitchResult> results;
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    if (models[id].empty()) continue;
    const Node& node = topology.nodes[id];
    SwitchResult r;
    r.name = node.name;
    r.model = models[id];
    for (int port = 0; port < node.ports; ++port) {
      r.flits_in += flits_between(before, after, topology.link_in(id, port));
      r.flits_out += flits_between(before, after, topology.link_out(id, port));
    }
    if (before.switches[id] && after.switches[id]) {
      fill_peeked(difference(*before.switches[id], *after.switches[id]), kind_of(node), r);
    }
    results.push_back(std::move(r));
  }
  return results;
}

}  // namespace fredsim
