// SPDX-License-Identifier: Apache-2.0
// Rows of the phase store: where every field sits, and how many rows there are.
#include <gtest/gtest.h>

#include <vector>

#include "routing/fred_routing.h"

namespace fredsim {
namespace {

TEST(PhaseRow, SizesOfTheWafersChiplets) {
  // 3 + 2 * 12 * 4 + 384 = 483 bits, 16 words; 384 words hold 24 of them.
  EXPECT_EQ(phase_row_words({12, 3}), 16);
  EXPECT_EQ(num_phases({12, 3}), 24);
  // 3 + 2 * 2 * 2 + 4 = 15 bits, one word; the index 255 is not a row.
  EXPECT_EQ(phase_row_words({2, 2}), 1);
  EXPECT_EQ(num_phases({2, 2}), 255);
  for (int middle = 2; middle <= 4; ++middle)
    for (int ports = 2; ports <= 32; ++ports) EXPECT_GE(num_phases({ports, middle}), 1);
}

TEST(PhaseRow, EveryFieldInItsPlace) {
  const FredSwitchShape shape{3, 2};
  const std::vector<Flow> flows{{0b011, 0b100}, {0b100, 0b011}};
  FredRoute route;
  route.bits.assign(fred_config_bits(shape), false);
  route.bits.front() = true;
  route.bits.back() = true;
  const std::vector<std::uint32_t> row = phase_row(shape, kDp, flows, route);
  // valid, vc = 2, inputs 1 1 2, outputs 2 2 1, two bits each; then 20 bits from bit 15 on.
  ASSERT_EQ(row.size(), 2U);
  EXPECT_EQ(row[0], 0b1 | 0b10 << 1 | 0b100101 << 3 | 0b011010 << 9 | 1 << 15);
  EXPECT_EQ(row[1], 1U << (15 + 19 - 32));
}

TEST(PhaseRow, FlowsReadBack) {
  for (const FredSwitchShape shape : {FredSwitchShape{12, 3}, {11, 2}, {32, 4}}) {
    const std::uint32_t last = 1U << (shape.ports - 1);
    const std::vector<Flow> flows{{0b1, 0b10}, {0b10110, 0b1 | last}, {last, 0b101000}};
    EXPECT_EQ(phase_flows(shape, phase_row(shape, kMp, flows, route_flows(shape, flows))), flows);
  }
}

}  // namespace
}  // namespace fredsim
