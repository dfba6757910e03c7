// SPDX-License-Identifier: Apache-2.0
// apb_slave against a bus that follows the protocol, with a model of a switch's registers behind
// it.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vcells_apb_slave/Vcells_apb_slave.h"
#include "base/random.h"
#include "verilated.h"

namespace fredsim {
namespace {

class ApbSlave : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kWords = 1024;
  struct Answer {
    std::uint32_t data = 0;
    bool error = false;
    int cycles = 0;
  };

  ApbSlave() {
    model_.psel_i = model_.penable_i = model_.rst_ni = 0;
    edge();
    edge();
    model_.rst_ni = 1;
  }
  ~ApbSlave() override { model_.final(); }

  // One edge; the register port is served at it.
  void edge() {
    model_.clk_i = 0;
    model_.eval();
    const bool valid = model_.reg_valid_o;
    const auto address = model_.reg_addr_o;
    std::uint32_t read = model_.reg_rdata_i;
    if (valid) {
      ++requests_;
      if (model_.reg_write_o) {
        registers_[address] = model_.reg_wdata_o;
      } else {
        read = registers_[address];
      }
    }
    model_.clk_i = 1;
    model_.eval();
    model_.reg_rdata_i = read;
    model_.eval();
  }

  Answer transfer(bool write, std::uint32_t byte_address, std::uint32_t data, bool refuse) {
    model_.psel_i = 1;
    model_.penable_i = 0;
    model_.pwrite_i = write;
    model_.paddr_i = static_cast<SData>(byte_address);
    model_.pwdata_i = data;
    model_.refuse_i = refuse;
    model_.eval();
    EXPECT_FALSE(model_.pready_o);
    edge();
    model_.penable_i = 1;
    model_.refuse_i = !refuse;  // means nothing now
    model_.eval();
    Answer answer;
    for (answer.cycles = 2; !model_.pready_o; ++answer.cycles) edge();
    answer.data = model_.prdata_o;
    answer.error = model_.pslverr_o;
    edge();
    model_.psel_i = model_.penable_i = 0;
    return answer;
  }

  VerilatedContext context_;
  Vcells_apb_slave model_{&context_, "dut"};
  std::array<std::uint32_t, kWords> registers_{};
  int requests_ = 0;
};

TEST_F(ApbSlave, WritesAndReadsInThreeCycles) {
  std::array<std::uint32_t, kWords> written{};
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const bool write = random.below(2) == 0;
    const auto word = static_cast<std::uint32_t>(random.below(random.below(2) == 0 ? 8 : kWords));
    const auto data = static_cast<std::uint32_t>(random.next());
    const bool refuse = random.below(10) == 0;
    const auto byte = static_cast<std::uint32_t>(random.below(10) == 0 ? 1 + random.below(3) : 0);
    const bool error = refuse || byte != 0;
    const int before = requests_;
    const Answer answer = transfer(write, word * 4 + byte, data, refuse);
    ASSERT_EQ(answer.cycles, 3);
    ASSERT_EQ(answer.error, error);
    ASSERT_EQ(requests_ - before, error ? 0 : 1);
    ASSERT_EQ(answer.data, error || write ? 0 : written[word]);
    if (write && !error) written[word] = data;
    for (std::uint64_t rest = random.below(3); rest != 0; --rest) edge();
    ASSERT_FALSE(model_.pready_o);
  }
  EXPECT_EQ(registers_, written);
}

TEST_F(ApbSlave, ForgetsATransferInAReset) {
  for (int edges = 0; edges < 3; ++edges) {
    const int before = requests_;
    model_.psel_i = 1;
    model_.penable_i = model_.pwrite_i = model_.refuse_i = 0;
    model_.paddr_i = 4;
    if (edges > 0) edge();
    model_.penable_i = edges > 0;
    if (edges > 1) edge();
    model_.rst_ni = 0;
    edge();
    model_.psel_i = model_.penable_i = 0;
    edge();
    model_.rst_ni = 1;
    edge();
    EXPECT_FALSE(model_.pready_o);
    EXPECT_FALSE(model_.reg_valid_o);
    EXPECT_LE(requests_ - before, 1);
    EXPECT_EQ(transfer(true, 8, 77, false).cycles, 3);
    EXPECT_EQ(registers_[2], 77U);
  }
}

}  // namespace
}  // namespace fredsim
