// SPDX-License-Identifier: Apache-2.0
#include "topology/switch_wires.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/int128.h"

namespace fredsim {

int wire_cycles(const SwitchWires& wires, std::uint64_t clock_hz) {
  if (wires.cycles) return *wires.cycles;
  // um/2 · fs/mm · Hz, over 1000 um/mm · 10^15 fs/s.
  constexpr std::uint64_t kPerCycle = 2 * 1'000'000'000'000'000'000ULL;
  const Uint128 product = Uint128{wires.chiplet_um} * wires.fs_per_mm * clock_hz;
  const Uint128 cycles = (product + kPerCycle - 1) / kPerCycle;
  if (cycles > kMaxWireCycles) {
    throw BadInput(fmt::format(
        "switch.chiplet_mm: found {:g} mm at {:g} ns/mm; allowed: up to {} cycles to the middle",
        static_cast<double>(wires.chiplet_um) / 1e3, static_cast<double>(wires.fs_per_mm) / 1e6,
        kMaxWireCycles));
  }
  return static_cast<int>(cycles);
}

}  // namespace fredsim
