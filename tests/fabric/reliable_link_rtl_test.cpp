// SPDX-License-Identifier: Apache-2.0
// ReliableLink beside the RTL of both of its ends at every edge: flits of all lanes over wires on
// which the bits are wrong that the machine's errors and a LinkFaults say, in both directions. The
// RTL computes and checks real checks; the model has none.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rtl/link_pkg.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "Vcommon_retry_rx_full/Vcommon_retry_rx_full.h"
#include "Vcommon_retry_tx_full/Vcommon_retry_tx_full.h"
#include "base/error.h"
#include "base/random.h"
#include "fabric/two_endpoints.h"
#include "links/retransmission/link_check.h"
#include "links/retransmission/reliable_link.h"
#include "links/retransmission/wire_errors.h"
#include "rtl/bench.h"
#include "support/simulation.h"

namespace fredsim::test {
namespace {

constexpr int kWords = flit_words(kFlitLanes);
constexpr int kLatency = 10;
constexpr int kMaxRetries = 25;  // tests/rtl/common/CMakeLists.txt, as depth and time-out below
constexpr int kRoom = 20;        // flits, credits of each virtual channel

// The check's polynomial from a bit on: errors that it cannot find.
std::vector<std::uint32_t> escape(std::uint32_t at) {
  std::vector<std::uint32_t> wrong{at + link_pkg::CHECK_W};
  for (std::uint32_t i = 0; i < link_pkg::CHECK_W; ++i)
    if ((link_pkg::CHECK_POLYNOMIAL >> i & 1U) != 0) wrong.push_back(at + i);
  return wrong;
}

// Changes flits and words of the return channel at random; some so that the check does not detect
// it.
class RandomFaults final : public LinkFaults {
 public:
  explicit RandomFaults(std::uint64_t seed) : random_(seed) {}
  bool pass(int link, std::uint64_t, std::span<std::uint32_t> flit) override {
    EXPECT_EQ(link, 0);
    flit_wrong.clear();
    is_lost = random_.below(100) == 0;
    const std::uint64_t what = random_.below(40);
    if (what == 0)
      flit_wrong = escape(kEscapeFrom + static_cast<std::uint32_t>(random_.below(2000)));
    if (what == 1) flit_wrong = {static_cast<std::uint32_t>(random_.below(kWords * 32))};
    escapes += what == 0 && !is_lost ? 1 : 0;
    for (const std::uint32_t at : flit_wrong) flit[at / 32] ^= 1U << at % 32;
    return !is_lost;
  }
  std::span<const std::uint32_t> wrong_back(int, std::uint64_t) override {
    back_wrong.clear();
    if (random_.below(20) == 0)
      back_wrong = {static_cast<std::uint32_t>(random_.below(link_pkg::BACK_W))};
    return back_wrong;
  }

  static constexpr std::uint32_t kEscapeFrom = 96;  // behind the header
  std::vector<std::uint32_t> flit_wrong, back_wrong;
  bool is_lost = false;
  int escapes = 0;

 private:
  Random random_;
};

class Beside {
 public:
  Beside(const LinkErrors& errors, std::uint64_t seed, LinkFaults* faults)
      : topology_(two_endpoints({1, 1}, kLatency, kRoom)),
        link_(topology_.links[0], 0, errors, kWords),
        tx_of_link_(topology_.links[0], 0, depths_behind(topology_, topology_.links[0])),
        errors_(errors, 0),
        random_(seed),
        faults_(dynamic_cast<RandomFaults*>(faults)),
        in_flight_(kLatency),
        back_(kLatency) {
    const LinkRetryTx::Shape shape = ReliableLink::shape_of(topology_.links[0]);
    EXPECT_EQ(shape.depth, 32U);
    EXPECT_EQ(shape.margin, 4U);
    EXPECT_EQ(shape.timeout, 52U);
    tx_of_link_.set_channel(link_);
    tx_of_link_.set_faults(faults);
    tx_->valid_i = 0;
    tx_->wire_ready_i = 1;
    rx_->wire_valid_i = rx_->credit_i = 0;
    tx_.reset();
    rx_.reset();
    link_.set_active();
    errors_.restart_back();
  }

  void edge(bool offers) {
    // Flits as the sender's end has room, credits for received flits.
    std::array<std::uint32_t, kWords> flit{};
    const bool sends = offers && inside_ < kRoom && ready_ && random_.below(3) != 0;
    if (sends) {
      for (std::uint32_t& word : flit) word = static_cast<std::uint32_t>(random_.next());
      ++inside_;
      ++sent;
      link_.push(flit.data());
    }
    tx_->valid_i = sends;
    std::copy(flit.begin(), flit.end(), tx_->flit_i.m_storage);
    std::uint32_t credits = 0;
    for (std::uint32_t vc = 0; vc < kNumVcs; ++vc) {
      if (credits_inside_[vc] == kRoom || random_.below(4) != 0 || !offers) continue;
      ++credits_inside_[vc];
      credits |= 1U << vc;
      link_.give_credit(vc);
    }
    rx_->credit_i = static_cast<CData>(credits);

    const std::optional<ReliableLink::Out> out = step_model();
    step_rtl();
    ASSERT_EQ(tx_->dead_o != 0, !out.has_value());
    is_dead = !out.has_value();
    if (is_dead) return;
    ASSERT_EQ(rx_->valid_o != 0, out->flit != nullptr);
    if (out->flit != nullptr) {
      ++passed;
      --inside_;
      for (int i = 0; i < kWords; ++i) ASSERT_EQ(rx_->flit_o[i], out->flit[i]) << "word " << i;
    }
    ASSERT_EQ(tx_->wire_valid_o != 0, out->is_sending);
    ASSERT_EQ(tx_->credit_o, out->credits);
    for (std::uint32_t vc = 0; vc < kNumVcs; ++vc) credits_inside_[vc] -= tx_->credit_o >> vc & 1;
    damaged += rx_->damaged_o;
    again += tx_->wire_valid_o && tx_->wire_again_o ? 1 : 0;
    launch();
  }

  std::uint64_t sent = 0, passed = 0, damaged = 0, again = 0;
  bool is_dead = false;
  std::string failure;
  const ReliableLink& link() const { return link_; }

 private:
  using Wire = std::array<std::uint32_t, (WireErrors::kWireBits + 31) / 32>;
  using Back = std::array<std::uint32_t, (link_pkg::BACK_W + 31) / 32>;

  // Nothing: it failed.
  std::optional<ReliableLink::Out> step_model() {
    try {
      const ReliableLink::Out out = link_.step(edge_, tx_of_link_);
      ready_ = tx_of_link_.is_ready(edge_ + 1);
      if (faults_ != nullptr) back_wrong_ = faults_->back_wrong;
      return out;
    } catch (const RunFailed& failed) {
      failure = failed.what();
      return {};
    }
  }
  void step_rtl() {
    Back received = back_.front();
    back_.pop_front();
    const auto flip = [&](std::uint32_t at) { received[at / 32] ^= 1U << at % 32; };
    std::ranges::for_each(back_wrong_, flip);
    errors_.on_word_back(flip);
    std::copy(received.begin(), received.end(), tx_->back_i.m_storage);
    const std::optional<Wire> arrival = in_flight_.front();
    in_flight_.pop_front();
    rx_->wire_valid_i = arrival.has_value();
    if (arrival) std::copy(arrival->begin(), arrival->end(), rx_->wire_i.m_storage);
    tx_.edge();
    rx_.edge();
    ++edge_;
  }
  void launch() {
    std::optional<Wire> wire;
    if (tx_->wire_valid_o && !errors_.loses_flit() && (faults_ == nullptr || !faults_->is_lost)) {
      wire.emplace();
      std::copy_n(tx_->wire_o.m_storage, wire->size(), wire->begin());
      const auto flip = [&](std::uint32_t at) { (*wire)[at / 32] ^= 1U << at % 32; };
      if (faults_ != nullptr) std::ranges::for_each(faults_->flit_wrong, flip);
      errors_.on_flit(flip);
    }
    in_flight_.push_back(wire);
    Back& back = back_.emplace_back();
    std::copy_n(rx_->back_o.m_storage, back.size(), back.begin());
  }

  const Topology topology_;
  ReliableLink link_;
  LinkTx tx_of_link_;
  WireErrors errors_;
  Random random_;
  RandomFaults* faults_;
  Bench<Vcommon_retry_tx_full> tx_;
  Bench<Vcommon_retry_rx_full> rx_;
  std::deque<std::optional<Wire>> in_flight_;
  std::deque<Back> back_;
  std::vector<std::uint32_t> back_wrong_;
  std::uint64_t edge_ = 0;
  int inside_ = 0;
  std::array<int, kNumVcs> credits_inside_{};
  bool ready_ = false;
};

LinkErrors errors_of(std::uint64_t seed, double rate, int burst) {
  return {.bit_error_rate = rate,
          .burst_bits = burst,
          .flit_loss = 0.01,
          .seed = seed,
          .max_retransmissions = kMaxRetries};
}

TEST(ReliableLinkRtl, IsTheRtlOverWiresWithErrors) {
  std::uint64_t seed = 1;
  for (const double rate : {0.0, 1e-4, 1e-3}) {
    for (const int burst : {1, 7, 64}) {
      SCOPED_TRACE(fmt::format("{} wrong bits a bit, in bursts of {}", rate, burst));
      ++seed;
      Beside both(errors_of(seed, rate, burst), seed, nullptr);
      for (int i = 0; i < 2500 && !both.is_dead && !testing::Test::HasFatalFailure(); ++i)
        both.edge(true);
      ASSERT_FALSE(testing::Test::HasFatalFailure());
      // A flit of 4240 bits comes through with probability 0.014 at 1e-3 without bursts.
      EXPECT_EQ(both.is_dead, rate == 1e-3 && burst == 1);
      if (both.is_dead) continue;
      EXPECT_GT(both.again, 0U);
      EXPECT_EQ(both.damaged > 0, rate > 0);
      for (int i = 0; i < 3000 && !testing::Test::HasFatalFailure(); ++i) both.edge(false);
      EXPECT_EQ(both.passed, both.sent);
      EXPECT_EQ(both.link().flits_inside(kMp) + both.link().flits_inside(kPp) +
                    both.link().flits_inside(kDp) + both.link().flits_inside(kControl),
                0);
      for (int vc = 0; vc < kNumVcs; ++vc) EXPECT_EQ(both.link().credits_inside(vc), 0);
      EXPECT_EQ(both.link().counts().resent, both.again);
      EXPECT_EQ(both.link().counts().damaged, both.damaged);
    }
  }
}

// An error that the check cannot find goes on, in the RTL as in the model, changed as it was on the
// wire.
TEST(ReliableLinkRtl, WhatPassesItsCheckGoesOn) {
  RandomFaults faults(3);
  Beside both(errors_of(1, 1e-5, 20), 1, &faults);
  for (int i = 0; i < 2500 && !testing::Test::HasFatalFailure(); ++i) both.edge(true);
  for (int i = 0; i < 1000 && !testing::Test::HasFatalFailure(); ++i) both.edge(false);
  EXPECT_EQ(both.passed, both.sent);
  EXPECT_GT(faults.escapes, 20);
  EXPECT_GT(both.damaged, 20U);
}

TEST(ReliableLinkRtl, BothAreDeadAtTheSameEdge) {
  LinkErrors errors = errors_of(1, 0, 1);
  errors.flit_loss = 0.97;
  Beside both(errors, 1, nullptr);
  for (int i = 0; i < 20'000 && !both.is_dead && !testing::Test::HasFatalFailure(); ++i)
    both.edge(true);
  EXPECT_TRUE(both.is_dead);
  EXPECT_EQ(both.failure.substr(both.failure.find(": ")),
            ": npu0.0->npu1.0: the link is dead: a flit was retransmitted 25 times and never "
            "acknowledged (link.max_retransmissions)");
}

}  // namespace
}  // namespace fredsim::test
