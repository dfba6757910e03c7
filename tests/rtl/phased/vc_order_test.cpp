// SPDX-License-Identifier: Apache-2.0
// The order of the virtual channels (VC_ORDER) in known situations, on the RTL, the twin and both
// in lockstep: links and the control unit follow it. In random traffic: switch_test.cpp, by the
// rules of switch_rules.h.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "switch/switch_factory.h"
#include "tb_fred_switch/switch_driver.h"

namespace fredsim::tb {
namespace {

class VcOrders : public testing::TestWithParam<std::tuple<SwitchModel, int>> {
 protected:
  VcOrders() {
    if (const int other = std::get<int>(GetParam()); other >= 0)
      shape_ = shapes_of_other_orders()[static_cast<std::size_t>(other)];
    else
      shape_.fred = {4, 3};
  }
  SwitchDriver driver(const Stalls& stalls) const {
    return {shape_, make_switch(std::get<SwitchModel>(GetParam()), shape_, "dut"), stalls, 1};
  }
  int flits(int vc) const { return vc == kControl ? 1 : shape_.packet_flits; }
  Phase phase(int vc) const {
    Phase phase;
    phase.vc = vc;
    phase.flows = {{0x1, 0x2}};
    phase.route = shape_.route(phase.flows);
    return phase;
  }

  TestedSwitch shape_;
};

// A unicast of every VC waits in the staging of one output, whose link then takes them.
TEST_P(VcOrders, LinksTakeTheHighestFirst) {
  SwitchDriver switch_driver = driver({.pause_percent = 100});
  switch_driver.write_routes();
  for (int vc = 0; vc < kNumVcs; ++vc) switch_driver.add_online_packet(0, 2, vc, flits(vc));
  for (int i = 0; i < 100; ++i) switch_driver.step();
  switch_driver.set_pause_percent(0);
  std::vector<int> seen;  // VCs, as their first flits leave
  for (int i = 0; i < 100; ++i) {
    switch_driver.step();
    const SwitchPins& pins = switch_driver.pins();
    if ((pins.out_valid >> 2 & 1U) == 0) continue;
    const int vc = unpack_header(&pins.out_flit[2 * flit_words(shape_.lanes)]).vc;
    if (seen.empty() || seen.back() != vc) seen.push_back(vc);
  }
  EXPECT_EQ(seen, std::vector<int>(shape_.vc_order.begin(), shape_.vc_order.end()));
  switch_driver.drain(1000);
  switch_driver.check_quiet();
}

// A phase with much to do, and one of another VC that comes: only a higher one goes before the
// rest.
TEST_P(VcOrders, OnlyAHigherPhaseInterrupts) {
  constexpr int kPackets = 60;
  for (int in_flight = 0; in_flight < kNumVcs; ++in_flight) {
    for (int comes = 0; comes < kNumVcs; ++comes) {
      const int first = shape_.vc_order[static_cast<std::size_t>(in_flight)];
      const int second = shape_.vc_order[static_cast<std::size_t>(comes)];
      if (first == second) continue;
      SCOPED_TRACE(fmt::format("{} under way, {} comes", kVcTitles[first], kVcTitles[second]));
      SwitchDriver switch_driver = driver({});
      switch_driver.add_phase(phase(first));
      Phase other = phase(second);
      other.flows = {{0x2, 0x1}};
      other.route = shape_.route(other.flows);
      switch_driver.add_phase(other);
      for (int i = 0; i < kPackets; ++i) switch_driver.add_packet(0, 0, flits(first));
      for (int i = 0; i < 25; ++i) switch_driver.step();
      switch_driver.add_packet(1, 0, flits(second));
      switch_driver.drain(2000);
      switch_driver.check_quiet();
      const std::uint64_t end = switch_driver.span(0, 0).last;
      if (comes < in_flight) {
        EXPECT_LT(switch_driver.span(1, 0).last, end);
      } else {
        EXPECT_GT(switch_driver.span(1, 0).first, end);
      }
    }
  }
}

std::string name_of(const testing::TestParamInfo<std::tuple<SwitchModel, int>>& test) {
  const auto [model, order] = test.param;
  return fmt::format("{}_{}", switch_model_name(model),
                     order < 0    ? "default"
                     : order == 0 ? "pp_first"
                                  : "dp_first");
}
INSTANTIATE_TEST_SUITE_P(Built, VcOrders,
                         testing::Combine(testing::Values(SwitchModel::kRtl, SwitchModel::kTlm,
                                                          SwitchModel::kLockstep),
                                          testing::Values(-1, 0, 1)),
                         name_of);

}  // namespace
}  // namespace fredsim::tb
