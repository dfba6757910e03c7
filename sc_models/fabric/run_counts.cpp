#include "fabric/run_counts.h"

#include <algorithm>

#include "endpoint/packet_extension.h"
#include "switch/register_map.h"

namespace fredsim {
namespace {

// The flit of 512 bytes that the last bytes of a vector do not fill, as links can see it: the tail
// of one packet of one tree. A tag repeats every 2^18 packets, and every packet of a stream crosses
// the same links, so of the tails a link has counted one in `repeats` is short.
struct ShortFlit {
  int tree = -1;  // -1: there is none
  std::uint64_t last_packet = 0;
  std::uint64_t repeats = 1;
  std::uint64_t missing_bytes = 0;
};

ShortFlit short_flit(const Plan& plan) {
  const std::uint64_t rest = plan.bytes % kFlitBytes;
  if (rest == 0) return {};
  for (int tree = 0; tree < static_cast<int>(plan.trees.size()); ++tree) {
    const Tree& t = plan.trees[tree];
    if (t.flits == 0 || t.first_flit + t.flits != plan.flits) continue;
    const std::uint64_t last = (t.flits - 1) / static_cast<std::uint64_t>(plan.packet_flits);
    return {tree, last, (last >> kIndexBits) + 1, kFlitBytes - rest};
  }
  return {};
}

}  // namespace

void watch_short_flit(const Plan& plan, FabricCore& core) {
  const ShortFlit s = short_flit(plan);
  if (s.tree >= 0)
    core.set_short_tag(packet_tag(static_cast<std::uint32_t>(2 * s.tree), s.last_packet));
}

void fill_counts(const Plan& plan, Fabric& fabric, ControlPlane& control, std::uint64_t cycles,
                 RunResult& result) {
  const Topology& topology = fabric.topology();
  const ShortFlit s = short_flit(plan);
  std::vector<std::uint64_t> sent(topology.nodes.size());
  for (int l = 0; l < static_cast<int>(topology.links.size()); ++l) {
    const Link& link = topology.links[l];
    const LinkCount count = fabric.core().count(l);
    LinkResult r;
    r.name = link.name;
    r.from = topology.nodes[link.from].name;
    r.to = topology.nodes[link.to].name;
    r.flits = count.flits;
    r.bytes = count.flits * kFlitBytes - count.short_flits / s.repeats * s.missing_bytes;
    r.busy_cycles = count.flits;
    r.utilization = cycles == 0 ? 0
                                : static_cast<double>(count.flits) /
                                      (link.rate.value() * static_cast<double>(cycles));
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
      if (in >= 0) r.flits_in += fabric.core().count(in).flits;
      if (out >= 0) r.flits_out += fabric.core().count(out).flits;
    }
    if (fred) {
      r.reductions = control.read_counter(id, reg::kReductions);
      r.phase_changes = control.read_counter(id, reg::kPhaseChanges);
      r.stall_cycles.emplace_back("join", control.read_counter(id, reg::kStallJoin));
    }
    r.stall_cycles.emplace_back("credit", control.read_counter(id, reg::kStallCredit));
    if (fred) {
      r.stall_cycles.emplace_back("phase", control.read_counter(id, reg::kStallPhase));
    } else {
      r.stall_cycles.emplace_back("arbiter", control.read_counter(id, reg::kStallArbiter));
    }
    r.stall_cycles.emplace_back("link", control.read_counter(id, reg::kStallLink));
    result.switches.push_back(std::move(r));
  }
}

}  // namespace fredsim
