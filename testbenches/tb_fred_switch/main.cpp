// SPDX-License-Identifier: Apache-2.0
// tb_fred_switch: work on fred_switch, RTL and twin: --help says which. Its tests:
// tests/rtl/phased.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "../lockstep_seeds.h"
#include "../run_wave.h"
#include "base/error.h"
#include "cli/program_options.h"
#include "lockstep.h"
#include "online_traffic.h"
#include "wave.h"

namespace {

int run(int argc, char** argv) {
  fredsim::ProgramOptions options(
      "tb_fred_switch",
      "Work on fred_switch, RTL, twin and both in lockstep, against an independent model.\n"
      "One of the options below says which.",
      "  build/tb_fred_switch --lockstep 1000000 7\n"
      "  build/tb_fred_switch --wave w.fst\n"
      "  gtkwave w.fst testbenches/tb_fred_switch/tb_fred_switch.gtkw");
  std::vector<std::string> lockstep;
  std::string wave;
  bool online = false;
  CLI::Option* const with_lockstep =
      options.app()
          .add_option("--lockstep", lockstep,
                      "random work on RTL and twin, compared in every cycle: so many cycles,\n"
                      "seed after seed from FIRST_SEED on (default 1)")
          ->type_name("CYCLES [FIRST_SEED]")
          ->expected(1, 2);
  CLI::Option* const with_online =
      options.add_flag("--online", online, "latency and fairness of online unicasts, a table");
  options.add("--wave", wave, "FILE.fst", "a short piece of work as a waveform")
      ->excludes(with_lockstep, with_online);
  with_online->excludes(with_lockstep);
  const std::span<char* const> arguments(argv + 1, static_cast<std::size_t>(argc - 1));
  if (const auto end = options.parse(arguments)) return *end;

  if (!lockstep.empty()) {
    return fredsim::tb::run_lockstep_seeds("fred_switch", fredsim::tb::run_lockstep, lockstep);
  }
  if (!wave.empty()) {
    return fredsim::tb::run_wave("tb_fred_switch", fredsim::tb::record_wave, wave);
  }
  if (online) {
    fredsim::tb::print_online_traffic();
    return 0;
  }
  throw fredsim::BadInput(
      "found no option; allowed: --lockstep, --online or --wave (tb_fred_switch --help)");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const fredsim::BadInput& error) {
    return fredsim::report_error("tb_fred_switch", error);
  }
}
