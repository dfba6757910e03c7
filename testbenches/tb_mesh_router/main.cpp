// tb_mesh_router: tests of the mesh router, RTL and twin; with --bench, their simulation speed.
#include <gtest/gtest.h>

#include <string_view>

#include "benchmark.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--bench") {
    fredsim::tb::run_benchmark();
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
