// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>

#include "switch/register_map.h"
#include "switch/switch_counters.h"

namespace fredsim {
namespace {

constexpr std::size_t kMaxLines = 24;  // max per kind

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < kMaxLines; ++i) text += "\n  " + lines[i];
  if (lines.size() > kMaxLines) text += fmt::format("\n  and {} more", lines.size() - kMaxLines);
  return text;
}

// Other end of every output of a node: "r3_1 port 4".
std::vector<std::string> peers_of(const Topology& topology, NodeId id) {
  std::vector<std::string> peers;
  for (int port = 0; port < topology.nodes[id].ports; ++port) {
    const int link = topology.link_out(id, port);
    peers.push_back(link < 0
                        ? "nothing"
                        : fmt::format("{} port {}", topology.nodes[topology.links[link].to].name,
                                      topology.links[link].to_port));
  }
  return peers;
}

void describe_buffers(const Topology& topology, const FabricCore& core, NodeId id,
                      std::vector<std::string>& lines) {
  const Node& node = topology.nodes[id];
  for (int port = 0; port < node.ports; ++port) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      const int flits = core.buffered(id, port, vc);
      if (flits > 0) {
        lines.push_back(fmt::format("{} input {} VC {}: {} flits buffered or passing", node.name,
                                    port, kVcTitles[vc], flits));
      }
    }
  }
  const std::vector<std::string> peers = peers_of(topology, id);
  for (int port = 0; port < node.ports; ++port) {
    const int link = topology.link_out(id, port);
    for (int vc = 0; vc < kNumVcs && link >= 0; ++vc) {
      if (core.outstanding(link, vc) < core.receiver_depth(link, vc)) continue;
      lines.push_back(fmt::format("{} output {} VC {}: no credit from {}", node.name, port,
                                  kVcTitles[vc], peers[port]));
    }
  }
}

void describe_stalls(Fabric& fabric, ControlPlane& control, std::vector<std::string>& lines) {
  const Topology& topology = fabric.topology();
  for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
    if (!topology.nodes[id].is_switch() || fabric.switch_core(id).idle()) continue;
    for (const CounterInfo& counter : kSwitchCounters) {
      if (counter.stall == nullptr) continue;
      const std::uint64_t before = control.read_counter(id, counter.address);
      const std::uint64_t after = control.read_counter(id, counter.address);
      if (after == before) continue;
      lines.push_back(
          fmt::format("{}: flits stall for: {}", topology.nodes[id].name, counter.stall));
    }
  }
}

void check_links(Fabric& fabric, std::vector<std::string>& lines) {
  const Topology& topology = fabric.topology();
  FabricCore& core = fabric.core();
  if (core.flits_on_links() != 0 || core.credits_on_links() != 0) {
    lines.push_back(fmt::format("{} flits and {} credits are still on links", core.flits_on_links(),
                                core.credits_on_links()));
  }
  for (int link = 0; link < static_cast<int>(topology.links.size()); ++link) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      if (const int missing = core.outstanding(link, vc); missing != 0) {
        lines.push_back(fmt::format("link {} VC {}: {} credits are not back",
                                    topology.links[link].name, kVcTitles[vc], missing));
      }
    }
  }
}

void check_switch(Fabric& fabric, ControlPlane& control, NodeId id,
                  std::vector<std::string>& lines) {
  const Topology& topology = fabric.topology();
  const Node& node = topology.nodes[id];
  const auto compare = [&](std::uint64_t reads, std::uint64_t wanted, const std::string& what) {
    if (reads != wanted) {
      lines.push_back(fmt::format("{}: {} reads {}, must be {}", node.name, what, reads, wanted));
    }
  };
  if (!fabric.switch_core(id).idle()) lines.push_back(node.name + ": not idle");
  for (int port = 0; port < node.ports; ++port) {
    const auto p = static_cast<std::uint32_t>(port);
    if (const int in = topology.link_in(id, port); in >= 0) {
      compare(control.read_counter(id, reg::kFlitsIn + 2 * p), fabric.core().count(in).flits,
              fmt::format("flits in at port {}", port));
    }
    const int out = topology.link_out(id, port);
    if (out < 0) continue;
    compare(control.read_counter(id, reg::kFlitsOut + 2 * p), fabric.core().count(out).flits,
            fmt::format("flits out at port {}", port));
    for (int vc = 0; vc < kNumVcs; ++vc) {
      compare(control.read(id, reg::kCredit + 4 * p + static_cast<std::uint32_t>(vc)),
              static_cast<std::uint64_t>(fabric.core().receiver_depth(out, vc)),
              fmt::format("credits of port {} VC {}", port, kVcTitles[vc]));
    }
  }
}

}  // namespace

std::uint64_t watchdog_cycles(const Topology& topology) {
  std::uint64_t longest = 0;
  for (const Link& link : topology.links) {
    const auto burst =
        static_cast<std::uint64_t>(std::max(link.burst, 1));  // and the silence after it
    longest = std::max({longest, link.flit_cycles(), burst * link.rate.den / link.rate.num});
  }
  return std::max<std::uint64_t>(20'000, 50 * longest);
}

std::string describe_waiting(Fabric& fabric, ControlPlane& control,
                             std::span<const Npu* const> members) {
  const Topology& topology = fabric.topology();
  std::vector<std::string> nics;
  std::vector<std::string> switches;
  std::vector<std::string> ranks;
  for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
    if (topology.nodes[id].is_switch()) {
      describe_buffers(topology, fabric.core(), id, switches);
    } else {
      fabric.nic(id).describe_waiting(peers_of(topology, id), nics);
    }
  }
  std::vector<std::string> stalls;
  describe_stalls(fabric, control, stalls);
  for (const Npu* npu : members) npu->describe_missing(ranks);
  return join(nics) + join(switches) + join(stalls) + join(ranks);
}

std::string describe_waiting(const Topology& topology, const FabricCore& core,
                             std::span<const EndpointCore* const> endpoints) {
  std::vector<std::string> queues;
  std::vector<std::string> switches;
  for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
    if (endpoints[id] == nullptr) {
      describe_buffers(topology, core, id, switches);
    } else {
      endpoints[id]->describe_waiting(peers_of(topology, id), queues);
    }
  }
  return join(queues) + join(switches);
}

std::string describe_imbalance(Fabric& fabric, ControlPlane& control,
                               std::span<const Npu* const> members) {
  const Topology& topology = fabric.topology();
  std::vector<std::string> lines;
  for (const Npu* npu : members) {
    if (!npu->complete())
      lines.push_back(fmt::format("{}: not all of its plan was done", npu->name()));
  }
  check_links(fabric, lines);
  for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
    if (topology.nodes[id].is_switch()) {
      check_switch(fabric, control, id, lines);
    } else if (!fabric.nic(id).empty()) {
      lines.push_back(topology.nodes[id].name + ": its NIC is not empty");
    }
  }
  return join(lines);
}

}  // namespace fredsim
