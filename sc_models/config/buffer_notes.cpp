// SPDX-License-Identifier: Apache-2.0
#include "config/buffer_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "switch/node_shape.h"
#include "switch/switch_kind.h"

namespace fredsim {
namespace {

struct SmallBuffer {
  int flits = 0;   // room
  int needed = 0;  // free flits that the start of a packet requires
  int cycles = 0;  // round trip

  // Flits per cycle with packets of `packet` flits.
  double rate(int packet) const {
    const int spare = flits - needed;
    if (spare < packet) return static_cast<double>(packet) / (cycles + packet - 1 - spare);
    const int packets = spare / packet + 1;
    return static_cast<double>(packets * packet) / cycles;
  }
};

// Minimum rate for each name that `fredsim info` prints.
using SmallBuffers = std::map<std::string, SmallBuffer>;

void add(SmallBuffers& all, const std::string& name, const SmallBuffer& one) {
  if (one.cycles <= 0 || one.needed > one.flits) return;
  const auto [known, is_new] = all.try_emplace(name, one);
  if (!is_new && one.rate(1) < known->second.rate(1)) known->second = one;
}

// Credits that a packet's head needs, of whichever input.
int needed_credits(const Topology& topology, const Node& node, int port, int most) {
  if (!node.is_switch()) return 1;
  const SwitchKind& kind = kind_of(node);
  int needed = 1;
  for (int input = 0; input < node.ports; ++input)
    needed = std::max(needed, kind.head_credits(topology, node, input, port, most));
  return needed;
}

std::optional<SwitchTiming> timing_of(const Topology& topology, const Node& node) {
  if (!node.is_switch()) return SwitchTiming{};
  return kind_of(node).timing(switch_shape(topology, node));
}

void add_links(const Topology& topology, SmallBuffers& all) {
  for (const Link& link : topology.links) {
    const Node& from = topology.nodes[link.from];
    const Node& to = topology.nodes[link.to];
    if (from.failed || to.failed) continue;
    const int flits = to.is_switch() ? topology.buffers.data_flits : topology.buffers.receive_flits;
    if (flits >= 2 * topology.packet_flits) continue;
    const std::optional<SwitchTiming> sender = timing_of(topology, from);
    const std::optional<SwitchTiming> receiver = timing_of(topology, to);
    if (!sender || !receiver) continue;
    const bool is_io = to.kind == NodeKind::kIo;
    add(all,
        to.is_switch() ? "switch input, data"
        : is_io        ? "I/O receive"
                       : "NPU receive",
        {.flits = flits,
         .needed = needed_credits(topology, from, link.from_port, flits),
         .cycles = 2 * link.latency + receiver->to_leave + sender->credit_edges});
  }
}

void add_staging(const Topology& topology, SmallBuffers& all) {
  const int flits = topology.buffers.output_flits;
  if (flits >= 2 * topology.packet_flits) return;
  for (const Node& node : topology.nodes) {
    if (!node.is_switch() || kind_of(node).index("OUT_DEPTH") < 0) continue;
    const std::optional<SwitchTiming> timing = timing_of(topology, node);
    if (!timing) continue;
    add(all, "switch output staging",
        {.flits = flits, .needed = topology.packet_flits, .cycles = timing->to_pins});
  }
}

}  // namespace

std::vector<std::string> buffer_notes(const Topology& topology, const std::vector<int>& packets) {
  SmallBuffers all;
  for (const Topology* const one : topology.machines()) {
    add_links(*one, all);
    add_staging(*one, all);
  }
  std::vector<std::string> notes;
  for (const auto& [name, one] : all) {
    std::vector<std::string> rates;
    for (const int packet : packets)
      rates.push_back(
          fmt::format("{:.3g} in packets of {}", std::min(1.0, one.rate(packet)), packet));
    const std::string rule =
        one.needed == 1
            ? ""
            : fmt::format("a packet, of however few flits, starts only with room for {}; ",
                          one.needed);
    notes.push_back(fmt::format(
        "{}: {} flits, less than two packets of {}; {}at most, in flits per cycle and virtual "
        "channel, where the round trip is longest, {} cycles: {}",
        name, one.flits, topology.packet_flits, rule, one.cycles, fmt::join(rates, ", ")));
  }
  return notes;
}

std::vector<std::string> buffer_notes(const Topology& topology) {
  if (topology.packet_flits == 1) return {};
  return buffer_notes(topology, {1, topology.packet_flits});
}

}  // namespace fredsim
