#include "fabric/run_counts.h"

#include <algorithm>

#include "switch/register_map.h"

namespace fredsim {

void fill_peeked(const SwitchCounters& counters, bool fred, SwitchResult& r) {
  if (fred) {
    r.reductions = counters.reductions;
    r.phase_changes = counters.phase_changes;
    r.stall_cycles.emplace_back("join", counters.stall_join);
  }
  r.stall_cycles.emplace_back("credit", counters.stall_credit);
  if (fred) r.stall_cycles.emplace_back("phase", counters.stall_phase);
  r.stall_cycles.emplace_back("arbiter", counters.stall_arbiter);
  r.stall_cycles.emplace_back("link", counters.stall_link);
}

void watch_short_flits(const Plan& plan, FabricCore& core) {
  std::vector<std::uint16_t> missing;  // a tree has two streams
  for (const Tree& tree : plan.trees)
    missing.push_back(static_cast<std::uint16_t>(tree.flits * kFlitBytes - tree.bytes));
  core.set_missing_bytes(std::move(missing));
}

void fill_counts(const EqualSlices& simulated, Fabric& fabric, ControlPlane& control,
                 std::uint64_t cycles, RunResult& result) {
  const Topology& topology = fabric.topology();
  const auto count_of = [&](int link) { return fabric.core().count(simulated.link_like[link]); };
  std::vector<std::uint64_t> sent(topology.nodes.size());
  for (int l = 0; l < static_cast<int>(topology.links.size()); ++l) {
    const Link& link = topology.links[l];
    const LinkCount count = count_of(l);
    LinkResult r;
    r.name = link.name;
    r.from = topology.nodes[link.from].name;
    r.to = topology.nodes[link.to].name;
    r.flits = count.flits;
    r.bytes = count.flits * kFlitBytes - count.missing_bytes;
    r.busy_cycles = count.flits;
    r.utilization =
        cycles == 0 ? 0 : count.sent / (link.rate.value() * static_cast<double>(cycles));
    r.on_die = link.on_die;
    if (!link.on_die) {
      result.flit_hops += r.flits;
      result.link_bytes += r.bytes;
    }
    if (topology.nodes[link.from].kind == NodeKind::kNpu) {
      sent[link.from] += r.bytes;
      result.injected_bytes += r.bytes;
    }
    result.links.push_back(std::move(r));
  }
  result.injected_bytes_per_npu_max = std::ranges::max(sent);

  for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
    const Node& node = topology.nodes[id];
    if (node.kind == NodeKind::kNpu || node.kind == NodeKind::kIo) continue;
    const bool fred = node.kind == NodeKind::kFredSwitch;
    SwitchResult r;
    r.name = node.name;
    r.model = fabric.switch_core(id).model();
    for (int port = 0; port < node.ports; ++port) {
      const int in = topology.link_in(id, port);
      const int out = topology.link_out(id, port);
      if (in >= 0) r.flits_in += count_of(in).flits;
      if (out >= 0) r.flits_out += count_of(out).flits;
    }
    const NodeId like = simulated.switch_like[id];
    // Nothing moves any more in a run that is complete; in another, reading takes cycles that are not its own.
    if (SwitchCounters counters;
        result.incomplete && fabric.switch_core(like).peek_counters(counters)) {
      fill_peeked(counters, fred, r);
      result.switches.push_back(std::move(r));
      continue;
    }
    const auto read = [&](std::uint16_t address) { return control.read_counter(like, address); };
    if (fred) {
      r.reductions = read(reg::kReductions);
      r.phase_changes = read(reg::kPhaseChanges);
      r.stall_cycles.emplace_back("join", read(reg::kStallJoin));
    }
    r.stall_cycles.emplace_back("credit", read(reg::kStallCredit));
    if (fred) r.stall_cycles.emplace_back("phase", read(reg::kStallPhase));
    r.stall_cycles.emplace_back("arbiter", read(reg::kStallArbiter));
    r.stall_cycles.emplace_back("link", read(reg::kStallLink));
    result.switches.push_back(std::move(r));
  }
}

}  // namespace fredsim
