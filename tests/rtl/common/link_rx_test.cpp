// SPDX-License-Identifier: Apache-2.0
// link_rx with clocks of random periods and phases: flits in order, none lost while they come no
// faster than the switch's clock takes them; an overflow is reported; credits are neither lost nor
// created.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "Vcommon_rx/Vcommon_rx.h"
#include "base/random.h"
#include "rtl/bench.h"
#include "rtl/clocks.h"

namespace fredsim {
namespace {

constexpr int kLink = 0, kSwitch = 1, kVcs = 4, kCredits = 5, kDepth = 8;
constexpr std::uint64_t kStart = 10'000;  // end of reset

struct Flit {
  std::uint32_t word = 0;
  int edges = 0;  // edges of the switch's clock since it was sampled
};

class LinkRx {
 public:
  LinkRx(std::uint64_t link_period, std::uint64_t switch_period, std::uint64_t phase) {
    context_.fatalOnError(false);
    clocks_.add(link_period, 1000);
    clocks_.add(switch_period, 1001 + 2 * phase);  // no edges of both at the same time
    model_.rx_rst_ni = model_.rst_ni = 0;
    model_.rx_valid_i = model_.rx_credit_i = 0;
  }
  ~LinkRx() { model_.final(); }
  LinkRx(const LinkRx&) = delete;
  LinkRx& operator=(const LinkRx&) = delete;

  // Up to the next edge of either clock. `send` and `give` are asked before each edge of the link's
  // clock.
  template <class Send, class Give>
  void step(Send send, Give give) {
    const std::uint32_t rising = clocks_.advance();
    model_.rx_clk_i = clocks_.level(kLink);
    model_.clk_i = clocks_.level(kSwitch);
    model_.eval();
    EXPECT_FALSE(context_.gotError()) << "an assertion of the RTL failed";
    const bool started = clocks_.time() > kStart;
    model_.rx_rst_ni = model_.rst_ni = started;
    if ((rising >> kLink & 1U) != 0) {
      if (model_.rx_valid_i) waiting.push_back({model_.rx_flit_i, 0});
      for (int v = 0; v < kVcs; ++v) credits[v] += model_.rx_credit_i >> v & 1;
      model_.rx_valid_i = started && send();
      model_.rx_flit_i = model_.rx_valid_i ? ++sent : 0xDEAD;
      model_.rx_credit_i = 0;
      for (int v = 0; started && v < kVcs; ++v)
        if (credits[v] < kCredits && give(v))
          model_.rx_credit_i = static_cast<CData>(model_.rx_credit_i | 1 << v);
    }
    if ((rising >> kSwitch & 1U) == 0) return;
    for (Flit& flit : waiting) ++flit.edges;
    arrived = 0;
    if (model_.valid_o) {
      arrived = model_.flit_o;
      ++taken;
    }
    for (int v = 0; v < kVcs; ++v) {
      if ((model_.credit_o >> v & 1) != 0) --credits[v];
      ASSERT_GE(credits[v], 0) << "VC " << v;
    }
  }

  Vcommon_rx& pins() { return model_; }
  bool started() const { return clocks_.time() > kStart; }

  std::deque<Flit> waiting;             // sampled, not on flit_o yet
  std::array<int, kVcs> credits{};      // on their way
  std::uint32_t sent = 0, arrived = 0;  // numbers of flits; 0: none
  int taken = 0;

 private:
  VerilatedContext context_;
  Vcommon_rx model_{&context_, "dut"};
  Clocks clocks_;
};

TEST(LinkRx, BringsFlitsAndCreditsInOrder) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::uint64_t switch_period = 2 * (200 + random.below(800));
    const std::uint64_t link_period =
        seed % 4 == 0 ? switch_period : switch_period + 2 * random.below(800);
    LinkRx link(link_period, switch_period, random.below(1000));
    const std::uint64_t percent = seed % 3 == 0 ? 100 : random.below(100);
    for (int change = 0; change < 6'000; ++change) {
      const bool idle = link.waiting.empty();
      link.step([&] { return random.below(100) < percent; },
                [&](int) { return random.below(3) == 0; });
      if (link.arrived != 0) {
        ASSERT_FALSE(idle);
        ASSERT_EQ(link.arrived, link.waiting.front().word);
        ASSERT_EQ(link.waiting.front().edges, 2) << "flit " << link.arrived;
        link.waiting.pop_front();
        link.arrived = 0;
      }
      ASSERT_EQ(link.pins().rx_overflow_o, 0);
      if (testing::Test::HasFailure()) FAIL() << "change " << change;
    }
    ASSERT_GT(link.taken, 100 * (percent > 20 ? 1 : 0));
    // All of it arrives.
    for (int change = 0; change < 100; ++change) {
      link.step([] { return false; }, [](int) { return false; });
      if (link.arrived != 0) link.waiting.pop_front();
      link.arrived = 0;
    }
    EXPECT_TRUE(link.waiting.empty());
    for (const int credits : link.credits) EXPECT_EQ(credits, 0);
  }
}

// A link with a faster clock: two flits in a row and a gap are no flood.
TEST(LinkRx, TakesDepthLessSixFlitsAtATime) {
  for (std::uint64_t phase = 0; phase < 500; phase += 50) {
    LinkRx link(500, 1000, phase);
    int cycle = 0;
    for (int change = 0; change < 5'000; ++change) {
      link.step([&] { return cycle++ % 4 < kDepth - 6; }, [](int) { return false; });
      link.waiting.clear();
      ASSERT_EQ(link.pins().rx_overflow_o, 0) << "phase " << phase;
    }
    EXPECT_LE(static_cast<int>(link.sent) - link.taken, kDepth);
  }
}

// Two flits for every cycle of the switch: flits that find no room are dropped, reported from then
// on; all other flits arrive in order.
TEST(LinkRx, TellsWhatItDrops) {
  LinkRx link(500, 1000, 0);
  std::uint32_t last = 0;
  bool told = false;
  for (int change = 0; change < 2'000; ++change) {
    const bool flood = change < 1'000;
    link.step([&] { return flood; }, [](int) { return false; });
    if (link.arrived != 0) {
      ASSERT_GT(link.arrived, last);
      last = link.arrived;
      link.arrived = 0;
    }
    // Never taken back.
    ASSERT_TRUE(link.pins().rx_overflow_o || !told);
    told = link.pins().rx_overflow_o != 0;
    if (link.sent <= static_cast<std::uint32_t>(kDepth)) {
      ASSERT_FALSE(told);
    }
  }
  EXPECT_TRUE(told);
  EXPECT_LT(link.taken, static_cast<int>(link.sent));
  EXPECT_GE(link.taken, static_cast<int>(link.sent) / 2);  // one for every cycle, all the same
}

// A switch whose clock hardly moves: exactly DEPTH flits are taken, and the next one is reported.
TEST(LinkRx, FillsUpBeforeItDrops) {
  for (const std::uint32_t flits : {8U, 9U}) {
    LinkRx link(500, 1'000'000, 0);
    for (int change = 0; change < 200; ++change)
      link.step([&] { return link.sent < flits; }, [](int) { return false; });
    EXPECT_EQ(link.sent, flits);
    EXPECT_EQ(link.pins().rx_overflow_o, flits > kDepth);
  }
}

}  // namespace
}  // namespace fredsim
