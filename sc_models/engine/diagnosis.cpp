// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/gathered.h"
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

using Lines = std::vector<NumberedLine>;

// Adds the lines of `describe` for the node, or the link, of this number.
template <typename Describe>
void add_lines(int number, Lines& lines, const Describe& describe) {
  std::vector<std::string> texts;
  describe(texts);
  for (std::string& text : texts) lines.push_back({number, std::move(text)});
}

void describe_buffers(const Topology& topology, const FabricCore& core, NodeId id, Lines& lines) {
  const Node& node = topology.nodes[id];
  for (int port = 0; port < node.ports; ++port) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      const int flits = core.buffered(id, port, vc);
      if (flits > 0) {
        lines.push_back({id, fmt::format("{} input {} VC {}: {} flits buffered or passing",
                                         node.name, port, kVcTitles[vc], flits)});
      }
    }
  }
  const std::vector<std::string> peers = peers_of(topology, id);
  for (int port = 0; port < node.ports; ++port) {
    const int link = topology.link_out(id, port);
    for (int vc = 0; vc < kNumVcs && link >= 0; ++vc) {
      if (core.outstanding(link, vc) < core.receiver_depth(link, vc)) continue;
      lines.push_back({id, fmt::format("{} output {} VC {}: no credit from {}", node.name, port,
                                       kVcTitles[vc], peers[port])});
    }
  }
}

void describe_stalls(Fabric& fabric, ControlPlane& control, Lines& lines) {
  const Topology& topology = fabric.topology();
  for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
    if (!topology.nodes[id].is_switch() || !fabric.core().owns(id) || fabric.switch_core(id).idle())
      continue;
    for (const CounterInfo& counter : kSwitchCounters) {
      if (counter.stall == nullptr) continue;
      const std::uint64_t before = control.read_counter(id, counter.address);
      const std::uint64_t after = control.read_counter(id, counter.address);
      if (after == before) continue;
      lines.push_back(
          {id, fmt::format("{}: flits stall for: {}", topology.nodes[id].name, counter.stall)});
    }
  }
}

void check_links(const Fabric& fabric, const FabricCore& core, Lines& lines) {
  const Topology& topology = fabric.topology();
  for (int link = 0; link < static_cast<int>(topology.links.size()); ++link) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      if (const int missing = core.outstanding(link, vc); missing != 0) {
        lines.push_back({link, fmt::format("link {} VC {}: {} credits are not back",
                                           topology.links[link].name, kVcTitles[vc], missing)});
      }
    }
  }
}

// `carried`: flits by link, of all processes.
void check_switch(Fabric& fabric, ControlPlane& control, NodeId id,
                  std::span<const std::uint64_t> carried, std::vector<std::string>& lines) {
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
      compare(control.read_counter(id, reg::kFlitsIn + 2 * p), carried[in],
              fmt::format("flits in at port {}", port));
    }
    const int out = topology.link_out(id, port);
    if (out < 0) continue;
    compare(control.read_counter(id, reg::kFlitsOut + 2 * p), carried[out],
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
        static_cast<std::uint64_t>(std::max(link.burst, 1));  // a burst is followed by a pause
    longest = std::max({longest, link.flit_cycles(), burst * link.rate.den / link.rate.num});
  }
  return std::max<std::uint64_t>(20'000, 50 * longest);
}

std::string describe_waiting(Fabric& fabric, ControlPlane& control,
                             std::span<const std::unique_ptr<Npu>> npus) {
  const Topology& topology = fabric.topology();
  FabricCore& core = fabric.core();
  core.report_outstanding();
  core.set_alone();
  Lines nics, switches, stalls, ranks;
  for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
    if (!core.owns(id)) continue;
    if (topology.nodes[id].is_switch()) {
      describe_buffers(topology, core, id, switches);
    } else {
      add_lines(id, nics, [&](std::vector<std::string>& lines) {
        fabric.nic(id).describe_waiting(peers_of(topology, id), lines);
      });
    }
  }
  for (NodeId id = 0; id < std::ssize(npus); ++id) {
    if (npus[id] == nullptr) continue;
    add_lines(id, ranks,
              [&](std::vector<std::string>& lines) { npus[id]->describe_missing(lines); });
  }
  describe_stalls(fabric, control, stalls);  // takes cycles
  std::string text;
  for (const Lines* const lines : {&nics, &switches, &stalls, &ranks})
    text += join(gathered(*lines, core.all_ranks()));
  return text;
}

std::string describe_waiting(const Topology& topology, FabricCore& core,
                             std::span<const EndpointCore* const> endpoints) {
  core.report_outstanding();
  Lines queues, switches;
  for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
    if (!core.owns(id)) continue;
    if (endpoints[id] == nullptr) {
      describe_buffers(topology, core, id, switches);
    } else {
      add_lines(id, queues, [&](std::vector<std::string>& lines) {
        endpoints[id]->describe_waiting(peers_of(topology, id), lines);
      });
    }
  }
  std::string text = join(gathered(queues, core.all_ranks()));
  return text + join(gathered(switches, core.all_ranks()));
}

std::string describe_imbalance(Fabric& fabric, ControlPlane& control,
                               std::span<const std::unique_ptr<Npu>> npus) {
  const Topology& topology = fabric.topology();
  FabricCore& core = fabric.core();
  const int flits = core.flits_on_links(), credits = core.credits_on_links();
  std::vector<std::uint64_t> carried;
  for (int link = 0; link < std::ssize(topology.links); ++link)
    carried.push_back(core.count(link).flits);
  carried = summed(std::move(carried), core.ranks());
  core.set_alone();
  Lines ranks, links, nodes, stray;
  for (NodeId id = 0; id < std::ssize(npus); ++id) {
    const Npu* const npu = npus[id].get();
    if (npu == nullptr) continue;
    if (!npu->complete())
      ranks.push_back({id, fmt::format("{}: not all of its plan was done", npu->name())});
    if (!npu->stray().empty()) stray.push_back({id, npu->stray()});
  }
  check_links(fabric, core, links);
  for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
    if (!core.owns(id)) continue;
    if (topology.nodes[id].is_switch()) {
      add_lines(id, nodes, [&](std::vector<std::string>& lines) {
        check_switch(fabric, control, id, carried, lines);
      });
    } else if (!fabric.nic(id).empty()) {
      nodes.push_back({id, topology.nodes[id].name + ": its NIC is not empty"});
    }
  }
  std::vector<std::string> lines = gathered(ranks, core.all_ranks());
  if (flits != 0 || credits != 0)
    lines.push_back(fmt::format("{} flits and {} credits are still on links", flits, credits));
  for (const Lines* const more : {&links, &nodes})
    std::ranges::move(gathered(*more, core.all_ranks()), std::back_inserter(lines));
  std::string text = join(lines);
  for (const std::string& packet : gathered(stray, core.all_ranks())) text += packet;
  return text;
}

}  // namespace fredsim
