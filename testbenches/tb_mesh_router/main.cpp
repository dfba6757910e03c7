// SPDX-License-Identifier: Apache-2.0
// tb_mesh_router: work on the mesh router, RTL and twin: --help says which. Its tests:
// tests/rtl/mesh.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "../lockstep_seeds.h"
#include "../run_wave.h"
#include "base/error.h"
#include "benchmark.h"
#include "cli/program_options.h"
#include "lockstep.h"
#include "wave.h"

namespace {

int run(int argc, char** argv) {
  fredsim::ProgramOptions options(
      "tb_mesh_router",
      "Work on the mesh router, RTL, twin and both in lockstep, against an independent model.\n"
      "One of the options below says which.",
      "  build/tb_mesh_router --lockstep 1000000 7\n"
      "  build/tb_mesh_router --wave w.fst\n"
      "  gtkwave w.fst testbenches/tb_mesh_router/tb_mesh_router.gtkw");
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
  const std::span<char* const> arguments(argv + 1, static_cast<std::size_t>(argc - 1));
  if (const auto end = options.parse(arguments)) return *end;

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
  throw fredsim::BadInput(
      "found no option; allowed: --lockstep, --bench or --wave (tb_mesh_router --help)");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const fredsim::BadInput& error) {
    return fredsim::report_error("tb_mesh_router", error);
  }
}
