// SPDX-License-Identifier: Apache-2.0
// Self-test of memories: bist_controller with two memories of different shapes on its bus, in which
// faults are planted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

#include "Vcells_bist_controller/Vcells_bist_controller.h"
#include "Vcells_bist_ram/Vcells_bist_ram.h"
#include "Vcells_bist_ram/Vcells_bist_ram___024root.h"
#include "Vcells_bist_ram_shallow/Vcells_bist_ram_shallow.h"
#include "Vcells_bist_ram_shallow/Vcells_bist_ram_shallow___024root.h"
#include "base/random.h"
#include "verilated.h"

namespace fredsim {
namespace {

constexpr int kWidth = 5, kDepth = 7;
constexpr int kCycles = 20 * kDepth + 4;

class Bist : public ::testing::Test {
 protected:
  // Fault of a memory's cells after an edge, from their values before the edge and after it.
  using Fault = std::function<void(const CData* before, CData* now)>;

  Bist() {
    controller_.rst_ni = controller_.start_i = 0;
    edge();
    edge();
    controller_.rst_ni = 1;
  }
  ~Bist() override {
    controller_.final();
    large_.final();
    small_.final();
  }

  CData* words() { return &large_.rootp->bist_ram__DOT__i_ram__DOT__mem_q[0]; }
  CData& small_word() { return small_.rootp->bist_ram__DOT__i_ram__DOT__mem_q[0]; }

  void edge() {
    const auto both = [](auto& model, bool level) {
      model.clk_i = level;
      model.eval();
    };
    large_.bist_i = small_.bist_i = controller_.bist_o;
    controller_.fail_i = static_cast<CData>(large_.fail_o | small_.fail_o << 1);
    both(controller_, false);
    both(large_, false);
    both(small_, false);
    CData before[kDepth];
    std::copy_n(words(), kDepth, before);
    both(controller_, true);
    both(large_, true);
    both(small_, true);
    if (fault_) fault_(before, words());
    if (small_stuck_) small_word() = *small_stuck_;
  }

  // Failures that the self-test finds, a bit per memory.
  int run() {
    controller_.start_i = 1;
    edge();
    controller_.start_i = 0;
    int busy = 0;
    while (controller_.busy_o) {
      EXPECT_FALSE(controller_.done_o);
      edge();
      if (++busy > 2 * kCycles) break;
    }
    EXPECT_EQ(busy, kCycles);
    EXPECT_TRUE(controller_.done_o);
    return controller_.fail_o;
  }

  VerilatedContext context_;
  Vcells_bist_controller controller_{&context_, "controller"};
  Vcells_bist_ram large_{&context_, "large"};
  Vcells_bist_ram_shallow small_{&context_, "small"};
  Fault fault_;
  std::optional<CData> small_stuck_;
};

TEST_F(Bist, PassesGoodMemoriesAndLeavesZeros) {
  for (int i = 0; i < kDepth; ++i) words()[i] = static_cast<CData>(i * 7 % 32);
  small_word() = 1;
  EXPECT_EQ(run(), 0);
  for (int i = 0; i < kDepth; ++i) EXPECT_EQ(words()[i], 0);
  EXPECT_EQ(small_word(), 0);
  EXPECT_EQ(run(), 0);  // and once more
}

TEST_F(Bist, FindsEveryBitThatIsStuck) {
  for (int word = 0; word < kDepth; ++word) {
    for (int bit = 0; bit < kWidth; ++bit) {
      const auto mask = static_cast<CData>(1U << bit);
      fault_ = [=](const CData*, CData* now) { now[word] |= mask; };
      ASSERT_EQ(run(), 1) << "word " << word << " bit " << bit << " at 1";
      fault_ = [=](const CData*, CData* now) { now[word] &= static_cast<CData>(~mask); };
      ASSERT_EQ(run(), 1) << "word " << word << " bit " << bit << " at 0";
    }
  }
  fault_ = nullptr;
  for (const CData value : {CData{0}, CData{1}}) {
    small_stuck_ = value;
    EXPECT_EQ(run(), 2) << "stuck at " << int{value};
  }
  small_stuck_.reset();
  EXPECT_EQ(run(), 0);  // earlier findings are forgotten
}

TEST_F(Bist, FindsEveryTransitionThatFails) {
  for (int word = 0; word < kDepth; ++word) {
    for (int bit = 0; bit < kWidth; ++bit) {
      const auto mask = static_cast<CData>(1U << bit);
      fault_ = [=](const CData* before, CData* now) {
        now[word] &= before[word] | static_cast<CData>(~mask);
      };
      ASSERT_EQ(run(), 1) << "word " << word << " bit " << bit << " does not rise";
      fault_ = [=](const CData* before, CData* now) { now[word] |= before[word] & mask; };
      for (int i = 0; i < kDepth; ++i) words()[i] = 31;
      ASSERT_EQ(run(), 1) << "word " << word << " bit " << bit << " does not fall";
    }
  }
}

// A change of one cell flips, sets or clears one in another word.
TEST_F(Bist, FindsCouplingsBetweenWords) {
  for (int from = 0; from < kDepth; ++from) {
    for (int to = 0; to < kDepth; ++to) {
      if (from == to) continue;
      for (int kind = 0; kind < 6; ++kind) {
        const bool rise = kind % 2 == 0;
        fault_ = [=](const CData* before, CData* now) {
          const auto changed = static_cast<CData>(
              (rise ? now[from] & ~before[from] : before[from] & ~now[from]) & 4);
          if (kind / 2 == 0) now[to] ^= changed;
          if (kind / 2 == 1) now[to] |= changed;
          if (kind / 2 == 2) now[to] &= static_cast<CData>(~changed);
        };
        ASSERT_EQ(run(), 1) << from << " to " << to << " kind " << kind;
      }
    }
  }
}

TEST_F(Bist, IsEndedByAReset) {
  controller_.start_i = 1;
  edge();
  controller_.start_i = 0;
  for (int i = 0; i < 30; ++i) edge();
  controller_.rst_ni = 0;
  edge();
  EXPECT_FALSE(controller_.busy_o);
  EXPECT_FALSE(controller_.done_o);
  EXPECT_EQ(controller_.bist_o, 0U);
  controller_.rst_ni = 1;
  edge();
  edge();
  EXPECT_FALSE(controller_.busy_o);
  EXPECT_EQ(run(), 0);
}

// While there is no test the memory is its user's, and a flit_ram.
TEST_F(Bist, LeavesTheMemoryToItsUser) {
  Random random(1);
  CData expected[kDepth] = {};
  int read = 0;
  std::copy_n(words(), kDepth, expected);
  for (int cycle = 0; cycle < 10'000; ++cycle) {
    large_.write_i = random.below(2) == 0;
    large_.waddr_i = static_cast<CData>(random.below(kDepth));
    large_.wdata_i = static_cast<CData>(random.below(1 << kWidth));
    large_.raddr_i = static_cast<CData>(random.below(kDepth));
    large_.read_i = random.below(2) == 0 && (!large_.write_i || large_.raddr_i != large_.waddr_i);
    if (large_.read_i) read = expected[large_.raddr_i];
    if (large_.write_i) expected[large_.waddr_i] = large_.wdata_i;
    edge();
    if (cycle > 10) {
      ASSERT_EQ(large_.rdata_o, read) << cycle;
    }
    ASSERT_FALSE(large_.fail_o);
  }
  EXPECT_EQ(run(), 0);
}

}  // namespace
}  // namespace fredsim
