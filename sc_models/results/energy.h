// SPDX-License-Identifier: Apache-2.0
// Energy of a run by part: its counters times the energy of each event (energy/run_energy.h).
//
// Units: pJ.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fredsim {

// Counts of the events that take energy.
struct EnergyEvents {
  std::uint64_t unicast_flits = 0;  // through switches, each counted in every switch
  std::uint64_t flow_flits =
      0;  // flits made by flows of phases from their inputs, each counted in every switch
  std::uint64_t additions = 0, copies = 0;  // events in switches
  std::uint64_t npu_additions = 0;          // at NPUs, I/O controllers and adders of switches
  std::uint64_t buffer_flits = 0;           // written to and read from memories of switches
  std::uint64_t link_flits = 0;             // on wafer links, retransmissions included
  std::uint64_t npu_bytes = 0;              // bytes that NPUs read, to send and to add, and write
  double flops = 0;                         // computations
  bool operator==(const EnergyEvents&) const = default;
};

struct EnergyResult {
  std::string missing{};  // reason why there is no energy; empty: there is
  // Energy by part; none: unknown, or its figure is not set.
  struct Parts {
    std::optional<double> adders, interconnect, buffers, tables, npu_links, switch_links, io_links,
        clock, npu_adders, npu_memory, npu_compute;
  } parts{};
  EnergyEvents events{};
  double total = 0;        // sum of the parts
  std::uint64_t bits = 0;  // bits of the vectors of all collectives; 0: there are none
};

// Names of the parts, in the order in which they are written.
struct EnergyPart {
  std::string_view name;
  std::optional<double> EnergyResult::Parts::*value;
};
inline constexpr auto kEnergyParts = std::to_array<EnergyPart>({
    {"adders_pj", &EnergyResult::Parts::adders},
    {"interconnect_pj", &EnergyResult::Parts::interconnect},
    {"buffers_pj", &EnergyResult::Parts::buffers},
    {"tables_pj", &EnergyResult::Parts::tables},
    {"npu_links_pj", &EnergyResult::Parts::npu_links},
    {"switch_links_pj", &EnergyResult::Parts::switch_links},
    {"io_links_pj", &EnergyResult::Parts::io_links},
    {"clock_pj", &EnergyResult::Parts::clock},
    {"npu_adders_pj", &EnergyResult::Parts::npu_adders},
    {"npu_memory_pj", &EnergyResult::Parts::npu_memory},
    {"npu_compute_pj", &EnergyResult::Parts::npu_compute},
});

}  // namespace fredsim
