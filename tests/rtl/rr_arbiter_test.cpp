// SPDX-License-Identifier: Apache-2.0
// rr_arbiter against its contract: who is granted, whose turn is next, how long one waits.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>

#include "Vcells_rr_arbiter/Vcells_rr_arbiter.h"
#include "Vcells_rr_arbiter_alone/Vcells_rr_arbiter_alone.h"
#include "base/random.h"
#include "verilated.h"

namespace fredsim {
namespace {

constexpr int kRequests = 5;

class RrArbiter : public ::testing::Test {
 protected:
  RrArbiter() {
    model_.rst_ni = 0;
    model_.request_i = 0;
    model_.advance_i = 0;
    edge();
    model_.rst_ni = 1;
  }
  ~RrArbiter() override { model_.final(); }

  void edge() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
  }
  // The one granted, or -1, before an edge at which these ask.
  int grant(std::uint32_t request, bool advance) {
    model_.clk_i = 0;
    model_.request_i = static_cast<CData>(request);
    model_.advance_i = advance;
    model_.eval();
    const std::uint32_t granted = model_.grant_o;
    EXPECT_LE(std::popcount(granted), 1);
    edge();
    return granted == 0 ? -1 : std::countr_zero(granted);
  }

  VerilatedContext context_;
  Vcells_rr_arbiter model_{&context_, "arbiter"};
};

TEST_F(RrArbiter, GrantsTheFirstInTurn) {
  Random random(1);
  int turn = 0;
  for (int cycle = 0; cycle < 20'000; ++cycle) {
    const auto request = static_cast<std::uint32_t>(random.below(1U << kRequests));
    const bool advance = random.below(2) == 0;
    int expected = -1;
    for (int i = 0; i < kRequests && expected < 0; ++i) {
      const int candidate = (turn + i) % kRequests;
      if ((request >> candidate & 1U) != 0) expected = candidate;
    }
    ASSERT_EQ(grant(request, advance), expected) << "cycle " << cycle << " turn " << turn;
    if (advance && expected >= 0) turn = (expected + 1) % kRequests;
  }
}

TEST_F(RrArbiter, ServesAllThatAskInTurn) {
  for (int i = 0; i < 4 * kRequests; ++i) ASSERT_EQ(grant(31, true), i % kRequests);
}

TEST_F(RrArbiter, LetsNoneWaitForMoreThanAllOthersOnce) {
  Random random(2);
  std::array<int, kRequests> waited{};
  std::uint32_t asks = 0;
  for (int cycle = 0; cycle < 20'000; ++cycle) {
    asks |= static_cast<std::uint32_t>(random.below(1U << kRequests));
    const int granted = grant(asks, true);
    if (granted < 0) continue;
    asks &= ~(1U << granted);
    waited[granted] = 0;
    for (int i = 0; i < kRequests; ++i) {
      waited[i] += static_cast<int>(asks >> i & 1U);
      ASSERT_LT(waited[i], kRequests) << "cycle " << cycle << " request " << i;
    }
  }
}

TEST_F(RrArbiter, BeginsAtZeroAfterAReset) {
  EXPECT_EQ(grant(31, true), 0);
  EXPECT_EQ(grant(31, true), 1);
  model_.rst_ni = 0;
  edge();
  model_.rst_ni = 1;
  EXPECT_EQ(grant(31, true), 0);
}

TEST(RrArbiterAlone, GrantsTheOnlyOne) {
  VerilatedContext context;
  Vcells_rr_arbiter_alone model(&context, "alone");
  model.rst_ni = 1;
  for (int i = 0; i < 10; ++i) {
    model.clk_i = 0;
    model.advance_i = i % 3 == 0;
    model.request_i = static_cast<CData>(i % 2);
    model.eval();
    EXPECT_EQ(model.grant_o, i % 2);
    model.clk_i = 1;
    model.eval();
  }
  model.final();
}

}  // namespace
}  // namespace fredsim
