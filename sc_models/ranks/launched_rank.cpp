// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "ranks/mpi_transport.h"

namespace fredsim {
namespace {

std::optional<int> number_in(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  const std::string_view text = value;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<LaunchedRank> launched_rank() {
  struct Launcher {
    const char *rank, *size;
  };
  // Open MPI; MPICH and others that have PMI; Slurm's srun --mpi=pmix.
  for (const Launcher& launcher :
       {Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, Launcher{"PMI_RANK", "PMI_SIZE"},
        Launcher{"PMIX_RANK", "SLURM_STEP_NUM_TASKS"}}) {
    const std::optional<int> rank = number_in(launcher.rank), size = number_in(launcher.size);
    if (rank && size && *size > 1) return LaunchedRank{*rank, *size};
  }
  return std::nullopt;
}

}  // namespace fredsim
