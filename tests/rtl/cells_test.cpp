// SPDX-License-Identifier: Apache-2.0
// The cells of rtl/common/ by themselves, against references written from their contracts.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "Vcells_credit_counter/Vcells_credit_counter.h"
#include "Vcells_vc_buffer/Vcells_vc_buffer.h"
#include "Vcells_vc_buffer_shallow/Vcells_vc_buffer_shallow.h"
#include "base/random.h"
#include "verilated.h"

namespace fredsim {
namespace {

template <class Model>
void edge(Model& model) {
  model.clk_i = 0;
  model.eval();
  model.clk_i = 1;
  model.eval();
}

template <class Model>
void reset(Model& model) {
  model.rst_ni = 0;
  edge(model);
  edge(model);
  model.rst_ni = 1;
}

struct Stored {
  std::uint32_t flit = 0;
  std::uint16_t side = 0;
};

// Flits come and go by chance, of all VCs, with every mix of rates: the head-of-line flits are
// never late, flits follow their pops, a slot is free one edge after the pop.
template <class Model>
void run_buffer(int data_depth, int control_depth, std::uint64_t seed) {
  constexpr int kVcs = 4;
  VerilatedContext context;
  Model model(&context, "dut");
  model.in_valid_i = model.pop_i = 0;
  reset(model);
  Random random(seed);
  std::array<std::deque<Stored>, kVcs> held;
  std::array<int, kVcs> popped{};  // slots of flits popped at the last edge
  std::optional<std::uint32_t> reading, read;
  std::uint64_t in_percent = 50, out_percent = 50, favourite = 0;
  int overflows = 0;
  for (int cycle = 0; cycle < 20'000; ++cycle) {
    if (cycle % 50 == 0) {
      in_percent = random.below(101);
      out_percent = random.below(101);
      favourite = random.below(2 * kVcs);
    }
    const auto some_vc = [&] {
      return static_cast<int>(favourite < kVcs && random.below(4) != 0 ? favourite
                                                                       : random.below(kVcs));
    };
    model.in_valid_i = random.below(100) < in_percent;
    const int in_vc = some_vc();
    const Stored flit{static_cast<std::uint32_t>(random.next()),
                      static_cast<std::uint16_t>(random.next())};
    model.in_vc_i = static_cast<CData>(in_vc);
    model.in_flit_i = flit.flit;
    model.in_side_i = flit.side;
    const int pop_vc = some_vc();
    const bool pops = !held[pop_vc].empty() && random.below(100) < out_percent;
    model.pop_i = static_cast<CData>(pops ? 1U << pop_vc : 0U);

    const int depth = in_vc == 3 ? control_depth : data_depth;
    const bool full = static_cast<int>(held[in_vc].size()) + popped[in_vc] == depth;
    read = reading;
    reading.reset();
    popped = {};
    if (model.pop_i) {
      reading = held[pop_vc].front().flit;
      held[pop_vc].pop_front();
      popped[pop_vc] = 1;
    }
    if (model.in_valid_i && !full) held[in_vc].push_back(flit);
    overflows += model.in_valid_i && full ? 1 : 0;
    edge(model);

    ASSERT_EQ(model.overflow_o, model.in_valid_i && full) << "cycle " << cycle << " seed " << seed;
    ASSERT_EQ(model.credit_o, pops ? 1U << pop_vc : 0U) << cycle << " seed " << seed;
    bool empty = model.credit_o == 0;
    for (int vc = 0; vc < kVcs; ++vc) {
      ASSERT_EQ(model.valid_o >> vc & 1U, held[vc].empty() ? 0U : 1U)
          << "VC " << vc << " cycle " << cycle << " seed " << seed;
      empty = empty && held[vc].empty();
      if (held[vc].empty()) continue;
      ASSERT_EQ(static_cast<std::uint16_t>(model.side_o >> (16 * vc)), held[vc].front().side)
          << "VC " << vc << " cycle " << cycle << " seed " << seed;
    }
    ASSERT_EQ(model.empty_o, empty) << "cycle " << cycle << " seed " << seed;
    if (read) {
      ASSERT_EQ(model.flit_o, *read) << "cycle " << cycle << " seed " << seed;
    }
  }
  EXPECT_GT(overflows, 100);
  model.final();
}

TEST(VcBuffer, ShowsHolFlitsAndGivesFlitsInOrder) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) run_buffer<Vcells_vc_buffer>(11, 4, seed);
}

TEST(VcBuffer, OfFewSlotsToo) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) run_buffer<Vcells_vc_buffer_shallow>(3, 1, seed);
}

TEST(CreditCounter, CountsWhatComesAndGoes) {
  VerilatedContext context;
  Vcells_credit_counter model(&context, "dut");
  model.give_i = model.spend_i = model.write_i = 0;
  reset(model);
  std::uint16_t credits = 5;
  Random random(1);
  for (int cycle = 0; cycle < 100'000; ++cycle) {
    ASSERT_EQ(model.credits_o, credits) << cycle;
    ASSERT_EQ(model.has_credit_o, credits != 0) << cycle;
    model.give_i = random.below(2) == 0;
    model.spend_i = (credits != 0 || model.give_i) && random.below(2) == 0;
    model.write_i = random.below(200) == 0;
    model.wdata_i = static_cast<std::uint16_t>(random.below(2) == 0 ? 65530 + random.below(6)
                                                                    : random.below(4));
    credits = model.write_i ? model.wdata_i
                            : static_cast<std::uint16_t>(credits + model.give_i - model.spend_i);
    edge(model);
  }
  model.final();
}

}  // namespace
}  // namespace fredsim
