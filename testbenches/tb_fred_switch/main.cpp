// tb_fred_switch: tests of fred_switch, RTL and twin, and what can be run on them beside: --help says it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../googletest_options.h"
#include "../lockstep_seeds.h"
#include "../run_wave.h"
#include "lockstep.h"
#include "online_traffic.h"
#include "wave.h"

namespace {

int run(int argc, char** argv) {
  fredsim::ProgramOptions options(
      "tb_fred_switch",
      "Tests of fred_switch, RTL, twin and both in lockstep, against an independent model.\n"
      "Without any of the options below: all tests. They exclude each other.",
      "  build/tb_fred_switch --gtest_filter='*Online*'\n"
      "  build/tb_fred_switch --lockstep 1000000 7\n"
      "  build/tb_fred_switch --wave w.fst\n"
      "  gtkwave w.fst testbenches/tb_fred_switch/tb_fred_switch.gtkw\n" +
          std::string(fredsim::kGoogleTestMeaning));
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
  if (const auto end = fredsim::parse_with_googletest(options, argc, argv)) return *end;

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
  return RUN_ALL_TESTS();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const fredsim::BadInput& error) {
    return fredsim::report_error("tb_fred_switch", error);
  }
}
