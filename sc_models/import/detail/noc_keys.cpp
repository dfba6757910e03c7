// SPDX-License-Identifier: Apache-2.0
#include "import/detail/noc_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/flit.h"
#include "base/text_width.h"
#include "base/units.h"
#include "import/machine_text.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000;

std::string flits_text(int flits) {
  return format_size(static_cast<std::uint64_t>(flits) * kFlitBytes);
}

}  // namespace

std::string NocClock::text() const { return format_frequency(hertz); }

std::uint64_t NocClock::link_bandwidth() const { return hertz * kFlitBytes; }

std::uint64_t NocClock::latency_ps(std::uint64_t cycles) const {
  return cycles * kPsPerSecond / hertz;
}

void add_grid(const NocGrid& grid, const NocClock& clock, ImportedMachine& machine) {
  constexpr int kNicPorts = 4;  // of an NPU in a grid: as many as its router has neighbours
  const std::uint64_t link = clock.link_bandwidth();
  machine.clock = clock.text();
  machine.keys.push_back({"npu.count", fmt::format("{}", grid.width * grid.height)});
  machine.keys.push_back({"npu.bandwidth", bandwidth_text(kNicPorts * link)});
  machine.keys.push_back({"fabric.type", grid.is_torus ? "torus2d" : "mesh2d"});
  machine.keys.push_back({"fabric.width", fmt::format("{}", grid.width)});
  machine.keys.push_back({"fabric.height", fmt::format("{}", grid.height)});
  machine.keys.push_back({"fabric.link_bandwidth", bandwidth_text(link)});
  machine.keys.push_back(
      {"fabric.link_latency", format_time_ps(clock.latency_ps(grid.link_cycles))});
  machine.note("injection",
               "an NPU has a NIC port of a flit per cycle for each of its router's four links, in "
               "place of one port");
}

void add_buffers(const NocBuffers& buffers, ImportedMachine& machine) {
  const int packet = std::clamp(buffers.packet_flits, 1, kPacketFlits);
  const int flits = std::max(buffers.buffer_flits, packet);
  machine.keys.push_back({"fabric.packet", flits_text(packet)});
  machine.keys.push_back({"switch.input_buffer", flits_text(flits)});
  machine.keys.push_back({"switch.control_buffer", "auto"});
  machine.note(buffers.key,
               fmt::format("a port has one virtual channel for data; its buffer holds {} flit{}, "
                           "the sum of that file's{}",
                           flits, flits == 1 ? "" : "s",
                           flits > buffers.buffer_flits ? ", raised to a packet" : ""));
}

void add_traffic(const NocTraffic& traffic, const ImportOptions& options,
                 ImportedMachine& machine) {
  const bool is_known = !traffic.pattern.empty() && options.has_pattern(traffic.pattern);
  if (!is_known)
    machine.note(traffic.pattern_key,
                 fmt::format("`fredsim traffic` has no pattern {}; the command above has uniform",
                             printable(traffic.pattern_there)));
  const int packet = std::clamp(traffic.packet_flits, 1, kPacketFlits);
  if (packet != traffic.packet_flits)
    machine.note("packet size", fmt::format("packets of {} flits are sent as packets of {}, at the "
                                            "same rate in flits",
                                            traffic.packet_flits, packet));
  machine.commands.push_back(fmt::format(
      "traffic FILE --pattern {}{} --rate {:.9g} --packet-flits {} --warmup {} --cycles {}",
      is_known ? traffic.pattern : "uniform", is_known ? traffic.more : "", traffic.flits_per_cycle,
      packet, traffic.warmup, traffic.cycles));
}

}  // namespace fredsim
