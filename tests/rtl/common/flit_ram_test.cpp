// SPDX-License-Identifier: Apache-2.0
// flit_ram against an array.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vcommon_flit_ram/Vcommon_flit_ram.h"
#include "base/random.h"
#include "rtl/bench.h"

namespace fredsim {
namespace {

constexpr unsigned kDepth = 5;

// flit_ram has no reset.
class FlitRam : public testing::Test {
 protected:
  FlitRam() { context_.fatalOnError(false); }
  ~FlitRam() override { model_.final(); }
  void edge() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
  }
  void write(unsigned address, std::uint32_t word) {
    model_.write_i = 1;
    model_.waddr_i = static_cast<CData>(address);
    model_.wdata_i = word;
  }
  void read(unsigned address) {
    model_.read_i = 1;
    model_.raddr_i = static_cast<CData>(address);
  }
  VerilatedContext context_;
  Vcommon_flit_ram model_{&context_, "dut"};
};

TEST_F(FlitRam, ReadsWhatWasWrittenAndHoldsIt) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random.below(n)); };
    std::array<std::uint32_t, kDepth> words{};
    for (unsigned address = 0; address < kDepth; ++address) {
      model_.read_i = 0;
      write(address, words[address] = below(1000));
      edge();
    }
    model_.write_i = 0;
    read(0);
    edge();
    std::uint32_t expected = words[0];
    for (int cycle = 0; cycle < 10'000; ++cycle) {
      model_.write_i = model_.read_i = 0;
      model_.raddr_i = static_cast<CData>(below(kDepth));  // means nothing without read_i
      model_.waddr_i = static_cast<CData>(below(kDepth));
      const unsigned to = below(kDepth), from = below(kDepth);
      const bool reads = below(2) == 0, writes = below(2) == 0 && (!reads || to != from);
      if (reads) {
        read(from);
        expected = words[from];
      }
      if (writes) write(to, words[to] = static_cast<std::uint32_t>(random.next()));
      edge();
      ASSERT_FALSE(context_.gotError()) << cycle;
      ASSERT_EQ(model_.rdata_o, expected) << cycle;
    }
  }
}

TEST_F(FlitRam, AssertsItsContract) {
  const auto broken = [&] { return broken_assertions(context_, [&] { edge(); }); };
  model_.read_i = 0;
  write(kDepth - 1, 1);
  EXPECT_EQ(broken(), "");
  write(kDepth, 1);
  EXPECT_EQ(broken(), "write_within_depth");
  model_.write_i = 0;
  read(kDepth);
  EXPECT_EQ(broken(), "read_within_depth");
  write(2, 1);
  read(2);
  EXPECT_EQ(broken(), "no_read_of_a_word_being_written");
  read(1);
  EXPECT_EQ(broken(), "");
}

}  // namespace
}  // namespace fredsim
