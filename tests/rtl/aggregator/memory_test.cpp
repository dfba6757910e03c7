// SPDX-License-Identifier: Apache-2.0
// Memory test of an aggregator: a stuck bit is reported at its position, in every bit of every
// operand FIFO, and in every other memory of the switch.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "../memories.h"
#include "Vadders_march/Vadders_march.h"
#include "Vadders_operand_march/Vadders_operand_march.h"
#include "Vadders_p3k2/Vadders_p3k2.h"
#include "Vadders_p5k2/Vadders_p5k2.h"
#include "base/flit.h"
#include "base/random.h"
#include "rtl/aggregator_pkg.h"

namespace fredsim {
namespace {

// A model in reset with its memories on the bus of a bist_controller, as a chip holds it while it
// tests them.
template <class Model, class Controller>
class March {
 public:
  March() {
    controller_.rst_ni = controller_.start_i = 0;
    dut_.rst_ni = 0;
    edge();
    edge();
    controller_.rst_ni = 1;
  }
  ~March() {
    controller_.final();
    dut_.final();
  }
  March(const March&) = delete;
  March& operator=(const March&) = delete;

  VerilatedContext& context() { return context_; }
  StuckBits& stuck() { return stuck_; }

  // Memories that failed, by place.
  std::uint32_t run() {
    controller_.start_i = 1;
    edge();
    controller_.start_i = 0;
    while (controller_.busy_o) edge();
    EXPECT_TRUE(controller_.done_o);
    return controller_.fail_o;
  }

 private:
  void edge() {
    dut_.bist_i = controller_.bist_o;
    controller_.fail_i = dut_.bist_fail_o;
    for (const int level : {0, 1}) {
      controller_.clk_i = dut_.clk_i = static_cast<CData>(level);
      controller_.eval();
      dut_.eval();
    }
    stuck_.hold();
  }

  VerilatedContext context_;
  Controller controller_{&context_, "controller"};
  Model dut_{&context_, "dut"};
  StuckBits stuck_;
};

// Every bit at both values, in some of the FIFOs and then in the remaining ones.
TEST(AggregatorMemories, FaultsOfOperandsAreToldAtTheirInput) {
  constexpr int kPorts = 5, kAdders = 2;
  constexpr int kDepth = static_cast<int>(aggregator_pkg::MAX_WAITING) + kAdders;
  constexpr int kBits = 32 * flit_words(3);
  constexpr std::uint32_t kAll = (1U << kPorts) - 1;
  March<Vadders_p5k2, Vadders_operand_march> march;
  const std::vector<Memory> memories = memories_of(march.context());
  ASSERT_EQ(memories.size(), static_cast<std::size_t>(kPorts));
  for (const Memory& memory : memories) {
    ASSERT_EQ(memory.depth(), kDepth);
    ASSERT_EQ(memory.bits(), kBits);
  }
  EXPECT_EQ(march.run(), 0U);
  Random random(1);
  for (int word = 0; word < kDepth; ++word) {
    for (int bit = 0; bit < kBits; ++bit) {
      const auto some = static_cast<std::uint32_t>(random.below(kAll + 1));
      for (const std::uint32_t inputs : {some, kAll & ~some}) {
        for (const bool value : {false, true}) {
          march.stuck().clear();
          for (const Memory& memory : memories) {
            const int place = memory_test_place(memory.name, kPorts);
            if ((inputs >> place & 1U) != 0) march.stuck().add(memory, word, bit, value);
          }
          ASSERT_EQ(march.run(), inputs) << "word " << word << " bit " << bit << " at " << value;
        }
      }
    }
  }
  march.stuck().clear();
  EXPECT_EQ(march.run(), 0U);
}

// Each memory separately, in turn.
TEST(AggregatorMemories, FaultsAreToldWhereTheyAre) {
  constexpr int kPorts = 3;
  March<Vadders_p3k2, Vadders_march> march;
  std::map<int, int> at_place;
  Random random(1);
  for (const Memory& memory : memories_of(march.context())) {
    const int place = memory_test_place(memory.name, kPorts);
    ++at_place[place];
    march.stuck().clear();
    march.stuck().add(memory,
                      static_cast<int>(random.below(static_cast<std::uint64_t>(memory.depth()))),
                      static_cast<int>(random.below(static_cast<std::uint64_t>(memory.bits()))),
                      random.below(2) == 0);
    ASSERT_EQ(march.run(), 1U << place) << memory.name;
  }
  march.stuck().clear();
  EXPECT_EQ(march.run(), 0U);
  for (int p = 0; p < kPorts; ++p) {
    EXPECT_EQ(at_place[p], 1 + kNumVcs + 1) << "flits, fields of each VC, operands";
    EXPECT_EQ(at_place[kPorts + p], 1);
  }
  EXPECT_EQ(at_place[2 * kPorts], static_cast<int>(aggregator_pkg::row_words(kPorts)));
  EXPECT_EQ(at_place[2 * kPorts + 1], 1 + kPorts);
}

}  // namespace
}  // namespace fredsim
