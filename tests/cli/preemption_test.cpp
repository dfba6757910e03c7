// SPDX-License-Identifier: Apache-2.0
// Slowdown of a high-priority part by a low-priority one on the same links and switches.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/program.h"

namespace fredsim {
namespace {

using nlohmann::json;

class Preemption : public FolderTest {
 protected:
  // Cycles of the slowest MP part of a work file, with buffers that cover the links' round trip: a
  // flit that waits for credits lets packets of lower priority begin.
  int mp_cycles(const char* work, const std::string& setting = "switch.format=fp16") {
    const Outcome outcome = run_fredsim({"run", "configs/fred_d.yaml", "--work", work, "--size",
                                         "256KiB", "--set", "switch.input_buffer=48KiB", "--set",
                                         setting, "--json", path("r.json"), "--quiet"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const json result = json::parse(read_text(path("r.json")));
    int cycles = 0;
    for (const json& part : result["runs"][0]["parts"]) {
      if (part["priority"] == "mp") cycles = std::max(cycles, part["cycles"].get<int>());
    }
    return cycles;
  }
};

// Packets are not cut on the links: a switch in the phase of the lower part reaches the end of a
// packet immediately.
TEST_F(Preemption, CostsNoMoreThanAPacketAndAChangeOfPhase) {
  const int alone = mp_cycles("configs/paper/mp2_dp5_pp2_mp.yaml");
  const int beside = mp_cycles("configs/works/mp_interrupts_dp.yaml");
  EXPECT_GT(alone, 100);
  EXPECT_LE(beside - alone, 10);
}

// With DP before MP the MP part waits, for most of the remaining DP traffic.
TEST_F(Preemption, FollowsTheOrderOfVirtualChannels) {
  const char* const work = "configs/works/mp_interrupts_dp.yaml";
  const int usual = mp_cycles(work);
  EXPECT_EQ(mp_cycles(work, "switch.vc_order=[control, mp, pp, dp]"), usual);
  EXPECT_EQ(mp_cycles(work, "switch.vc_order=[mp, pp, dp, control]"), usual);
  EXPECT_GT(mp_cycles(work, "switch.vc_order=[control, pp, dp, mp]"), 3 * usual);
}

}  // namespace
}  // namespace fredsim
