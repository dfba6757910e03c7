// SPDX-License-Identifier: Apache-2.0
// Energy figures of a machine file, beyond the figures of its switches. Units: pJ per bit; pJ per
// FLOP.
//
// Errors: BadInput naming `what`, what was found and what is allowed.
#pragma once

#include <optional>
#include <string_view>

namespace fredsim {

// Energies that are left out are not counted.
struct EnergyFigures {
  std::optional<double> link, io_link;              // links on the wafer
  std::optional<double> memory_read, memory_write;  // buffers and tables in switches
  std::optional<double> npu_memory;                 // bytes that NPUs send, receive and add
  std::optional<double> npu_compute;                // computations, per FLOP
};

inline constexpr std::string_view kAllowedEnergy = "none, or a number from 0 to 1e6";

std::optional<double> parse_energy(std::string_view text, std::string_view what);

}  // namespace fredsim
