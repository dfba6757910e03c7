// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "ranks/mpi_transport.h"

namespace fredsim {

std::unique_ptr<RankTransport> mpi_transport() {
  throw BadInput(
      "found several processes of one run; allowed: one, since this program was built without MPI "
      "(Debian: libopenmpi-dev)");
}

}  // namespace fredsim
