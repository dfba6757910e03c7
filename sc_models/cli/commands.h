// The commands of the program. Results go to standard output, progress to standard error.
//
// Errors: BadInput, RoutingConflict and RunFailed (base/error.h); nothing is
// written to --json then. Interrupted after all that was measured so far is printed and written.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "config/config.h"

namespace fredsim {

// Machine files in the order given, with the overrides applied. A note on standard error (not with
// --quiet) where only some of them have the key of one.
std::vector<MachineConfig> load_machines(const Options& options);

// What stands above a machine's notes: its name and file.
std::string notes_title(const MachineConfig& machine);

// `fredsim info`: needs no simulation.
void info_command(const Options& options);

// `fredsim run` and `fredsim compare`. Call during SystemC elaboration, once in a process: it
// elaborates all machines, then starts the kernel and runs the jobs, the smallest size first.
void run_command(const Options& options);

// `fredsim train`: as run_command(), a model's training iterations on each machine.
void train_command(const Options& options);

// `fredsim traffic`: steps the fabric without SystemC.
void traffic_command(const Options& options);

// `fredsim route` and `fredsim conflicts`: one switch, no machine file, no simulation.
void route_command(const Options& options);
void conflicts_command(const Options& options);

// `fredsim strategies`: plans the groups of every strategy, no simulation.
void strategies_command(const Options& options);

// `fredsim report`: results of earlier commands as a page.
void report_command(const Options& options);

}  // namespace fredsim
