// SPDX-License-Identifier: Apache-2.0
#include "engine/run_counts.h"

#include <algorithm>
#include <utility>

#include "engine/gathered.h"
#include "links/link_policy.h"
#include "switch/node_shape.h"
#include "topology/credit_loop.h"
#include "topology/system.h"

namespace fredsim {

namespace {

// Counters of a switch, as far as its kind has them. Nothing moves any more in a complete run; in
// an incomplete one, reading takes cycles that are not the run's own.
SwitchCounters counters_of(Fabric& fabric, ControlPlane& control, NodeId id, bool is_incomplete) {
  SwitchCounters counters;
  if (is_incomplete && fabric.switch_core(id).peek_counters(counters)) return counters;
  const SwitchKind& kind = kind_of(fabric.topology().nodes[id]);
  for (const CounterInfo& counter : kSwitchCounters) {
    if (kind.has(counter)) counters.*counter.value = control.read_counter(id, counter.address);
  }
  return counters;
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
  SwitchCounters had;  // counters that its kind has
  for (const CounterInfo& counter : kSwitchCounters) {
    if (!kind.has(counter)) continue;
    had.*counter.value = counters.*counter.value;
    if (counter.stall != nullptr)
      r.stall_cycles.emplace_back(counter.stall, counters.*counter.value);
  }
  r.reductions = had.reductions;
  r.phase_changes = had.phase_changes;
}

namespace {

// Utilisation of the dimensions of a system: flits that NPUs sent in each, over the flits that they
// could have sent.
SystemResult use_of_dimensions(const Topology& system, const RunResult& result) {
  const SystemPlaces places(system);
  SystemResult use;
  double sent_in_all = 0, able_in_all = 0;
  for (int d = 0; d < places.dimensions(); ++d) {
    double sent = 0, able = 0;  // flits, flits per cycle
    const int first = places.link(d, 0, 0);
    const int end = places.link(d, places.groups(d), 0);
    for (int l = first; l < end; ++l) {
      const Link& link = system.links[l];
      if (system.nodes[link.from].kind != NodeKind::kNpu) continue;
      sent += static_cast<double>(result.links[l].flits);
      able += link.rate.value();
    }
    const auto cycles = static_cast<double>(result.cycles);
    use.dimensions.push_back({.name = system.blocks[d].name,
                              .bandwidth_gbps = able / places.npus() * kFlitBytes *
                                                static_cast<double>(system.clock_hz) / 1e9,
                              .utilization = cycles > 0 ? sent / (able * cycles) : 0});
    sent_in_all += sent;
    able_in_all += able * cycles;
  }
  use.utilization = able_in_all > 0 ? sent_in_all / able_in_all : 0;
  return use;
}

}  // namespace

namespace {

std::optional<CreditLimit> credit_limit_of(const Topology& topology, const RunResult& result) {
  const auto busiest = std::ranges::max_element(result.links, {}, &LinkResult::utilization);
  if (busiest == result.links.end() || busiest->flits == 0) return std::nullopt;
  const Link& link = topology.links[static_cast<std::size_t>(busiest - result.links.begin())];
  const double carried = carried_bytes_per_second(topology, link);
  const auto bandwidth = static_cast<double>(link.bytes_per_second);
  if (carried >= kCarriesAll * bandwidth) return std::nullopt;
  const auto bytes = [](int flits) { return static_cast<std::uint64_t>(flits) * kFlitBytes; };
  return CreditLimit{
      .link = link.name,
      .buffer_bytes = bytes(depth_behind(topology, link)),
      .covering_bytes = bytes(covering_flits(link, topology.packet_flits)),
      .link_gbps = bandwidth / 1e9,
      .carried_gbps = carried / 1e9,
      .key = topology.nodes[link.to].is_endpoint() ? "npu.receive_buffer" : "switch.input_buffer"};
}

}  // namespace

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
  if (topology.has_blocks()) result.system = use_of_dimensions(topology, result);
  result.credit_limit = credit_limit_of(topology, result);
}

void fill_counts(const EqualSlices& slices, Fabric& fabric, ControlPlane& control,
                 std::span<const std::string> models,
                 const std::vector<std::uint64_t>& acknowledgements, std::uint64_t cycles,
                 RunResult& result) {
  const Topology& topology = fabric.topology();
  FabricCore& core = fabric.core();
  FabricCounts counts;
  counts.links.reserve(topology.links.size());
  for (int l = 0; l < static_cast<int>(topology.links.size()); ++l)
    counts.links.push_back(core.count(l));
  counts.switches.resize(topology.nodes.size());
  for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
    if (!topology.nodes[id].is_switch()) continue;
    const NodeId like = slices.switch_like[id];
    if (core.owns(like) && !counts.switches[like])
      counts.switches[like] = counters_of(fabric, control, like, result.incomplete);
  }
  counts = gathered(std::move(counts), core.all_ranks());

  result.links.reserve(topology.links.size());
  const auto count_of = [&](int link) { return counts.links[slices.link_like[link]]; };
  for (int l = 0; l < static_cast<int>(topology.links.size()); ++l) {
    const Link& link = topology.links[l];
    const LinkCount count = count_of(l);
    LinkResult r = named_link(topology, link);
    r.flits = count.flits;
    r.phase_flits = count.phase_flits;
    r.bytes = count.flits * kFlitBytes - count.missing_bytes;
    r.busy_cycles = count.flits + count.again;
    r.utilization =
        cycles == 0 ? 0 : count.sent / (link.rate.value() * static_cast<double>(cycles));
    r.counters = policy_counters(link, {}, count);
    if (!link.on_die && slices.link_like[l] != l) result.equal_slices_flit_hops += r.flits;
    result.links.push_back(std::move(r));
  }
  fill_traffic(topology, acknowledgements, result);

  result.switch_additions.resize(topology.nodes.size());
  for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
    const Node& node = topology.nodes[id];
    if (node.is_endpoint()) continue;
    SwitchResult r;
    r.name = node.name;
    r.model = models[id];
    for (int port = 0; port < node.ports; ++port) {
      const int in = topology.link_in(id, port);
      const int out = topology.link_out(id, port);
      if (in >= 0) r.flits_in += count_of(in).flits;
      if (out >= 0) r.flits_out += count_of(out).flits;
    }
    fill_peeked(*counts.switches[slices.switch_like[id]], kind_of(node), r);
    result.switch_additions[id] = r.reductions;
    result.switches.push_back(std::move(r));
  }
}

}  // namespace fredsim
