// SPDX-License-Identifier: Apache-2.0
// Energy of a run from its counters.
//
// Events: flits of a switch's links, flits of flows among them, and additions; copies are the flits
//   that leave beyond the ones made from the received flits. All engines count alike, so that a run
//   has the same energy on each, except the clock's, which depends on the time.
// Parts: adders and interconnect by the switch's row (energy/energy_rows.h); buffers: each flit is
//   written and read on entry, and once more in the staging; tables: rows of phases written, and
//   read on activation, which flows do not count; links by class; the clock of interconnects, in
//   every cycle and for register loads; additions at NPUs, assumed equal to a µSwitch's; bytes that
//   NPUs read and write for them, and computations, if the machine file has figures.
#pragma once

#include <optional>

#include "config/energy_figures.h"
#include "energy/energy_rows.h"
#include "results/energy.h"
#include "results/results.h"
#include "results/traffic_results.h"

namespace fredsim {

// Energy of a finished run on this machine, with its counters, times and sizes. `flops`:
// floating-point operations of its computations; no value: not known.
EnergyResult energy_of(const Topology& topology, const EnergyFigures& figures, const RunResult& run,
                       std::optional<double> flops = 0, const EnergyRows& rows = energy_rows());
// Energy of a window of unicasts, with `flits_arrived` as its payload.
EnergyResult energy_of(const Topology& topology, const EnergyFigures& figures,
                       const TrafficPoint& point, std::uint64_t window_cycles,
                       double flits_arrived);

}  // namespace fredsim
