// SPDX-License-Identifier: Apache-2.0
// tb_voq_crossbar: work on voq_crossbar, RTL and twin: --help says which. Its tests:
// tests/rtl/voq_crossbar.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "../lockstep_seeds.h"
#include "base/error.h"
#include "cli/program_options.h"
#include "lockstep.h"
#include "uniform_traffic.h"

namespace {

int run(int argc, char** argv) {
  fredsim::ProgramOptions options("tb_voq_crossbar",
                                  "Work on voq_crossbar: RTL, twin and both in lockstep.\n"
                                  "One of the options below says which.",
                                  "  build/tb_voq_crossbar --lockstep 1000000 7\n"
                                  "  build/tb_voq_crossbar --uniform");
  std::vector<std::string> lockstep;
  bool uniform = false;
  CLI::Option* const with_lockstep =
      options.app()
          .add_option("--lockstep", lockstep,
                      "random work on RTL and twin, compared in every cycle: so many cycles,\n"
                      "seed after seed from FIRST_SEED on (default 1)")
          ->type_name("CYCLES [FIRST_SEED]")
          ->expected(1, 2);
  options
      .add_flag("--uniform", uniform,
                "throughput and latency under uniform random traffic, a table")
      ->excludes(with_lockstep);
  const std::span<char* const> arguments(argv + 1, static_cast<std::size_t>(argc - 1));
  if (const auto end = options.parse(arguments)) return *end;

  if (!lockstep.empty()) {
    return fredsim::tb::run_lockstep_seeds("voq_crossbar", fredsim::tb::run_lockstep, lockstep);
  }
  if (uniform) {
    fredsim::tb::print_uniform_traffic();
    return 0;
  }
  throw fredsim::BadInput(
      "found no option; allowed: --lockstep or --uniform (tb_voq_crossbar --help)");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const fredsim::BadInput& error) {
    return fredsim::report_error("tb_voq_crossbar", error);
  }
}
