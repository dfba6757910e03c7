// SPDX-License-Identifier: Apache-2.0
// link_tx with clocks of random periods and phases, behind a switch that sends while it is ready
// and two more flits afterwards: nothing is lost, for any pacing of the link.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>

#include "Vcommon_tx/Vcommon_tx.h"
#include "base/random.h"
#include "rtl/bench.h"
#include "rtl/clocks.h"

namespace fredsim {
namespace {

constexpr int kSwitch = 0, kLink = 1, kVcs = 4, kCredits = 5, kDepth = 16, kLaunchEdges = 2;
constexpr std::uint64_t kStart = 10'000;  // end of reset

constexpr int kOnThePins = -1'000'000;

struct Flit {
  std::uint32_t word = 0;
  int edges = kOnThePins;  // edges of the link's clock since it was sampled
};

class LinkTx {
 public:
  LinkTx(std::uint64_t switch_period, std::uint64_t link_period, std::uint64_t phase) {
    context_.fatalOnError(false);
    clocks_.add(switch_period, 1000);
    clocks_.add(link_period, 1001 + 2 * phase);  // no edges of both at the same time
    model_.rst_ni = model_.tx_rst_ni = 0;
    model_.valid_i = model_.credit_i = model_.tx_ready_i = 0;
  }
  ~LinkTx() { model_.final(); }
  LinkTx(const LinkTx&) = delete;
  LinkTx& operator=(const LinkTx&) = delete;

  // Up to the next edge of either clock: the switch launches with this chance where it may, the
  // link takes with that.
  void step(Random& random, std::uint64_t launch_percent, std::uint64_t take_percent) {
    const std::uint32_t rising = clocks_.advance();
    model_.clk_i = clocks_.level(kSwitch);
    model_.tx_clk_i = clocks_.level(kLink);
    const bool ready = model_.ready_o;
    model_.eval();
    ASSERT_FALSE(context_.gotError()) << "an assertion of the RTL failed";
    const bool started = clocks_.time() > kStart;
    model_.rst_ni = model_.tx_rst_ni = started;
    if ((rising >> kLink & 1U) != 0) link_edge(random, started, take_percent);
    if ((rising >> kSwitch & 1U) != 0) switch_edge(random, started, ready, launch_percent);
  }
  std::size_t held() const { return held_.size() - (model_.valid_i != 0 ? 1 : 0); }
  Vcommon_tx& pins() { return model_; }
  int taken = 0, switch_edges = 0;
  std::uint32_t launched = 0;
  std::array<int, kVcs> credits{};  // on their way
  bool gives = true;                // credits come from the switch

 private:
  void switch_edge(Random& random, bool started, bool ready, std::uint64_t launch_percent) {
    ++switch_edges;
    if (model_.valid_i) held_.back().edges = 0;
    // Decided at this edge, on the pins kLaunchEdges edges later.
    coming_.push_back(started && ready && random.below(100) < launch_percent);
    for (int v = 0; v < kVcs; ++v) credits[v] += model_.credit_i >> v & 1;
    model_.valid_i = 0;
    if (static_cast<int>(coming_.size()) > kLaunchEdges) {
      model_.valid_i = coming_.front();
      coming_.pop_front();
    }
    model_.flit_i = model_.valid_i ? ++launched : 0xDEAD;
    if (model_.valid_i) held_.push_back({launched, kOnThePins});
    model_.credit_i = 0;
    for (int v = 0; started && gives && v < kVcs; ++v)
      if (credits[v] < kCredits && random.below(3) == 0)
        model_.credit_i = static_cast<CData>(model_.credit_i | 1 << v);
  }
  void link_edge(Random& random, bool started, std::uint64_t take_percent) {
    for (Flit& flit : held_) ++flit.edges;
    // After the third edge that sees it, or at the first later one at which the link takes it.
    const bool due = model_.tx_ready_i && !held_.empty() && held_.front().edges >= 3;
    ASSERT_EQ(model_.tx_valid_o != 0, due);
    if (due) {
      ASSERT_EQ(model_.tx_flit_o, held_.front().word);
      held_.pop_front();
      ++taken;
    }
    for (int v = 0; v < kVcs; ++v) {
      if ((model_.tx_credit_o >> v & 1) != 0) --credits[v];
      ASSERT_GE(credits[v], 0) << "VC " << v;
    }
    model_.tx_ready_i = started && random.below(100) < take_percent;
  }

  VerilatedContext context_;
  Vcommon_tx model_{&context_, "dut"};
  Clocks clocks_;
  std::deque<bool> coming_;
  std::deque<Flit> held_;  // on the pins or inside
};

TEST(LinkTx, SendsAllFlitsAndCreditsInOrder) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto period = [&] { return 2 * (200 + random.below(800)); };
    LinkTx link(period(), period(), random.below(1000));
    std::uint64_t launch = 50, take = 50;
    for (int change = 0; change < 6'000; ++change) {
      if (change % 200 == 0) {
        launch = random.below(3) == 0 ? 100 : random.below(101);
        take = random.below(3) == 0 ? 100 * random.below(2) : random.below(101);
      }
      link.step(random, launch, take);
      if (testing::Test::HasFailure()) FAIL() << "change " << change;
    }
    link.gives = false;
    for (int change = 0; change < 1'000; ++change) link.step(random, 0, 100);
    for (const int credits : link.credits) EXPECT_EQ(credits, 0);
    EXPECT_EQ(link.taken, static_cast<int>(link.launched));
    EXPECT_EQ(link.held(), 0U);
    EXPECT_GT(link.taken, 50);
  }
}

// A link that takes nothing: ready exactly while there is room for the flits that nobody has seen
// yet, and one more.
TEST(LinkTx, IsReadyWhileThereIsRoom) {
  Random random(1);
  for (std::uint64_t launch = 20; launch <= 100; launch += 20) {
    LinkTx link(1000, 700, 0);
    std::size_t room_used = 0;
    for (int edges = 0; edges < 200;) {
      const std::size_t before = link.held();
      const int switch_edges = link.switch_edges;
      link.step(random, launch, 0);
      if (testing::Test::HasFailure()) return;
      if (link.switch_edges == switch_edges) continue;
      ++edges;
      if (edges < 20) continue;  // reset
      ASSERT_EQ(link.pins().ready_o != 0, before + kLaunchEdges + 3 <= kDepth)
          << before << " flits inside";
      room_used = link.held();
    }
    EXPECT_GE(room_used, static_cast<std::size_t>(kDepth - kLaunchEdges - 2));
    EXPECT_LE(room_used, static_cast<std::size_t>(kDepth));
  }
}

TEST(LinkTx, SustainsAFlitPerCycleAtEqualClocksInAnyPhase) {
  Random random(1);
  for (std::uint64_t phase = 0; phase < 500; phase += 25) {
    LinkTx link(1000, 1000, phase);
    for (int change = 0; change < 400; ++change) link.step(random, 100, 100);
    const int before = link.taken, edges = link.switch_edges;
    for (int change = 0; change < 4'000; ++change) link.step(random, 100, 100);
    EXPECT_NEAR(link.taken - before, link.switch_edges - edges, 1) << "phase " << phase;
  }
}

}  // namespace
}  // namespace fredsim
