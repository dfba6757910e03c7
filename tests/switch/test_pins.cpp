// SPDX-License-Identifier: Apache-2.0
// Pins of every width that a switch of 2 to 32 ports has.

#include <gtest/gtest.h>

#include "base/random.h"
#include "switch/verilated_pins.h"

namespace fredsim {
namespace {

template <int Ports, class Pin>
void round_trip() {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    std::array<std::uint32_t, kNumVcs> credits;
    for (auto& c : credits) c = static_cast<std::uint32_t>(random.next() & ((1ULL << Ports) - 1));
    Pin pin{};
    pins::set_credits<Ports>(pin, credits);
    for (int v = 0; v < kNumVcs; ++v) {
      for (int p = 0; p < Ports; ++p) {
        const int bit = p * kNumVcs + v;
        std::uint64_t word = 0;
        if constexpr (std::integral<Pin>) {
          word = pin >> bit;
        } else {
          word = pin.at(bit / 32) >> (bit % 32);
        }
        ASSERT_EQ(word & 1U, credits[v] >> p & 1U) << "ports " << Ports << " seed " << seed;
      }
    }
    std::array<std::uint32_t, kNumVcs> back{};
    pins::get_credits<Ports>(pin, back);
    ASSERT_EQ(back, credits) << "ports " << Ports << " seed " << seed;
  }
}

TEST(Pins, CreditsOfEveryWidth) {
  round_trip<2, CData>();
  round_trip<3, SData>();
  round_trip<4, SData>();
  round_trip<5, IData>();
  round_trip<8, IData>();
  round_trip<9, QData>();
  round_trip<16, QData>();
  round_trip<17, VlWide<3>>();
  round_trip<24, VlWide<3>>();
  round_trip<25, VlWide<4>>();
  round_trip<32, VlWide<4>>();
}

}  // namespace
}  // namespace fredsim
