// SPDX-License-Identifier: Apache-2.0
// Energy of a run from its counters.
//
// Events: of a switch, flits of its links, those of flows among them, and additions; a copy is what leaves beyond what is made of what
//   comes in. All engines count them alike, so that a run has the same energy whichever simulates it, but for the clock's, which goes by the
//   time.
// Parts: adders and interconnect by the switch's row (energy/energy_rows.h); buffers: each flit is written and read where it comes in, and
//   once more where it is staged; tables: rows of phases written, and read where they are taken into use, which flows do not count; links by
//   class; the clock of interconnects, in every cycle and for what loads registers; additions at NPUs, which are taken to be those of a
//   µSwitch; bytes that NPUs read and write for them, and computations, where the machine file has figures.
#pragma once

#include <optional>

#include "config/energy_figures.h"
#include "energy/energy_rows.h"
#include "results/energy.h"
#include "results/results.h"
#include "results/traffic_results.h"

namespace fredsim {

// After counters, times and sizes of a run on this machine. `flops`: of its computations; none: not known.
EnergyResult energy_of(const Topology& topology, const EnergyFigures& figures, const RunResult& run,
                       std::optional<double> flops = 0, const EnergyRows& rows = energy_rows());
// Energy of a window of unicasts, `flits_arrived` of which are its payload.
EnergyResult energy_of(const Topology& topology, const EnergyFigures& figures,
                       const TrafficPoint& point, std::uint64_t window_cycles,
                       double flits_arrived);

}  // namespace fredsim
