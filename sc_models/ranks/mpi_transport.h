// SPDX-License-Identifier: Apache-2.0
// Ranks as processes started by an MPI launcher (mpirun, srun), with messages by MPI, non-blocking
// throughout.
//
// Errors: BadInput if this program was built without MPI; MPI's own errors end all processes.
#pragma once

#include <memory>
#include <optional>

#include "ranks/rank_transport.h"

namespace fredsim {

// Place of this process among the launched ones, taken from its environment; no value: it was not
// launched, or is alone.
struct LaunchedRank {
  int rank = 0, size = 1;
};
std::optional<LaunchedRank> launched_rank();

// Call once per process. Null if MPI says that this process is alone.
std::unique_ptr<RankTransport> mpi_transport();

}  // namespace fredsim
