// tb_fred_switch: tests of fred_switch, RTL and twin. With --lockstep, as many seeds of random work
// in lockstep as one likes (scripts/lockstep.sh):
//
//   tb_fred_switch --lockstep CYCLES [FIRST_SEED]
//   tb_fred_switch --online                 latency and fairness of online unicasts, a table
//   tb_fred_switch --wave FILE.fst          a short piece of work as a waveform (wave.h); open it with
//                                           gtkwave FILE.fst testbenches/tb_fred_switch/tb_fred_switch.gtkw
#include <gtest/gtest.h>

#include <string_view>

#include "../lockstep_seeds.h"
#include "../run_wave.h"
#include "lockstep.h"
#include "online_traffic.h"
#include "wave.h"

int main(int argc, char** argv) {
  if (argc >= 2 && std::string_view(argv[1]) == "--lockstep") {
    return fredsim::tb::run_lockstep_seeds("fred_switch", fredsim::tb::run_lockstep,
                                           {argv + 2, argv + argc});
  }
  if (argc >= 2 && std::string_view(argv[1]) == "--wave") {
    return fredsim::tb::run_wave("tb_fred_switch", fredsim::tb::record_wave,
                                 {argv + 2, argv + argc});
  }
  if (argc == 2 && std::string_view(argv[1]) == "--online") {
    fredsim::tb::print_online_traffic();
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
