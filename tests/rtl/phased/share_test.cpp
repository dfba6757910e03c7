// SPDX-License-Identifier: Apache-2.0
// An aggregator with more flows than adders: share of each flow.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "base/port_mask.h"
#include "switch/rtl_switch.h"
#include "switch/switch_factory.h"
#include "tb_fred_switch/switch_driver.h"

namespace fredsim::tb {
namespace {

// Flits that flows of two inputs each had in 4000 cycles in which all of them always had packets.
std::vector<int> served(SwitchModel model, int ports, int adders, const Stalls& stalls) {
  TestedSwitch shape(ports, TestedSwitch::kAggregator);
  shape.pool = adders;
  SwitchDriver driver(shape, make_switch(model, shape, "dut"), stalls, 1);
  Phase phase;
  for (int f = 0; f < ports / 2; ++f) phase.flows.push_back({3U << (2 * f), 1U << (2 * f)});
  phase.route = shape.route(phase.flows);
  driver.add_phase(phase);
  for (int i = 0; i < 700; ++i) {
    for (int f = 0; f < ports / 2; ++f) driver.add_packet(0, f, kPacketFlits);
  }
  std::vector<int> flits(phase.flows.size());
  for (int cycle = 0; cycle < 4200; ++cycle) {
    driver.step();
    if (cycle < 200) continue;
    for_each_port(driver.pins().out_valid, [&](int p) { ++flits[p / 2]; });
  }
  return flits;
}

TEST(Aggregator, GivesFlowsOfTwoInputsEqualShares) {
  constexpr Stalls kStalls{
      .gap_percent = 10, .pause_percent = 10, .return_delay = 10, .receive_depth = 48};
  for (const bool rtl : {false, true}) {
    for (const bool stalled : {false, true}) {
      for (const auto& [ports, adders] : {std::pair{8, 3}, {4, 1}, {12, 5}}) {
        TestedSwitch shape(ports, TestedSwitch::kAggregator);
        shape.pool = adders;
        const std::vector<std::string> built = built_switch_sizes();
        if (rtl && std::ranges::find(built, size_entry(shape)) == built.end()) continue;
        SCOPED_TRACE(fmt::format("{} ports, {} adders, {}, {} stalls", ports, adders,
                                 rtl ? "RTL" : "twin", stalled ? "with" : "without"));
        const std::vector<int> flits = served(rtl ? SwitchModel::kRtl : SwitchModel::kTlm, ports,
                                              adders, stalled ? kStalls : Stalls{});
        const auto [min, max] = std::ranges::minmax(flits);
        // Six flows at five adders run dry after they were held back (aggregator_scheduler.sv).
        const int fair = adders == 5 ? min * 7 / 6 + 1 : min;
        EXPECT_LE(max, stalled ? fair + min / 20 : fair + adders) << min << " to " << max;
        if (!stalled) {
          EXPECT_NEAR(std::accumulate(flits.begin(), flits.end(), 0), 4000 * adders, 8 * adders);
        }
      }
    }
  }
}

}  // namespace
}  // namespace fredsim::tb
