// SPDX-License-Identifier: Apache-2.0
// Implements --best-base (the base machine tuned, as an additional machine), --placement auto of
// `run` and `compare`, and --write-placement (the NPUs of workers).
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "runner/file_uses.h"
#include "runner/work_options.h"

namespace fredsim {

// Copy of the machine, named "mesh (best)".
MachineConfig best_of(const MachineConfig& base);

// Work as it is run on a machine: with --placement auto, workers are on NPUs that a search finds;
// the best base also uses the algorithms with the lowest estimated time. Without either, the work
// as requested.
WorkOptions work_on(const WorkOptions& asked, const Topology& topology, std::uint64_t seed,
                    bool is_best_base);

struct NamedPlacement {
  std::string machine;
  std::vector<int> npus;  // by worker
};

// Writes the file of --write-placement or, with several machines, one file each, with the machine's
//   name before the extension: "p.yaml" of "mesh (best)" is "p.mesh_best.yaml". All files are
//   written or none. `files`: files of the command. Errors: BadInput for a file that cannot be
//   written, or that the command uses otherwise.
void write_placements(const std::string& file, const FileUses& files,
                      const std::vector<NamedPlacement>& placements);

}  // namespace fredsim
