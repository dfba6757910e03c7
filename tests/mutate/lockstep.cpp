// SPDX-License-Identifier: Apache-2.0
// Random work on RTL and twins in lockstep, as in the testbench that is linked, without its command
// line and libraries: scripts/mutate.sh builds and runs it for the mutants of a switch.
//
//   lockstep_phased CYCLES    and lockstep_mesh, lockstep_voq. Exit code 1: a difference, or a
//                             broken rule
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace fredsim::tb {
std::uint64_t run_lockstep(std::uint64_t seed);  // each testbench has one
}

int main(int argc, char** argv) {
  const std::uint64_t cycles = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  try {
    for (std::uint64_t seed = 1, done = 0; done < cycles; ++seed)
      done += fredsim::tb::run_lockstep(seed);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
