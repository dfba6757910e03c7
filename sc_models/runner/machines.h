// SPDX-License-Identifier: Apache-2.0
// Machine files of a command line, loaded.
//
// Errors: those of load_configs() (config/config.h).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/table_output.h"
#include "results/rank_forecast.h"
#include "runner/run_options.h"

namespace fredsim {

// Machines in the order given, with the overrides applied. A note on standard error (not with
// --quiet) where only some of them have the key of one.
std::vector<MachineConfig> load_machines(const MachineOptions& options, bool quiet);

// BadInput for a machine that the engine which simulates flit by flit cannot run.
void check_runs_exactly(const MachineConfig& machine);

// BadInput for a system of dimensions, where a command runs on one machine alone.
void check_no_system(const MachineConfig& machine, std::string_view command);

// True of a system that runs as flows, which take its steps (SystemForm); exact runs take plans.
bool runs_in_steps(const Topology& topology, bool is_flow);

// The heading above a machine's notes: its name and file.
std::string notes_title(const MachineConfig& machine);

// Differences of compared machines in NPUs and clocks, with the values of all, for a list of notes;
// no lines: nothing. A speed-up between such machines is not that of their fabrics alone.
TitledList unequal_parts(std::span<const MachineConfig* const> machines);

// Predictions for a machine in so many parts, a process each, then in 16 and 256, where those are
// more and it has as many. BadInput where it has not so many.
std::vector<RankForecast> rank_forecasts(const Topology& topology, int ranks, SwitchModel model,
                                         int lanes, const ExchangeCosts& exchange);

}  // namespace fredsim
