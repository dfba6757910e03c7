// SPDX-License-Identifier: Apache-2.0
// --best-base: the base once more, as well as it can, as a machine beside the others; --placement
// auto of `run` and `compare`; --write-placement: where workers are.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "runner/file_uses.h"
#include "runner/work_options.h"

namespace fredsim {

// The same machine, "mesh (best)".
MachineConfig best_of(const MachineConfig& base);

// The work as it is run on a machine: with --placement auto workers on NPUs that a search finds,
// and as the base's best self also by the algorithms that are estimated to be the fastest. Without
// either as asked for.
WorkOptions work_on(const WorkOptions& asked, const Topology& topology, std::uint64_t seed,
                    bool is_best_base);

struct NamedPlacement {
  std::string machine;
  std::vector<int> npus;  // by worker
};

// To the file of --write-placement, or where there are several machines one file each, with the
// machine's name before the extension: "p.yaml" of "mesh (best)" is "p.mesh_best.yaml". All or
// none. `files`: of the command. Errors: BadInput for a file that cannot be written, or is another
// of the command.
void write_placements(const std::string& file, const FileUses& files,
                      const std::vector<NamedPlacement>& placements);

}  // namespace fredsim
