// SPDX-License-Identifier: Apache-2.0
// Memory test of fred_switch_top: every memory of the switch is reached, and a fault is reported at
// its position.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "memories.h"
#include "switch_top_bench.h"

namespace fredsim::switch_top {
namespace {

constexpr int kPlaces = 2 * kPorts + 2;
constexpr int kPhaseStorePlace = 2 * kPorts, kRoutesPlace = 2 * kPorts + 1;
constexpr int kDeepest = 1024;  // the routing table
constexpr int kTestCycles = 20 * kDeepest + 4;

class FredSwitchTopMemories : public ::testing::Test {
 protected:
  FredSwitchTopMemories() {
    for (const Memory& memory : memories_of(top_.context())) {
      by_place_[memory_test_place(memory.name, kPorts)].push_back(memory);
    }
  }

  void plant_fault(const Memory& memory) {
    const int word = static_cast<int>(random_.below(static_cast<std::uint64_t>(memory.depth())));
    const int bit = static_cast<int>(random_.below(static_cast<std::uint64_t>(memory.bits())));
    stuck_.add(memory, word, bit, random_.below(2) == 0);
  }

  void edge() {
    top_.cycle();
    stuck_.hold();
  }

  // Memories that failed, by place, in a test of all memories.
  std::uint32_t run() {
    Vtop_fred_switch_top& pins = top_.model();
    pins.bist_start_i = 1;
    edge();
    pins.bist_start_i = 0;
    int cycles = 0;
    for (; pins.bist_busy_o && cycles <= kTestCycles; ++cycles) {
      EXPECT_FALSE(pins.bist_done_o);
      edge();
    }
    EXPECT_EQ(cycles, kTestCycles);
    EXPECT_TRUE(pins.bist_done_o);
    return pins.bist_fail_o;
  }

  Top top_{equal_clocks(), 1};
  Random random_{1};
  std::map<int, std::vector<Memory>> by_place_;
  StuckBits stuck_;
};

TEST_F(FredSwitchTopMemories, AreAllThereAre) {
  ASSERT_EQ(by_place_.size(), static_cast<std::size_t>(kPlaces));
  for (int p = 0; p < kPorts; ++p) {
    EXPECT_EQ(by_place_[p].size(), 1U + kNumVcs) << "flits, and fields of each VC";
    EXPECT_EQ(by_place_[kPorts + p].size(), 1U);
  }
  EXPECT_EQ(by_place_[kPhaseStorePlace].size(),
            static_cast<std::size_t>(phase_row_words(shape().fred)));
  EXPECT_EQ(by_place_[kRoutesPlace].size(), 1U + kPorts);
  int deepest = 0;
  for (const auto& [place, memories] : by_place_) {
    for (const Memory& memory : memories) deepest = std::max(deepest, memory.depth());
  }
  EXPECT_EQ(deepest, kDeepest);
}

TEST_F(FredSwitchTopMemories, FaultsAreToldWhereTheyAre) {
  // Each memory once, with one of another place or two: not all bits of bist_fail_o at once.
  std::vector<std::pair<int, Memory>> all;
  for (const auto& [place, memories] : by_place_) {
    for (const Memory& memory : memories) all.emplace_back(place, memory);
  }
  for (std::size_t i = all.size() - 1; i > 0; --i) std::swap(all[i], all[random_.below(i + 1)]);
  for (std::size_t first = 0; first < all.size(); first += 3) {
    std::uint32_t expected = 0;
    std::string names;
    stuck_.clear();
    for (std::size_t i = first; i < std::min(first + 3, all.size()); ++i) {
      expected |= 1U << all[i].first;
      names += all[i].second.name + " ";
      plant_fault(all[i].second);
    }
    ASSERT_EQ(run(), expected) << names;
  }
  stuck_.clear();
  EXPECT_EQ(run(), 0U);
}

// After it the switch is as after a reset, with memories of zeros; while it runs the bus refuses
// all.
TEST_F(FredSwitchTopMemories, ATestResetsTheSwitch) {
  top_.write_settings();
  top_.send(random_traffic(random_, 150));
  top_.drain();
  Vtop_fred_switch_top& pins = top_.model();
  pins.bist_start_i = 1;
  edge();
  pins.bist_start_i = 0;
  EXPECT_TRUE(top_.read(reg::kId).error);
  EXPECT_TRUE(top_.transfer(true, reg::kRoute * 4, 1).error);
  while (pins.bist_busy_o) edge();
  EXPECT_EQ(pins.bist_fail_o, 0U);
  for (const auto& [address, value] : settings()) EXPECT_EQ(top_.read(address).data, 0U) << address;
  EXPECT_EQ(top_.read(reg::kFlitsIn).data, 0U);

  const Queues queues = random_traffic(random_, 150);
  top_.forget_delivered();
  top_.write_settings();
  top_.send(queues);
  top_.drain();
  expect_same(top_.delivered(), through_the_switch_alone(queues));
  top_.expect_quiet();
}

}  // namespace
}  // namespace fredsim::switch_top
