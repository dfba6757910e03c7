// tb_mesh_router: tests of the mesh router, RTL and twin, and what can be run on them beside: --help says it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../googletest_options.h"
#include "../lockstep_seeds.h"
#include "../run_wave.h"
#include "benchmark.h"
#include "lockstep.h"
#include "wave.h"

namespace {

int run(int argc, char** argv) {
  fredsim::ProgramOptions options(
      "tb_mesh_router",
      "Tests of the mesh router, RTL, twin and both in lockstep, against an independent model.\n"
      "Without any of the options below: all tests. They exclude each other.",
      "  build/tb_mesh_router --gtest_filter='*Priority*'\n"
      "  build/tb_mesh_router --lockstep 1000000 7\n"
      "  build/tb_mesh_router --wave w.fst\n"
      "  gtkwave w.fst testbenches/tb_mesh_router/tb_mesh_router.gtkw\n" +
          std::string(fredsim::kGoogleTestMeaning));
  std::vector<std::string> lockstep;
  std::string wave;
  bool bench = false;
  CLI::Option* const with_lockstep =
      options.app()
          .add_option("--lockstep", lockstep,
                      "random work on RTL and twin, compared in every cycle: so many cycles,\n"
                      "seed after seed from FIRST_SEED on (default 1)")
          ->type_name("CYCLES [FIRST_SEED]")
          ->expected(1, 2);
  CLI::Option* const with_bench =
      options.add_flag("--bench", bench, "simulation speed of RTL and twin, side by side");
  options.add("--wave", wave, "FILE.fst", "a short piece of work as a waveform")
      ->excludes(with_lockstep, with_bench);
  with_bench->excludes(with_lockstep);
  if (const auto end = fredsim::parse_with_googletest(options, argc, argv)) return *end;

  if (!lockstep.empty()) {
    return fredsim::tb::run_lockstep_seeds("mesh_router", fredsim::tb::run_lockstep, lockstep);
  }
  if (!wave.empty()) {
    return fredsim::tb::run_wave("tb_mesh_router", fredsim::tb::record_wave, wave);
  }
  if (bench) {
    fredsim::tb::run_benchmark();
    return 0;
  }
  return RUN_ALL_TESTS();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const fredsim::BadInput& error) {
    return fredsim::report_error("tb_mesh_router", error);
  }
}
