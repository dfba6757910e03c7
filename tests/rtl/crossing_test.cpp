// SPDX-License-Identifier: Apache-2.0
// The cells of rtl/common/ that cross from one clock to another: random periods and phases,
// references written from their contracts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>

#include "Vcells_async_fifo/Vcells_async_fifo.h"
#include "Vcells_credit_crossing/Vcells_credit_crossing.h"
#include "Vcells_reset_sync/Vcells_reset_sync.h"
#include "base/random.h"
#include "clocks.h"
#include "verilated.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kPeriod = 1000;
constexpr int kSource = 0, kDestination = 1;

Clocks two_clocks(std::uint64_t source, std::uint64_t destination, std::uint64_t phase) {
  Clocks clocks;
  clocks.add(source, kPeriod);
  clocks.add(destination, kPeriod + phase);
  return clocks;
}

Clocks random_clocks(Random& random) {
  const auto period = [&] { return 2 * (200 + random.below(800)); };
  return two_clocks(period(), period(), random.below(2000));
}

// ---------------------------------------------------------------- async_fifo

class Fifo {
 public:
  static constexpr int kDepth = 8;

  explicit Fifo(Clocks clocks) : clocks_(std::move(clocks)) {
    model_.write_i = model_.read_i = 0;
    model_.wrst_ni = model_.rrst_ni = 0;
    release_ = kPeriod + 3 * 2000;
  }
  ~Fifo() { model_.final(); }
  Fifo(const Fifo&) = delete;
  Fifo& operator=(const Fifo&) = delete;

  // Both sides at once; each comes out of it at an edge of its own clock.
  void reset(std::uint64_t until) {
    model_.wrst_ni = model_.rrst_ni = 0;
    model_.write_i = model_.read_i = 0;
    held_.clear();
    release_ = until;
  }

  // Up to the next edge of either clock: words are written and read with these chances, in percent.
  void step(Random& random, std::uint64_t write_percent, std::uint64_t read_percent) {
    const std::uint32_t rising = clocks_.advance();
    model_.wclk_i = clocks_.level(kSource);
    model_.rclk_i = clocks_.level(kDestination);
    model_.eval();
    const bool in_reset = clocks_.time() < release_;
    if ((rising >> kSource & 1U) != 0) {
      if (model_.write_i) held_.push_back(model_.wdata_i);
      ASSERT_LE(held_.size(), static_cast<std::size_t>(kDepth));
      // Places that the write side takes for free are free.
      ASSERT_LE(model_.free_o + held_.size(), static_cast<std::size_t>(kDepth)) << clocks_.time();
      model_.wrst_ni = !in_reset;
      const bool wish = !in_reset && random.below(100) < write_percent;
      model_.write_i = wish && model_.free_o != 0;
      blocked += wish && !model_.write_i ? 1 : 0;
      model_.wdata_i = static_cast<std::uint32_t>(random.next());
      ++writer_cycles;
    }
    if ((rising >> kDestination & 1U) != 0) {
      if (model_.read_i) {
        held_.pop_front();
        ++words;
      }
      if (model_.valid_o) {
        ASSERT_FALSE(held_.empty()) << clocks_.time();
        ASSERT_EQ(model_.rdata_o, held_.front()) << clocks_.time();
      } else {
        ++empty;
      }
      model_.rrst_ni = !in_reset;
      model_.read_i = !in_reset && model_.valid_o && random.below(100) < read_percent;
    }
  }
  bool done() const { return held_.empty() && !model_.write_i && !model_.valid_o; }
  std::uint64_t time() const { return clocks_.time(); }

  std::uint64_t words = 0, blocked = 0, empty = 0, writer_cycles = 0;

 private:
  VerilatedContext context_;
  Vcells_async_fifo model_{&context_, "dut"};
  Clocks clocks_;
  std::deque<std::uint32_t> held_;
  std::uint64_t release_ = 0;
};

TEST(AsyncFifo, KeepsOrderAndLosesNothing) {
  std::uint64_t blocked = 0, empty = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Fifo fifo(random_clocks(random));
    for (int part = 0; part < 10; ++part) {
      const std::uint64_t write_percent = random.below(101), read_percent = random.below(101);
      for (int i = 0; i < 500; ++i) {
        ASSERT_NO_FATAL_FAILURE(fifo.step(random, write_percent, read_percent));
      }
    }
    for (int i = 0; i < 200; ++i) ASSERT_NO_FATAL_FAILURE(fifo.step(random, 0, 100));
    EXPECT_TRUE(fifo.done());
    EXPECT_GT(fifo.words, 100U);
    blocked += fifo.blocked;
    empty += fifo.empty;
  }
  EXPECT_GT(blocked, 1000U);
  EXPECT_GT(empty, 1000U);
}

TEST(AsyncFifo, IsEmptyAfterAResetAtAnyTime) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Fifo fifo(random_clocks(random));
    for (int resets = 0; resets < 10; ++resets) {
      for (std::uint64_t i = 100 + random.below(50); i != 0; --i) {
        ASSERT_NO_FATAL_FAILURE(fifo.step(random, 80, 60));
      }
      fifo.reset(fifo.time() + 3 * 2000 + random.below(2000));
    }
    for (int i = 0; i < 200; ++i) ASSERT_NO_FATAL_FAILURE(fifo.step(random, 80, 60));
    for (int i = 0; i < 200; ++i) ASSERT_NO_FATAL_FAILURE(fifo.step(random, 0, 100));
    EXPECT_TRUE(fifo.done());
  }
}

TEST(AsyncFifo, TakesAWordEveryCycleAtEqualClocksInAnyPhase) {
  for (std::uint64_t phase = 0; phase < kPeriod; phase += 50) {
    SCOPED_TRACE(phase);
    Random random(1);
    Fifo fifo(two_clocks(kPeriod, kPeriod, phase));
    while (fifo.writer_cycles < 1000) ASSERT_NO_FATAL_FAILURE(fifo.step(random, 100, 100));
    EXPECT_EQ(fifo.blocked, 0U);
    EXPECT_GT(fifo.words, 980U);
  }
}

// ---------------------------------------------------------------- credit_crossing

TEST(CreditCrossing, GivesAsManyAsCame) {
  constexpr int kMax = 11;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Clocks clocks = seed == 1 ? two_clocks(kPeriod, kPeriod, 0) : random_clocks(random);
    VerilatedContext context;
    Vcells_credit_crossing model(&context, "dut");
    std::uint64_t came = 0, went = 0, percent = 50;
    model.give_i = model.srst_ni = model.drst_ni = 0;
    const std::uint64_t start = 8000, end = start + 2'000'000;
    while (clocks.time() < end + 40'000) {
      const std::uint32_t rising = clocks.advance();
      model.sclk_i = clocks.level(kSource);
      model.dclk_i = clocks.level(kDestination);
      model.eval();
      if ((rising >> kSource & 1U) != 0) {
        came += model.give_i;
        if (random.below(100) == 0) percent = random.below(101);
        model.srst_ni = clocks.time() >= start;
        model.give_i = model.srst_ni && clocks.time() < end && came - went < kMax &&
                       random.below(100) < percent;
      }
      if ((rising >> kDestination & 1U) != 0) {
        went += model.credit_o;
        model.drst_ni = clocks.time() >= start;
        ASSERT_LE(went, came) << clocks.time();
      }
    }
    EXPECT_EQ(went, came);
    EXPECT_GT(came, 300U);
    model.final();
  }
}

// At equal clocks one per cycle, of which three are on the way.
TEST(CreditCrossing, TakesOneEveryCycleAtEqualClocksInAnyPhase) {
  for (std::uint64_t phase = 0; phase < kPeriod; phase += 50) {
    SCOPED_TRACE(phase);
    Clocks clocks = two_clocks(kPeriod, kPeriod, phase);
    VerilatedContext context;
    Vcells_credit_crossing model(&context, "dut");
    int came = 0, went = 0, max = 0, cycles = 0;
    model.give_i = model.srst_ni = model.drst_ni = 0;
    while (cycles < 500) {
      const std::uint32_t rising = clocks.advance();
      model.sclk_i = clocks.level(kSource);
      model.dclk_i = clocks.level(kDestination);
      model.eval();
      if ((rising >> kSource & 1U) != 0) {
        came += model.give_i;
        model.srst_ni = model.give_i = ++cycles > 5;
      }
      if ((rising >> kDestination & 1U) != 0) {
        went += model.credit_o;
        model.drst_ni = cycles > 3;
      }
      max = std::max(max, came - went);
    }
    EXPECT_EQ(max, 3);
    model.final();
  }
}

// ---------------------------------------------------------------- reset_sync

class ResetSync : public ::testing::Test {
 protected:
  ResetSync() {
    model_.rst_ni = model_.test_rst_ni = 1;
    model_.test_mode_i = 0;
    for (int i = 0; i < 4; ++i) edge();
  }
  ~ResetSync() override { model_.final(); }
  void set(bool rst_n) {
    model_.rst_ni = rst_n;
    model_.eval();
  }
  bool edge() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
    return model_.rst_no;
  }

  VerilatedContext context_;
  Vcells_reset_sync model_{&context_, "dut"};
};

TEST_F(ResetSync, BeginsWithoutAClockAndEndsWithTheSecondEdge) {
  for (const bool level : {true, false}) {
    EXPECT_TRUE(model_.rst_no);
    model_.clk_i = level;
    model_.eval();
    set(false);
    EXPECT_FALSE(model_.rst_no);
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(edge());
    set(true);
    EXPECT_FALSE(model_.rst_no);
    EXPECT_FALSE(edge());
    EXPECT_TRUE(edge());
    EXPECT_TRUE(edge());
  }
}

TEST_F(ResetSync, CatchesAPulseBetweenTwoEdges) {
  set(false);
  set(true);
  EXPECT_FALSE(model_.rst_no);
  EXPECT_FALSE(edge());
  set(false);  // once more, before the end of the first
  set(true);
  EXPECT_FALSE(edge());
  EXPECT_TRUE(edge());
}

TEST_F(ResetSync, LeavesTheResetToAScanTest) {
  model_.test_mode_i = 1;
  model_.test_rst_ni = 0;
  model_.eval();
  EXPECT_FALSE(model_.rst_no);
  EXPECT_FALSE(edge());
  model_.test_rst_ni = 1;
  model_.eval();
  EXPECT_TRUE(model_.rst_no);
  set(false);
  EXPECT_TRUE(model_.rst_no);
}

}  // namespace
}  // namespace fredsim
