// SPDX-License-Identifier: Apache-2.0
// Cover points of the RTL: random and directed traffic through fred_switch_top reaches every one of
// them.
#include <gtest/gtest.h>

#include <cstdint>

#include "rtl/cover_counts.h"
#include "rtl/cover_list.h"
#include "switch_top_bench.h"

namespace fredsim::switch_top {
namespace {

// Two DP phases that want the same time: the first has more packets than a quantum has cycles.
Queues two_phases_of_a_vc(Random& random) {
  Queues queues;
  for (std::uint32_t i = 0; i < 40; ++i) {
    add_packet(queues, random, i, 2, kDp, 0x1, 0, kPacketFlits);
    if (i % 4 == 0) add_packet(queues, random, 100 + i, 3, kDp, 0x6, 0, kPacketFlits);
  }
  return queues;
}

// A long DP phase; later packets of PP and MP, which pre-empt it, and in which there is a change
// every few cycles.
Queues long_phase(Random& random) {
  Queues queues;
  for (std::uint32_t i = 0; i < 40; ++i) {
    for (int p = 0; p < kPorts; ++p)
      add_packet(queues, random, i, 2, kDp, 1U << p, 0, kPacketFlits);
  }
  return queues;
}
Queues higher_vcs(Random& random) {
  Queues queues;
  for (std::uint32_t i = 0; i < 10; ++i) {
    add_packet(queues, random, i, 1, kPp, 0xF, 0, 1);
    add_packet(queues, random, 100 + i, 0, kMp, 0x3, 0, 1);
    add_packet(queues, random, 200 + i, 0, kMp, 0xC, 0, 1);
  }
  return queues;
}

// Unicasts of all inputs to the output that a phase uses too.
Queues unicasts_beside_a_phase(Random& random) {
  Queues queues;
  for (std::uint32_t i = 0; i < 30; ++i) {
    add_packet(queues, random, i, 2, kDp, 0x1, 0, kPacketFlits);
    for (int p = 0; p < kPorts; ++p) {
      for (const int vc : {kMp, kPp}) {
        add_packet(queues, random, 100 + i, kPhaseOnline, vc, 1U << p, 3 - static_cast<int>(i % 2),
                   2);
      }
    }
  }
  return queues;
}

TEST(FredSwitchTopCoverPoints, AreAllReached) {
  CoverCounts counts;
  Random random(1);
  const auto run = [&](Clocks clocks, const Queues& queues, Link link, const Queues& later = {}) {
    Top top(std::move(clocks), 1, link);
    top.write_settings();
    top.write(reg::kCredit + kDp, static_cast<std::uint32_t>(shape().buffers.depth(kDp)));
    top.send(queues);
    top.run(100 * kPeriod);
    top.send_more(later);
    // Reads of the phase store keep the control unit from it.
    for (int i = 0; i < 50; ++i) top.read(reg::kPhaseStore);
    top.drain();
    top.expect_quiet();
    // Writes all rows again, including the row of the phase in use, and repeats the traffic.
    top.write_settings();
    top.send_more(queues);
    top.drain();
    top.expect_quiet();
    add_cover_counts(top.context(), counts);
  };
  const Link slow{.pause_percent = 60, .return_delay = 120};
  for (const Link& link : {Link{}, slow}) {
    run(equal_clocks(300, 700), random_traffic(random, 300), link);
    run(equal_clocks(300, 700), two_phases_of_a_vc(random), link);
    run(equal_clocks(300, 700), long_phase(random), link, higher_vcs(random));
    run(equal_clocks(300, 700), unicasts_beside_a_phase(random), link);
    run(random_clocks(random), random_traffic(random, 300), link);
  }
  expect_reached(counts, "switch_top");
}

}  // namespace
}  // namespace fredsim::switch_top
