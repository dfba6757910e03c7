// SPDX-License-Identifier: Apache-2.0
#include "engine/run_counts.h"

#include <algorithm>

#include "fabric/links/link_policy.h"
#include "switch/node_shape.h"

namespace fredsim {

namespace {

// Every counter that switches of the kind have, as `count` finds it.
template <typename Count>
void fill_counters(const SwitchKind& kind, const Count& count, SwitchResult& r) {
  SwitchCounters counters;
  for (const CounterInfo& counter : kSwitchCounters) {
    if (!kind.has(counter)) continue;
    counters.*counter.value = count(counter);
    if (counter.stall != nullptr)
      r.stall_cycles.emplace_back(counter.stall, counters.*counter.value);
  }
  r.reductions = counters.reductions;
  r.phase_changes = counters.phase_changes;
}

}  // namespace

LinkResult named_link(const Topology& topology, const Link& link) {
  LinkResult r;
  r.name = link.name;
  r.from = topology.nodes[link.from].name;
  r.to = topology.nodes[link.to].name;
  r.on_die = link.on_die;
  return r;
}

void fill_peeked(const SwitchCounters& counters, const SwitchKind& kind, SwitchResult& r) {
  fill_counters(
      kind, [&](const CounterInfo& counter) { return counters.*counter.value; }, r);
}

void fill_traffic(const Topology& topology, const std::vector<std::uint64_t>& acknowledgements,
                  RunResult& result) {
  std::vector<std::uint64_t> sent(topology.nodes.size());
  for (std::size_t l = 0; l < topology.links.size(); ++l) {
    const Link& link = topology.links[l];
    const LinkResult& r = result.links[l];
    if (!link.on_die) {
      result.flit_hops += r.flits;
      result.link_bytes += r.bytes;
    }
    if (topology.nodes[link.from].is_endpoint()) sent[link.from] += r.bytes;
  }
  for (std::size_t node = 0; node < sent.size(); ++node) {
    sent[node] -= std::min(sent[node], acknowledgements[node] * kFlitBytes);
    result.injected_bytes += sent[node];
    result.acknowledgement_packets += acknowledgements[node];
    result.acknowledgement_bytes += acknowledgements[node] * kFlitBytes;
  }
  for (const NodeId npu : topology.npus) {
    result.injected_bytes_per_npu_max = std::max(result.injected_bytes_per_npu_max, sent[npu]);
  }
}

void fill_counts(const EqualSlices& slices, Fabric& fabric, ControlPlane& control,
                 const std::vector<std::uint64_t>& acknowledgements, std::uint64_t cycles,
                 RunResult& result) {
  const Topology& topology = fabric.topology();
  const auto count_of = [&](int link) { return fabric.core().count(slices.link_like[link]); };
  for (int l = 0; l < static_cast<int>(topology.links.size()); ++l) {
    const Link& link = topology.links[l];
    const LinkCount count = count_of(l);
    LinkResult r = named_link(topology, link);
    r.flits = count.flits;
    r.bytes = count.flits * kFlitBytes - count.missing_bytes;
    r.busy_cycles = count.flits + count.again;
    r.utilization =
        cycles == 0 ? 0 : count.sent / (link.rate.value() * static_cast<double>(cycles));
    r.counters = policy_counters(link, {}, count);
    if (!link.on_die && slices.link_like[l] != l) result.equal_slices_flit_hops += r.flits;
    result.links.push_back(std::move(r));
  }
  fill_traffic(topology, acknowledgements, result);

  for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
    const Node& node = topology.nodes[id];
    if (node.is_endpoint()) continue;
    const SwitchKind& kind = kind_of(node);
    SwitchResult r;
    r.name = node.name;
    r.model = fabric.switch_core(id).model();
    for (int port = 0; port < node.ports; ++port) {
      const int in = topology.link_in(id, port);
      const int out = topology.link_out(id, port);
      if (in >= 0) r.flits_in += count_of(in).flits;
      if (out >= 0) r.flits_out += count_of(out).flits;
    }
    const NodeId like = slices.switch_like[id];
    // Nothing moves any more in a run that is complete; in another, reading takes cycles that are not its own.
    if (SwitchCounters counters;
        result.incomplete && fabric.switch_core(like).peek_counters(counters)) {
      fill_peeked(counters, kind, r);
      result.switches.push_back(std::move(r));
      continue;
    }
    fill_counters(
        kind,
        [&](const CounterInfo& counter) { return control.read_counter(like, counter.address); }, r);
    result.switches.push_back(std::move(r));
  }
}

}  // namespace fredsim
