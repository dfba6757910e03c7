// SPDX-License-Identifier: Apache-2.0
// The µSwitches of a configuration, block by block and in words.
#include "routing/switch_settings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "routing/random_flows.h"

namespace fredsim {
namespace {

std::vector<SwitchSetting> settings_of(const FredSwitchShape& shape,
                                       const std::vector<Flow>& flows) {
  return switch_settings(shape, route_flows(shape, flows).bits);
}

// Fred_2(3), inputs 0 and 1 added to output 2, input 2 to outputs 0 and 1.
TEST(SwitchSettings, OddSwitchInWords) {
  const std::vector<SwitchSetting> settings = settings_of({3, 2}, {{0b011, 0b100}, {0b100, 0b011}});
  std::vector<std::string> lines;
  lines.reserve(settings.size());
  for (const SwitchSetting& s : settings)
    lines.push_back(fmt::format("{} {} of [{}] at {}: {} = {}", to_string(s.block), s.index,
                                fmt::join(s.path, "."), s.first_bit, binary(s),
                                fmt::join(in_words(s), ", ")));
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "R-µSwitch 0 of [] at 0: 00 11 = sum, nothing",
                       "demux 0 of [] at 4: 10 = sub-network 1",
                       "RD-µSwitch 0 of [0] at 6: 01 00 = nothing, input 0",
                       "RD-µSwitch 0 of [1] at 10: 00 10 = input 1, nothing",
                       "D-µSwitch 0 of [] at 14: 10 10 = sub-network 1, sub-network 1",
                       "mux 0 of [] at 18: 01 = sub-network 0",
                   }));
}

TEST(SwitchSettings, BlocksCoverEveryBitOnceAndGiveItBack) {
  for (int middle = 2; middle <= 4; ++middle) {
    for (int ports = 2; ports <= 32; ++ports) {
      SCOPED_TRACE(fmt::format("Fred_{}({})", middle, ports));
      const FredSwitchShape shape{ports, middle};
      Random random(ports);
      std::vector<bool> bits(fred_config_bits(shape));
      for (auto&& bit : bits) bit = random.below(2) != 0;
      std::vector<bool> again;
      for (const SwitchSetting& setting : switch_settings(shape, bits)) {
        ASSERT_EQ(setting.first_bit, std::ssize(again));
        std::string text = binary(setting);
        std::erase(text, ' ');
        ASSERT_EQ(std::ssize(text), std::ssize(setting.codes) * setting.code_bits);
        std::ranges::reverse(text);
        for (const char bit : text) again.push_back(bit == '1');
      }
      EXPECT_EQ(again, bits);
    }
  }
}

TEST(SwitchSettings, WithoutFlowsAllAreIdle) {
  for (const SwitchSetting& setting : settings_of({12, 3}, {})) EXPECT_TRUE(setting.idle());
}

}  // namespace
}  // namespace fredsim
