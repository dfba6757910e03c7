// SPDX-License-Identifier: Apache-2.0
// Every assertion of the cells in rtl/common fails when its contract is broken: by the inputs, or,
// if no input can break it, by an upset bit. For flit_ram, packet_order and vc_queue see the tests
// of these cells.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "Vcommon_apb/Vcommon_apb.h"
#include "Vcommon_arbiter/Vcommon_arbiter.h"
#include "Vcommon_arbiter/Vcommon_arbiter___024root.h"
#include "Vcommon_bist/Vcommon_bist.h"
#include "Vcommon_credit/Vcommon_credit.h"
#include "Vcommon_crossing/Vcommon_crossing.h"
#include "Vcommon_fifo/Vcommon_fifo.h"
#include "Vcommon_fifo/Vcommon_fifo___024root.h"
#include "Vcommon_reset/Vcommon_reset.h"
#include "Vcommon_reset/Vcommon_reset___024root.h"
#include "rtl/bench.h"

namespace fredsim {
namespace {

TEST(CommonAssertions, OfACreditCounter) {
  Bench<Vcommon_credit> bench;
  bench->give_i = bench->spend_i = bench->write_i = 0;
  bench.reset();
  bench->spend_i = 1;
  for (int credit = 0; credit < 5; ++credit) bench.edge();
  EXPECT_EQ(bench.broken_by([&] { bench.edge(); }), "spend_has_a_credit");
}

TEST(CommonAssertions, OfARoundRobinArbiter) {
  Bench<Vcommon_arbiter> bench;
  bench->request_i = bench->advance_i = 0;
  bench.reset();
  bench->request_i = 0b10000;
  bench->rootp->rr_arbiter__DOT__in_turn_q =
      0b00110;  // the turn is at 1, and the last ones are before it
  EXPECT_EQ(bench.broken_by([&] { bench.edge(); }), "turn_is_a_thermometer");
}

TEST(CommonAssertions, OfAResetSynchroniser) {
  VerilatedContext context;
  context.fatalOnError(false);
  Vcommon_reset model(&context, "dut");
  const auto edge = [&] {
    model.clk_i = 0;
    model.eval();
    model.clk_i = 1;
    model.eval();
  };
  const auto broken = [&] { return broken_assertions(context, edge); };
  model.test_mode_i = model.test_rst_ni = 0;
  model.rst_ni = 1;
  model.eval();
  model.rst_ni = 0;
  EXPECT_EQ(broken(), "");
  model.rootp->reset_sync__DOT__second_q = 1;  // while the reset is asked for
  EXPECT_EQ(broken(), "ends_in_order low_while_asked_for");
  model.rst_ni = 1;
  model.eval();
  model.rst_ni = 0;
  model.eval();
  model.rst_ni = 1;
  model.rootp->reset_sync__DOT__second_q = 1;  // before the first flip-flop
  EXPECT_EQ(broken(), "ends_in_order");
  model.final();
}

// Clocks of both sides, each by itself.
class Fifo : public testing::Test {
 protected:
  Fifo() {
    context_.fatalOnError(false);
    reset();
  }
  ~Fifo() override { model_.final(); }
  void reset() {
    model_.write_i = model_.read_i = model_.wrst_ni = model_.rrst_ni = 0;
    for (int edge = 0; edge < 3; ++edge) {
      write_edge();
      read_edge();
    }
    model_.wrst_ni = model_.rrst_ni = 1;
  }
  void write_edge() { edge(model_.wclk_i); }
  void read_edge() { edge(model_.rclk_i); }
  void words(int count) {
    model_.write_i = 1;
    for (int word = 0; word < count; ++word) write_edge();
    model_.write_i = 0;
  }
  std::string broken_by_write() {
    return broken_assertions(context_, [&] { write_edge(); });
  }
  std::string broken_by_read() {
    return broken_assertions(context_, [&] { read_edge(); });
  }
  auto& root() { return *model_.rootp; }

  VerilatedContext context_;
  Vcommon_fifo model_{&context_, "dut"};

 private:
  void edge(CData& clock) {
    clock = 0;
    model_.eval();
    clock = 1;
    model_.eval();
  }
};

TEST_F(Fifo, AssertsThatAWriteHasRoom) {
  words(8);
  ASSERT_FALSE(context_.gotError());
  model_.write_i = 1;
  EXPECT_EQ(broken_by_write(), "write_has_room");
  EXPECT_EQ(broken_by_write().substr(0, 25), "no_more_words_than_places");
}

TEST_F(Fifo, AssertsThatAReadTakesAWord) {
  model_.read_i = 1;
  EXPECT_EQ(broken_by_read(), "read_takes_a_word");
  EXPECT_NE(broken_by_read().find("no_more_words_than_were_written"), std::string::npos);
}

TEST_F(Fifo, AssertsThatPointersAreGrayCodes) {
  words(1);
  root().async_fifo__DOT__wgray_q ^= 0b0110;
  EXPECT_EQ(broken_by_write(), "one_bit_of_the_write_pointer_changes");
  reset();
  root().async_fifo__DOT__rgray_q ^= 0b0011;
  EXPECT_EQ(broken_by_read(), "one_bit_of_the_read_pointer_changes");
}

TEST(CommonAssertions, OfACreditCrossing) {
  VerilatedContext context;
  context.fatalOnError(false);
  Vcommon_crossing model(&context, "dut");
  const auto edge = [&](CData& clock) {
    clock = 0;
    model.eval();
    clock = 1;
    model.eval();
  };
  const auto crosses = [&](int credits) {
    model.srst_ni = model.drst_ni = model.give_i = 0;
    for (int i = 0; i < 3; ++i) {
      edge(model.sclk_i);
      edge(model.dclk_i);
    }
    model.srst_ni = model.drst_ni = model.give_i = 1;
    for (int credit = 0; credit < credits; ++credit) edge(model.sclk_i);
    model.give_i = 0;
    return broken_assertions(context, [&] {
      for (int i = 0; i < 20; ++i) edge(model.dclk_i);
    });
  };
  EXPECT_EQ(crosses(5), "");
  EXPECT_EQ(crosses(6), "no_more_on_their_way_than_slots");
  model.final();
}

TEST(CommonAssertions, OfARegisterBus) {
  Bench<Vcommon_apb> bench;
  const auto edge = [&](bool select, bool enable) {
    bench->psel_i = select;
    bench->penable_i = enable;
    bench.edge();
  };
  const auto set_up = [&] {
    bench->psel_i = bench->penable_i = bench->refuse_i = 0;
    bench->pwrite_i = 1;
    bench->paddr_i = 0x40;
    bench->pwdata_i = 7;
    bench.reset();
    edge(true, false);
  };
  const auto broken = [&](bool select, bool enable) {
    return bench.broken_by([&] { edge(select, enable); });
  };
  set_up();
  EXPECT_EQ(broken(true, true), "");
  EXPECT_EQ(broken(true, true), "");
  EXPECT_EQ(broken(true, true), "set_up_comes_first");  // pready_o was high
  set_up();
  EXPECT_EQ(broken(true, false), "access_follows_set_up");
  set_up();
  EXPECT_EQ(broken(false, false), "access_follows_set_up");
  set_up();
  bench->paddr_i = 0x44;
  EXPECT_EQ(broken(true, true), "transfer_stays_as_it_is");
  set_up();
  bench->pwrite_i = 0;
  EXPECT_EQ(broken(true, true), "transfer_stays_as_it_is");
  set_up();
  bench->pwdata_i = 8;
  EXPECT_EQ(broken(true, true), "transfer_stays_as_it_is");
}

// bist_o is a register: upset.
TEST(CommonAssertions, OfASelfTestOfMemories) {
  constexpr unsigned kEnable = 1, kWrite = 2, kRead = 4, kAddr = 32, kDepth = 7;
  Bench<Vcommon_bist> bench;
  bench->start_i = bench->fail_i = 0;
  bench.reset();
  const auto broken = [&](unsigned bus) {
    bench->bist_o = bus;
    return bench.broken_by([&] { bench.edge(); });
  };
  EXPECT_EQ(broken(kEnable), "memories_are_taken_only_while_busy");
  bench->start_i = 1;
  bench.edge();
  bench->start_i = 0;
  bench.edge();
  EXPECT_EQ(broken(kEnable | kWrite | kRead), "reads_or_writes");
  EXPECT_EQ(broken(kEnable | kRead | (kDepth - 1) * kAddr), "");
  EXPECT_EQ(broken(kEnable | kRead | kDepth * kAddr), "within_depth");
}

}  // namespace
}  // namespace fredsim
