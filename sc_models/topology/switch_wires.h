// SPDX-License-Identifier: Apache-2.0
// Wires inside a switch's chiplet: register stages between each pin and the switch in the middle.
//
// Model: the stages are part of the latency of the links at the switch: a link between switches has
//   the stages of both ends, a link to an NPU the stages of one end. This is exact if flits and
//   credits have equal stages in both directions, since a chain of registers only delays them.
//   Pacing and retransmission of a link take place in the middle, where flits are launched; the
//   pins have the same spacing some cycles later. So RTL and twin of a switch need no stages of
//   their own. On a link with retransmission the stages are part of the loop, too.
// Links on a die (a mesh's NPU and its router) cross no pin and have none.
// Default: half a side of the chiplet at the delay of a repeated wire, rounded up to cycles: 26 mm
//   at 0.1 ns/mm and 1.5 GHz are 2 cycles.
// Units: micrometres, femtoseconds, hertz, cycles.
#pragma once

#include <cstdint>
#include <optional>

namespace fredsim {

inline constexpr int kMaxWireCycles = 1000;

struct SwitchWires {
  std::optional<int> cycles{};        // explicit stages, independent of the chiplet
  std::uint64_t chiplet_um = 0;       // side of the chiplet; 0: wires are ideal
  std::uint64_t fs_per_mm = 100'000;  // delay
};

// Cycles from a pin to the middle. BadInput "switch.chiplet_mm: …" above kMaxWireCycles.
int wire_cycles(const SwitchWires& wires, std::uint64_t clock_hz);

}  // namespace fredsim
