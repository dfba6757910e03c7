// SPDX-License-Identifier: Apache-2.0
#include "topology/torus2d/torus2d.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/units.h"

namespace fredsim {
namespace {

void check_ring_buffers(const MachineSpec& machine) {
  const auto require = [](std::string_view key, int flits, int packet) {
    if (flits > packet || flits == kAutoBuffer) return;
    const auto size = [](int n) { return format_size(static_cast<std::uint64_t>(n) * kFlitBytes); };
    throw BadInput(fmt::format(
        "{}: found {}; on a torus a buffer holds more than a packet: allowed: {} or more", key,
        size(flits), size(packet + 1)));
  };
  require("switch.input_buffer", machine.buffers.data_flits, machine.packet_flits);
  require("switch.control_buffer", machine.buffers.control_flits, 1);
}

}  // namespace

Topology build_torus2d(const MachineSpec& machine, const Mesh2dSpec& spec) {
  check_ring_buffers(machine);
  return build_grid(machine, spec, torus2d_kind());
}

}  // namespace fredsim
