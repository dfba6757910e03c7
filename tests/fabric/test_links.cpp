// Links of the fabric: latency, exact pacing, and the credit loop, between two scripted endpoints.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "base/error.h"
#include "fabric/fabric_core.h"
#include "simulation.h"

namespace fredsim::test {
namespace {

// Sends a one-flit packet whenever the link and a credit allow; takes flits in and gives their
// credits back `hold` edges later.
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
    if (sends_ && sending && (pins.out_ready & 1U) != 0 && credits_[kDp] > 0) {
      --credits_[kDp];
      pack_header({.tag = sent, .vc = kDp, .head = true, .tail = true}, pins.out_flit.data());
      pins.out_valid = 1;
      ++sent;
    }
    if (pins.in_valid != 0) {
      EXPECT_EQ(pins.in_flit[0], received) << "flits out of order or lost";
      if (first_arrival < 0) first_arrival = edge_;
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
  int first_arrival = -1;
  int first_credit = -1;

 private:
  bool sends_;
  int hold_;
  int edge_ = -1;
  std::array<int, kNumVcs> credits_{};
  std::deque<int> due_;
};

Topology two_endpoints(Rational rate, int latency, int receive_flits) {
  Topology t;
  t.name = "pair";
  t.clock_hz = 1'500'000'000;
  t.buffers.receive_flits = receive_flits;
  for (int i = 0; i < 2; ++i) {
    Node node{};
    node.kind = NodeKind::kNpu;
    node.name = fmt::format("npu{}", i);
    node.ports = 1;
    node.address = static_cast<std::uint16_t>(i);
    t.nodes.push_back(node);
    t.npus.push_back(i);
  }
  for (int i = 0; i < 2; ++i) {
    Link link{};
    link.name = fmt::format("npu{}.0->npu{}.0", i, 1 - i);
    link.from = i;
    link.to = 1 - i;
    link.rate = rate;
    link.latency = latency;
    t.links.push_back(link);
  }
  t.index_ports();
  return t;
}

class Pair {
 public:
  Pair(Rational rate, int latency, int depth, int hold, int limit = 0)
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
    Pair pair({1, 1}, latency, 1000, 0);
    pair.core.set_always_step(true);
    pair.run(2 * latency + 1);
    EXPECT_EQ(pair.receiver.first_arrival, latency);
    EXPECT_EQ(pair.sender.first_credit, 2 * latency);
  }
}

TEST(Links, PacingIsExactInTheLongRun) {
  for (const Rational rate : {Rational{1, 1}, Rational{25, 32}, Rational{125, 128}, Rational{1, 6},
                              Rational{7, 13}, Rational{1, 3000}}) {
    Pair pair(rate, 3, 1'000'000, 0);
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
  Pair pair({25, 32}, 3, 1'000'000, 0);
  pair.sender.sending = false;
  pair.run(1000);
  pair.sender.sending = true;
  pair.run(32 * 10);
  EXPECT_GE(pair.core.count(0).flits, 250U);
  EXPECT_LE(pair.core.count(0).flits, 251U);
}

// 24 KiB = 48 flits cover a 20 ns (30 cycles) link at 600 GB/s (25/32 flit per
// cycle). A switch gives a credit back one edge after the flit at the earliest: a loop of 61
// cycles, 47.66 flits.
TEST(Links, FortyEightCreditsCarryThePapersLinkAtFullRate) {
  Pair full({25, 32}, 30, 96, 1, 48);
  full.run(64 * 500);
  EXPECT_GE(full.core.count(0).flits, 25U * 1000);
  Pair less({25, 32}, 30, 96, 1, 47);
  less.run(64 * 500);
  EXPECT_LT(less.core.count(0).flits, 25U * 1000 - 100);
}

TEST(Links, ALaunchWithoutCreditIsAnError) {
  Pair pair({1, 1}, 4, 3, 100, 1000);  // the sender believes in more credits than there are
  const std::string message = message_of<RunFailed>([&] { pair.run(20); });
  EXPECT_NE(message.find("npu0 port 0 launched a flit without a credit"), std::string::npos)
      << message;
}

TEST(Links, EverythingIsBackWhenTheSenderStops) {
  Pair pair({25, 32}, 30, 48, 5);
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
