// SPDX-License-Identifier: Apache-2.0
// Ranks as processes that an MPI launcher (mpirun, srun) has started, and messages by MPI, non-blocking throughout.
//
// Errors: BadInput where this program was built without MPI; MPI's own end the process, and all with it.
#pragma once

#include <memory>
#include <optional>

#include "ranks/rank_transport.h"

namespace fredsim {

// Place of this process among those that a launcher has started, as its environment says; none: it was not, or alone.
struct LaunchedRank {
  int rank = 0, size = 1;
};
std::optional<LaunchedRank> launched_rank();

// Once in a process. Null: MPI says that this process is alone.
std::unique_ptr<RankTransport> mpi_transport();

}  // namespace fredsim
