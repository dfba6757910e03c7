// SPDX-License-Identifier: Apache-2.0
// Links of the fabric: latency, exact pacing, and the credit loop, between two scripted endpoints.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "base/error.h"
#include "base/random.h"
#include "fabric/fabric_core.h"
#include "fabric/two_endpoints.h"
#include "support/simulation.h"

namespace fredsim::test {
namespace {

// Sends a one-flit packet whenever the link and a credit allow, or some of them by chance; takes
// flits in and gives their credits back `hold` edges later.
class ScriptedEndpoint final : public EndpointCore {
 public:
  explicit ScriptedEndpoint(bool sends, int hold) : sends_(sends), hold_(hold) {}

  void reset() override {}
  void set_credits(int, int vc, int flits) override { credits_[vc] = limit > 0 ? limit : flits; }
  void step(SwitchPins& pins) override {
    ++edge_;
    for (int vc = 0; vc < kNumVcs; ++vc) credits_[vc] += static_cast<int>(pins.out_credit[vc] & 1U);
    if (pins.out_credit[kDp] != 0 && first_credit < 0) first_credit = edge_;
    pins.out_valid = 0;
    pins.in_credit = {};
    if (sends_ && sending && (pins.out_ready & 1U) != 0 && credits_[kDp] > 0 &&
        random.below(one_in) == 0) {
      --credits_[kDp];
      pack_header({.tag = sent, .vc = kDp, .head = true, .tail = true}, pins.out_flit.data());
      pins.out_valid = 1;
      launches.push_back(edge_);
      ++sent;
    }
    if (pins.in_valid != 0) {
      EXPECT_EQ(pins.in_flit[0], received) << "flits out of order or lost";
      arrivals.push_back(edge_);
      ++received;
      due_.push_back(edge_ + hold_);
    }
    if (!due_.empty() && due_.front() == edge_) {
      due_.pop_front();
      pins.in_credit[kDp] = 1;
    }
  }
  bool idle() const override { return !sends_ && due_.empty(); }
  bool empty() const override { return due_.empty(); }
  void describe_waiting(const std::vector<std::string>&, std::vector<std::string>&) const override {
  }

  bool sending = true;
  int limit = 0;  // credits at the start; 0: the depth of the receiver
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
  std::vector<int> launches, arrivals;  // edges
  Random random{1};
  std::uint64_t one_in = 1;  // inverse probability of a launch at an edge that permits it
  int first_credit = -1;

 private:
  bool sends_;
  int hold_;
  int edge_ = -1;
  std::array<int, kNumVcs> credits_{};
  std::deque<int> due_;
};

class LinkPair {
 public:
  LinkPair(Rational rate, int latency, int depth, int hold, int limit = 0)
      : topology(two_endpoints(rate, latency, depth)),
        core(topology, 1),
        sender(true, 0),
        receiver(false, hold) {
    sender.limit = limit;
    core.attach(0, sender);
    core.attach(1, receiver);
    core.reset();
  }
  void run(int edges) {
    for (int i = 0; i < edges; ++i) core.tick();
  }

  Topology topology;
  FabricCore core;
  ScriptedEndpoint sender;
  ScriptedEndpoint receiver;
};

TEST(Links, LatencyIsRegisterToRegister) {
  for (const int latency : {1, 2, 7, 8, 30, 31, 32}) {
    LinkPair pair({1, 1}, latency, 1000, 0);
    pair.core.set_always_step(true);
    pair.run(2 * latency + 1);
    EXPECT_EQ(pair.receiver.arrivals.front(), latency);
    EXPECT_EQ(pair.sender.first_credit, 2 * latency);
  }
}

TEST(Links, PacingIsExactInTheLongRun) {
  for (const Rational rate : {Rational{1, 1}, Rational{25, 32}, Rational{125, 128}, Rational{1, 6},
                              Rational{7, 13}, Rational{1, 3000}}) {
    LinkPair pair(rate, 3, 1'000'000, 0);
    // The full accumulator lets the first flit go at once; after that the count never deviates.
    for (int period = 1; period <= 50; ++period) {
      pair.run(static_cast<int>(rate.den));
      const std::uint64_t due = rate.num * static_cast<std::uint64_t>(period);
      EXPECT_GE(pair.core.count(0).flits, due) << rate.num << "/" << rate.den;
      EXPECT_LE(pair.core.count(0).flits, due + 1) << rate.num << "/" << rate.den;
    }
  }
}

TEST(Links, AnIdleLinkSavesUpLessThanOneFlit) {
  LinkPair pair({25, 32}, 3, 1'000'000, 0);
  pair.sender.sending = false;
  pair.run(1000);
  pair.sender.sending = true;
  pair.run(32 * 10);
  EXPECT_GE(pair.core.count(0).flits, 250U);
  EXPECT_LE(pair.core.count(0).flits, 251U);
}

// A flit is there when its last bit is. The reference counts time in 1/num of a cycle, in which a
// flit takes `den`.
TEST(Links, AFlitArrivesAtTheFirstEdgeThatFindsAllOfIt) {
  for (const Rational rate :
       {Rational{1, 1}, Rational{125, 128}, Rational{25, 32}, Rational{7, 13}, Rational{1, 6},
        Rational{2, 31}, Rational{1, 15}, Rational{1, 16}, Rational{2, 33}, Rational{1, 17},
        Rational{25, 3841}, Rational{749'999'999'999, 768'000'000'000}}) {
    for (const int latency : {1, 15, 30}) {
      for (const std::uint64_t one_in : {1, 3, 40}) {
        SCOPED_TRACE(fmt::format("rate {}/{}, latency {}, one in {} edges, seed {}", rate.num,
                                 rate.den, latency, one_in, latency));
        LinkPair pair(rate, latency, 1'000'000, 0);
        pair.sender.random = Random(static_cast<std::uint64_t>(latency));
        pair.sender.one_in = one_in;
        pair.core.set_always_step(true);  // endpoints count their own edges
        pair.run(static_cast<int>(40 * (rate.den / rate.num + 1) * one_in));
        pair.sender.sending = false;
        pair.run(static_cast<int>(2 * rate.den / rate.num) + 2 * latency + 4);
        EXPECT_TRUE(pair.core.empty());
        ASSERT_GE(pair.sender.launches.size(), 10U);
        ASSERT_EQ(pair.receiver.arrivals.size(), pair.sender.launches.size());
        std::uint64_t free = 0;
        for (std::size_t i = 0; i < pair.sender.launches.size(); ++i) {
          const auto launch = static_cast<std::uint64_t>(pair.sender.launches[i]);
          EXPECT_LT(free, (launch + 1) * rate.num) << "the serialiser is not free";
          free = std::max(launch * rate.num, free) + rate.den;
          const std::uint64_t edge = (free + rate.num - 1) / rate.num;
          ASSERT_EQ(static_cast<std::uint64_t>(pair.receiver.arrivals[i]),
                    edge - 1 + static_cast<std::uint64_t>(latency))
              << "flit " << i << ", launched at edge " << launch;
        }
      }
    }
  }
}

TEST(Links, WhatIsSentGrowsWithTheTimeAndNotWithTheLaunches) {
  LinkPair pair({1, 100}, 3, 1000, 0);
  pair.run(1);
  EXPECT_EQ(pair.core.count(0).flits, 1U);
  EXPECT_NEAR(pair.core.count(0).sent, 0.01, 1e-12);
  pair.run(49);
  EXPECT_NEAR(pair.core.count(0).sent, 0.5, 1e-12);
  pair.run(200);
  EXPECT_EQ(pair.core.count(0).flits, 3U);
  EXPECT_NEAR(pair.core.count(0).sent, 2.5, 1e-12);
  pair.sender.sending = false;
  pair.run(1000);
  EXPECT_EQ(pair.core.count(0).sent, 3);
}

// 24 KiB are 20 ns there and back at 600 GB/s: 60 cycles at 25/32 flit per cycle, 46.9 flits. With
// the cycle in which the receiver here takes the flit and the ceil(32/25) - 1 of its serialisation
// a credit comes back after 62, for which it takes 48.4 credits: 48 give 48/62 flits per cycle, 49
// all that the link carries. (Between two FRED switches it is 64 cycles and 50 credits.)
TEST(Links, FortyEightCreditsCarryThePapersLinkButForOnePercent) {
  LinkPair paper({25, 32}, 30, 96, 1, 48);
  paper.run(62 * 500);
  EXPECT_NEAR(static_cast<double>(paper.core.count(0).flits), 48.0 * 500, 48);
  LinkPair full({25, 32}, 30, 96, 1, 49);
  full.run(64 * 500);
  EXPECT_GE(full.core.count(0).flits, 25U * 1000);
}

TEST(Links, ALaunchWithoutCreditIsAnError) {
  LinkPair pair({1, 1}, 4, 3, 100, 1000);  // the sender believes in more credits than there are
  const std::string message = message_of<RunFailed>([&] { pair.run(20); });
  EXPECT_NE(message.find("npu0 port 0 launched a flit without a credit"), std::string::npos)
      << message;
}

TEST(Links, EverythingIsBackWhenTheSenderStops) {
  LinkPair pair({25, 32}, 30, 48, 5);
  pair.run(500);
  EXPECT_FALSE(pair.core.empty());
  EXPECT_GT(pair.core.outstanding(0, kDp), 0);
  pair.sender.sending = false;
  pair.run(100);
  EXPECT_TRUE(pair.core.empty());
  EXPECT_EQ(pair.core.outstanding(0, kDp), 0);
  EXPECT_EQ(pair.sender.sent, pair.receiver.received);
}

}  // namespace
}  // namespace fredsim::test
