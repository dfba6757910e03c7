// SPDX-License-Identifier: Apache-2.0
// Both ends of a link with retransmission, RTL beside their twins at every edge, over wires that
// damage and lose words; and a reference that knows only the flits sent: every flit exactly once,
// in order, every credit once.
#include "links/retransmission/link_retry.h"

#include <gtest/gtest.h>
#include <rtl/link_pkg.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "Vcommon_retry_rx/Vcommon_retry_rx.h"
#include "Vcommon_retry_tx/Vcommon_retry_tx.h"
#include "base/random.h"
#include "links/retransmission/link_check.h"
#include "rtl/bench.h"
#include "rtl/cover_counts.h"
#include "rtl/cover_list.h"

namespace fredsim {
namespace {

constexpr int kFlitBits = 64, kWireBits = kFlitBits + link_pkg::OVERHEAD_W;
constexpr int kSeqAt = kFlitBits, kRoundAt = kSeqAt + link_pkg::SEQ_W;
constexpr int kCreditsAt = link_pkg::SEQ_W + link_pkg::ROUND_W;
constexpr std::size_t kWords = kFlitBits / 32;
// tests/rtl/common/CMakeLists.txt
constexpr LinkRetryTx::Shape kShape{.depth = 32, .margin = 3, .timeout = 60, .max_retries = 12};
constexpr int kOutage = 100;           // edges
constexpr int kCreditsInFlight = 150;  // fewer than the credit counter can distinguish

struct Wires {
  int latency = 10;
  std::uint64_t flit_errors = 0, flit_losses = 0, back_errors = 0;  // per 1000
  std::uint64_t outages = 0;  // per 1000: nothing intact comes back for longer than a time-out
  std::uint64_t ready = 1000, offered = 1000, given = 500;  // per 1000
};

class Pair {
 public:
  Pair(const Wires& wires, std::uint64_t seed) : wires_(wires), random_(seed) {
    tx_->valid_i = tx_->wire_ready_i = 0;
    set_back(Back{});
    rx_->wire_valid_i = rx_->credit_i = 0;
    tx_.reset();
    rx_.reset();
    in_flight_.resize(static_cast<std::size_t>(wires.latency));
    back_.resize(static_cast<std::size_t>(wires.latency));
  }

  void set(const Wires& wires) { wires_ = wires; }
  void edge() {
    drive_tx();
    drive_rx();
    tx_.edge();
    rx_.edge();
    step_twins();
    compare_tx();
    compare_rx();
    launch();
  }
  bool is_dead() const { return twin_tx_.is_dead(); }
  bool is_drained() const { return passed == offered && twin_tx_.is_idle(twin_rx_.back()); }

  std::uint64_t offered = 0, passed = 0, again = 0, damaged = 0;
  std::uint64_t again_oldest = 0;  // flit 0
  std::array<std::uint64_t, kNumVcs> credits_given{}, credits_back{};

 private:
  struct Flit {
    std::array<std::uint32_t, (kWireBits + 31) / 32> bits{};
    bool intact = true;
  };
  struct Back {
    std::array<std::uint32_t, (link_pkg::BACK_W + 31) / 32> bits{};
    LinkBack word;
    bool intact = true;
  };
  static std::uint64_t word_of(std::uint64_t number) { return mix64(number); }
  bool chance(std::uint64_t of_thousand) { return random_.below(1000) < of_thousand; }

  void set_back(const Back& back) {
    std::copy(back.bits.begin(), back.bits.end(), tx_->back_i.m_storage);
  }
  void drive_tx() {
    // Late flits: as many as permitted.
    late_ = twin_tx_.is_ready() ? 0 : late_ + 1;
    const bool is_allowed = late_ <= static_cast<int>(kShape.margin);
    flit_here_ = is_allowed && chance(wires_.offered);
    const std::uint64_t word = word_of(offered);
    flit_ = {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
    tx_->valid_i = flit_here_;
    tx_->flit_i = flit_here_ ? word : ~word;
    if (flit_here_) ++offered;
    wire_ready_ = chance(wires_.ready);
    tx_->wire_ready_i = wire_ready_;
    back_now_ = back_.front();
    back_.pop_front();
    set_back(back_now_.value_or(Back{}));
  }
  void drive_rx() {
    arrival_ = in_flight_.front();
    in_flight_.pop_front();
    rx_->wire_valid_i = arrival_.has_value();
    if (arrival_) std::copy(arrival_->bits.begin(), arrival_->bits.end(), rx_->wire_i.m_storage);
    credits_now_ = 0;
    for (std::size_t v = 0; v < kNumVcs; ++v) {
      if (credits_given[v] - credits_back[v] >= kCreditsInFlight || !chance(wires_.given)) continue;
      credits_now_ |= 1U << v;
      ++credits_given[v];
    }
    rx_->credit_i = static_cast<CData>(credits_now_);
  }
  void step_twins() {
    twin_tx_.step(flit_here_ ? flit_.data() : nullptr, wire_ready_,
                  back_now_ && back_now_->intact ? &back_now_->word : nullptr);
    LinkRetryRx::Arrival arrival;
    if (arrival_) {
      arrival = {
          .intact = arrival_->intact,
          .seq = static_cast<LinkSeq>(bits(arrival_->bits, kSeqAt, link_pkg::SEQ_W)),
          .round = static_cast<std::uint8_t>(bits(arrival_->bits, kRoundAt, link_pkg::ROUND_W)),
          .flit = arrival_->bits.data()};
    }
    twin_rx_.step(arrival_ ? &arrival : nullptr, credits_now_);
  }
  void compare_tx() {
    ASSERT_EQ(tx_->ready_o, twin_tx_.is_ready());
    ASSERT_EQ(tx_->credit_o, twin_tx_.credits());
    ASSERT_EQ(tx_->dead_o, twin_tx_.is_dead());
    for (std::size_t v = 0; v < kNumVcs; ++v) credits_back[v] += tx_->credit_o >> v & 1U;
    const LinkRetryTx::Sent& sent = twin_tx_.sent();
    ASSERT_EQ(tx_->wire_valid_o, sent.valid);
    if (!sent.valid) return;
    ASSERT_EQ(tx_->wire_again_o, sent.again);
    ASSERT_EQ(bits(tx_->wire_o, kSeqAt, link_pkg::SEQ_W), sent.seq);
    ASSERT_EQ(bits(tx_->wire_o, kRoundAt, link_pkg::ROUND_W), sent.round);
    for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(tx_->wire_o[i], sent.flit[i]);
    again += sent.again ? 1 : 0;
    again_oldest += sent.again && sent.seq == 0 ? 1 : 0;
  }
  void compare_rx() {
    const LinkBack& back = twin_rx_.back();
    ASSERT_EQ(bits(rx_->back_o, 0, link_pkg::SEQ_W), back.expected);
    ASSERT_EQ(bits(rx_->back_o, link_pkg::SEQ_W, link_pkg::ROUND_W), back.round);
    for (int v = 0; v < kNumVcs; ++v) {
      ASSERT_EQ(bits(rx_->back_o, kCreditsAt + 8 * v, 8), back.given[static_cast<std::size_t>(v)]);
    }
    ASSERT_EQ(rx_->damaged_o, twin_rx_.found_damage());
    damaged += rx_->damaged_o;
    const std::uint32_t* const flit = twin_rx_.passed();
    ASSERT_EQ(rx_->valid_o, flit != nullptr);
    if (flit == nullptr) return;
    ASSERT_EQ(rx_->flit_o, flit[0] | std::uint64_t{flit[1]} << 32);
    ASSERT_EQ(rx_->flit_o, word_of(passed)) << "flit " << passed;
    ++passed;
  }
  // Puts the flits on the wires after the edge in flight.
  void launch() {
    std::optional<Flit> flit;
    if (tx_->wire_valid_o && !chance(wires_.flit_losses)) {
      flit = Flit{};
      std::copy_n(tx_->wire_o.m_storage, flit->bits.size(), flit->bits.begin());
      if (chance(wires_.flit_errors)) {
        static const LinkCheck check(kWireBits - link_pkg::CHECK_W, link_pkg::CHECK_W,
                                     link_pkg::CHECK_POLYNOMIAL);
        std::uint32_t remainder = 0;
        for (std::uint64_t errors = 1 + random_.below(6); errors > 0; --errors) {
          const auto at = static_cast<std::uint32_t>(random_.below(kWireBits));
          flit->bits[at / 32] ^= 1U << at % 32;
          remainder ^= check.remainder(at);
        }
        flit->intact = remainder == 0;
      }
    }
    in_flight_.push_back(flit);
    Back back{.word = twin_rx_.back()};
    std::copy_n(rx_->back_o.m_storage, back.bits.size(), back.bits.begin());
    if (outage_ > 0) --outage_;
    if (outage_ == 0 && chance(wires_.outages)) outage_ = kOutage;
    if (outage_ > 0 || chance(wires_.back_errors)) {
      static const LinkCheck check(link_pkg::BACK_DATA_W, link_pkg::CHECK_W,
                                   link_pkg::CHECK_POLYNOMIAL);
      std::uint32_t remainder = 0;
      for (std::uint64_t errors = 1 + random_.below(3); errors > 0; --errors) {
        const auto at = static_cast<std::uint32_t>(random_.below(link_pkg::BACK_W));
        back.bits[at / 32] ^= 1U << at % 32;
        remainder ^= check.remainder(at);
      }
      back.intact = remainder == 0;
    }
    back_.emplace_back(back);
  }

  Wires wires_;
  Random random_;
  Bench<Vcommon_retry_tx> tx_;
  Bench<Vcommon_retry_rx> rx_;
  LinkRetryTx twin_tx_{kShape, kWords};
  LinkRetryRx twin_rx_{kWords};
  std::deque<std::optional<Flit>> in_flight_;
  std::deque<std::optional<Back>> back_;
  int late_ = 0, outage_ = 0;
  bool flit_here_ = false, wire_ready_ = false;
  std::array<std::uint32_t, kWords> flit_{};
  std::uint32_t credits_now_ = 0;
  std::optional<Back> back_now_;
  std::optional<Flit> arrival_;
};

void pass_every_flit(std::uint64_t seeds) {
  std::uint64_t again = 0, damaged = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto upto = [&](std::uint64_t n) { return random.below(2) == 0 ? 0 : random.below(n); };
    const Wires wires{.latency = 1 + static_cast<int>(random.below(24)),
                      .flit_errors = upto(400),
                      .flit_losses = upto(300),
                      .back_errors = upto(500),
                      .outages = upto(8),
                      .ready = 200 + random.below(801),
                      .offered = 200 + random.below(801),
                      .given = random.below(1001)};
    Pair pair(wires, seed);
    for (int i = 0; i < 3000 && !testing::Test::HasFatalFailure(); ++i) pair.edge();
    ASSERT_FALSE(testing::Test::HasFatalFailure());
    // The wires are mended, and nothing more comes.
    pair.set({.latency = wires.latency, .offered = 0, .given = 0});
    for (int i = 0; i < 600 && !testing::Test::HasFatalFailure(); ++i) pair.edge();
    ASSERT_FALSE(testing::Test::HasFatalFailure());
    EXPECT_TRUE(pair.is_drained());
    EXPECT_GT(pair.passed, 0U);
    EXPECT_EQ(pair.credits_given, pair.credits_back);
    again += pair.again;
    damaged += pair.damaged;
  }
  EXPECT_GT(again, 1000U);
  EXPECT_GT(damaged, 1000U);
}

TEST(LinkRetry, PassesEveryFlitOnceInOrderWhateverBefallsIt) { pass_every_flit(60); }

TEST(LinkRetry, ReachesTheCoverPointsOfBothEnds) {
  expect_reached(cover_counts_of([] { pass_every_flit(20); }), "fabric");
}

TEST(LinkRetry, OfARoundTripKeepsFullRate) {
  // 2 x latency + 6 + margin <= depth (link_retry_tx.sv).
  Pair pair({.latency = 11}, 1);
  for (int i = 0; i < 1000; ++i) pair.edge();
  EXPECT_EQ(pair.again, 0U);
  // All but the flits in flight and at the first edge after reset.
  EXPECT_GE(pair.passed, 1000U - 11 - 4 - 1);
}

TEST(LinkRetry, OneThatIsTooShallowLosesRateAndNothingElse) {
  Pair pair({.latency = 20}, 1);
  for (int i = 0; i < 1000; ++i) pair.edge();
  EXPECT_EQ(pair.again, 0U);
  EXPECT_LT(pair.passed, 900U);
  EXPECT_GT(pair.passed, 600U);
}

// A flit that is always lost is retransmitted after each time-out, up to the maximum; then the link
// is dead and stays so. After a late acknowledgement the count starts again.
TEST(LinkRetry, IsDeadWhenAFlitWasSentAgainOnceTooOften) {
  const Wires cut{.latency = 5, .flit_losses = 1000, .given = 0};
  const Wires cut_and_full{.latency = 5, .flit_losses = 1000, .offered = 0, .given = 0};
  for (const bool is_mended : {false, true}) {
    SCOPED_TRACE(is_mended);
    Pair pair(cut, 1);
    std::uint64_t edges = 0;
    for (; edges < 20; ++edges) pair.edge();
    pair.set(cut_and_full);
    const auto sent = [&](std::uint64_t times) {  // sendings of the oldest flit, the first included
      while (pair.again_oldest + 1 < times && edges < 10'000) ++edges, pair.edge();
    };
    sent(kShape.max_retries);
    if (is_mended) {
      pair.set({.latency = 5, .offered = 0, .given = 0});
      for (int i = 0; i < 200; ++i) pair.edge();
      EXPECT_TRUE(pair.is_drained());
      EXPECT_EQ(pair.again_oldest, kShape.max_retries);
      EXPECT_FALSE(pair.is_dead());
      continue;
    }
    sent(1 + kShape.max_retries);
    EXPECT_FALSE(pair.is_dead());
    sent(2 + kShape.max_retries);
    EXPECT_TRUE(pair.is_dead());
    EXPECT_NEAR(static_cast<double>(edges), (1 + kShape.max_retries) * kShape.timeout, 25);
    pair.set({.latency = 5, .offered = 0, .given = 0});
    for (int i = 0; i < 200; ++i) pair.edge();
    EXPECT_TRUE(pair.is_dead());
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

TEST(LinkRetry, CostsFourEdges) {
  Pair pair({.latency = 5, .ready = 1000, .offered = 0}, 1);
  for (int i = 0; i < 10; ++i) pair.edge();
  pair.set({.latency = 5});
  pair.edge();  // is sampled
  pair.set({.latency = 5, .offered = 0});
  int edges = 1;
  for (; pair.passed == 0 && edges < 100; ++edges) pair.edge();
  // A switch would sample it one edge later; of a link without it would have sampled it at edge
  // `latency`.
  EXPECT_EQ(edges, 5 + static_cast<int>(link_pkg::TX_EDGES + link_pkg::RX_EDGES) - 1);
}

}  // namespace
}  // namespace fredsim
