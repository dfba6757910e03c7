// tb_voq_crossbar: tests of voq_crossbar, RTL and twin, and what can be run on them beside: --help says it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../googletest_options.h"
#include "../lockstep_seeds.h"
#include "base/error.h"
#include "lockstep.h"
#include "uniform_traffic.h"

namespace {

int run(int argc, char** argv) {
  fredsim::ProgramOptions options(
      "tb_voq_crossbar",
      "Tests of voq_crossbar: RTL, twin and both in lockstep.\n"
      "Without any of the options below: all tests. They exclude each other.",
      "  build/tb_voq_crossbar --gtest_filter='*Lockstep*'\n"
      "  build/tb_voq_crossbar --lockstep 1000000 7\n"
      "  build/tb_voq_crossbar --uniform\n" +
          std::string(fredsim::kGoogleTestMeaning));
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
  if (const auto end = fredsim::parse_with_googletest(options, argc, argv)) return *end;

  if (!lockstep.empty()) {
    return fredsim::tb::run_lockstep_seeds("voq_crossbar", fredsim::tb::run_lockstep, lockstep);
  }
  if (uniform) {
    fredsim::tb::print_uniform_traffic();
    return 0;
  }
  return RUN_ALL_TESTS();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const fredsim::BadInput& error) {
    return fredsim::report_error("tb_voq_crossbar", error);
  }
}
