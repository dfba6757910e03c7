// tb_mesh_router: tests of the mesh router, RTL and twin. With --bench, their simulation speed; with
// --lockstep, as many seeds of random work in lockstep as one likes (scripts/lockstep.sh):
//
//   tb_mesh_router --lockstep CYCLES [FIRST_SEED]
//   tb_mesh_router --wave FILE.fst          a short piece of work as a waveform (wave.h); open it with
//                                           gtkwave FILE.fst testbenches/tb_mesh_router/tb_mesh_router.gtkw
#include <gtest/gtest.h>

#include <string_view>

#include "../lockstep_seeds.h"
#include "../run_wave.h"
#include "benchmark.h"
#include "lockstep.h"
#include "wave.h"

int main(int argc, char** argv) {
  if (argc >= 2 && std::string_view(argv[1]) == "--lockstep") {
    return fredsim::tb::run_lockstep_seeds("mesh_router", fredsim::tb::run_lockstep,
                                           {argv + 2, argv + argc});
  }
  if (argc >= 2 && std::string_view(argv[1]) == "--wave") {
    return fredsim::tb::run_wave("tb_mesh_router", fredsim::tb::record_wave,
                                 {argv + 2, argv + argc});
  }
  if (argc == 2 && std::string_view(argv[1]) == "--bench") {
    fredsim::tb::run_benchmark();
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
