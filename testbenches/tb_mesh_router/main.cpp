// tb_mesh_router: tests of the mesh router, RTL and twin. With --bench, their simulation speed; with
// --lockstep, as many seeds of random work in lockstep as one likes (scripts/lockstep.sh):
//
//   tb_mesh_router --lockstep CYCLES [FIRST_SEED]
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "benchmark.h"
#include "lockstep.h"

namespace {

int run_seeds(std::uint64_t cycles, std::uint64_t seed) {
  std::uint64_t done = 0;
  const std::uint64_t first = seed;
  for (; done < cycles; ++seed) {
    try {
      done += fredsim::tb::run_lockstep(seed);
    } catch (const std::exception& error) {
      fmt::print("seed {}: {}\n", seed, error.what());
      return 1;
    }
  }
  fmt::print("mesh_router: {} cycles without a difference, seeds {} to {}\n", done, first,
             seed - 1);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 3 && std::string_view(argv[1]) == "--lockstep") {
    return run_seeds(std::strtoull(argv[2], nullptr, 10),
                     argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  }
  if (argc == 2 && std::string_view(argv[1]) == "--bench") {
    fredsim::tb::run_benchmark();
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
