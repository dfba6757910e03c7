// SPDX-License-Identifier: Apache-2.0
// Loads the machine files of a command line.
//
// Errors: errors of load_configs() (config/config.h).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/table_output.h"
#include "results/rank_forecast.h"
#include "runner/run_options.h"

namespace fredsim {

// Machines in the order given, with the overrides applied. Prints a note to standard error (not
// with --quiet) if only some machines have the key of an override.
std::vector<MachineConfig> load_machines(const MachineOptions& options, bool quiet);

// Throws BadInput for a machine that the flit-level engine cannot run.
void check_runs_exactly(const MachineConfig& machine);

// Throws BadInput for a system of dimensions in a command that takes only machines.
void check_no_system(const MachineConfig& machine, std::string_view command);

// True for a system run as flows, which uses the steps (SystemForm); exact runs use plans.
bool runs_in_steps(const Topology& topology, bool is_flow);

// Heading of a machine's notes: its name and file.
std::string notes_title(const MachineConfig& machine);

// Differences in NPUs and clocks between compared machines, with the values of all machines, as a
// list of notes; empty if there is none. With such differences a speed-up is not due to the fabrics
// alone.
TitledList unequal_parts(std::span<const MachineConfig* const> machines);

// Predictions for a machine in `ranks` partitions, one process each, then in 16 and 256 if these
// are more and the machine has as many. BadInput if it has fewer than `ranks`.
std::vector<RankForecast> rank_forecasts(const Topology& topology, int ranks, SwitchModel model,
                                         int lanes, const ExchangeCosts& exchange);

}  // namespace fredsim
