// Links with retransmission in a fabric: without errors a flit comes as on any link, so many edges later; with errors
// every flit comes once, in order, and flits and credits balance.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rtl/link_pkg.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fabric/bit_errors.h"
#include "fabric/fabric_core.h"
#include "fabric/link_check.h"
#include "fabric/two_endpoints.h"

namespace fredsim::test {
namespace {

constexpr int kFlits = 400;

// Sends numbered flits as link and credits allow; keeps what it gets and when, and gives credits back at once.
class Endpoint final : public EndpointCore {
 public:
  void reset() override {
    edge_ = sent = 0;
    received.clear();
  }
  void set_credits(int, int vc, int credits) override {
    if (vc == kDp) credits_ = credits;
  }
  void step(SwitchPins& pins) override {
    pins.out_valid = 0;
    pins.in_credit = {};
    credits_ += static_cast<int>(pins.out_credit[kDp] & 1U);
    if (sends && sent < kFlits && credits_ > 0 && (pins.out_ready & 1U) != 0) {
      pack_header({.tag = static_cast<std::uint32_t>(sent), .vc = kDp, .head = true, .tail = true},
                  pins.out_flit.data());
      pins.out_valid = 1;
      ++sent;
      --credits_;
    }
    if (pins.in_valid != 0) {
      received.emplace_back(edge_, pins.in_flit[0]);
      pins.in_credit[kDp] = 1;
    }
    ++edge_;
  }
  bool idle() const override { return false; }
  bool empty() const override { return true; }
  void describe_waiting(const std::vector<std::string>&, std::vector<std::string>&) const override {
  }

  bool sends = false;
  int sent = 0;
  std::vector<std::pair<int, std::uint32_t>> received;  // edge, tag

 private:
  int edge_ = 0, credits_ = 0;
};

struct Outcome {
  std::vector<std::pair<int, std::uint32_t>> received;
  LinkCount count;
  std::uint64_t edges = 0;
  bool operator==(const Outcome& other) const {
    return received == other.received && edges == other.edges &&
           count.resent == other.count.resent && count.damaged == other.count.damaged &&
           count.lost == other.count.lost;
  }
};

Outcome run(Rational rate, int latency, int depth, const LinkErrors& errors) {
  Topology topology = two_endpoints(rate, latency, depth);
  topology.link_errors = errors;
  FabricCore core(topology, 1);
  Endpoint sender, receiver;
  sender.sends = true;
  core.attach(0, sender);
  core.attach(1, receiver);
  core.reset();
  Outcome outcome;
  for (; outcome.edges < 1'000'000; ++outcome.edges) {
    core.tick();
    const bool is_balanced =
        core.flits_on_links() == 0 && core.credits_on_links() == 0 && core.outstanding(0, kDp) == 0;
    if (sender.sent == kFlits && is_balanced) break;
  }
  EXPECT_EQ(core.flits_on_links(), 0);
  EXPECT_EQ(core.credits_on_links(), 0);
  EXPECT_EQ(core.outstanding(0, kDp), 0);
  outcome.received = receiver.received;
  outcome.count = core.count(0);
  EXPECT_EQ(outcome.received.size(), static_cast<std::size_t>(kFlits));
  for (std::size_t i = 0; i < outcome.received.size(); ++i) {
    EXPECT_EQ(outcome.received[i].second, i) << "in order, each once";
  }
  return outcome;
}

constexpr Rational kRates[] = {{1, 1}, {524, 530}, {125, 128}, {2, 3}, {1, 6}, {3, 40}};

TEST(ReliableLink, WithoutErrorsFlitsComeFourEdgesLater) {
  for (const Rational rate : kRates) {
    for (const int latency : {1, 5, 30}) {
      SCOPED_TRACE(fmt::format("{}/{}, {}", rate.num, rate.den, latency));
      const Outcome bare = run(rate, latency, kFlits, {});
      const Outcome reliable = run(rate, latency, kFlits, {.retry = true});
      ASSERT_EQ(bare.received.size(), reliable.received.size());
      for (std::size_t i = 0; i < bare.received.size(); ++i) {
        EXPECT_EQ(reliable.received[i].first - bare.received[i].first,
                  static_cast<int>(link_pkg::TX_EDGES + link_pkg::RX_EDGES))
            << "flit " << i;
      }
      EXPECT_EQ(reliable.count.resent, 0U);
    }
  }
}

TEST(ReliableLink, CreditsComeTwoEdgesLater) {
  // One slot: a flit per round trip.
  const Outcome bare = run({1, 1}, 7, 1, {});
  const Outcome reliable = run({1, 1}, 7, 1, {.retry = true});
  const auto round_trip = [](const Outcome& outcome) {
    return outcome.received[10].first - outcome.received[9].first;
  };
  EXPECT_EQ(round_trip(reliable) - round_trip(bare),
            static_cast<int>(link_pkg::TX_EDGES + link_pkg::RX_EDGES + link_pkg::CREDIT_EDGES));
}

TEST(ReliableLink, WithErrorsEveryFlitComesOnceInOrder) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const Rational rate = kRates[random.below(std::size(kRates))];
    const LinkErrors errors{.retry = true,
                            .bit_error_rate = 1e-3 / static_cast<double>(1 + random.below(100)),
                            .burst_bits = 1 + static_cast<int>(random.below(40)),
                            .flit_loss = static_cast<double>(random.below(30)) / 100,
                            .seed = seed};
    const int latency = 1 + static_cast<int>(random.below(40));
    const int depth = 1 + static_cast<int>(random.below(100));
    SCOPED_TRACE(fmt::format(
        "seed {}: rate {}/{}, latency {}, depth {}, {} errors a bit in bursts of {}, {} lost", seed,
        rate.num, rate.den, latency, depth, errors.bit_error_rate, errors.burst_bits,
        errors.flit_loss));
    const Outcome outcome = run(rate, latency, depth, errors);
    EXPECT_GT(outcome.count.resent, 0U);
    EXPECT_GT(outcome.count.damaged, 0U);
    EXPECT_EQ(outcome.count.flits, static_cast<std::uint64_t>(kFlits));
    EXPECT_EQ(outcome, run(rate, latency, depth, errors)) << "the same seed";
    LinkErrors others = errors;
    others.seed += 1000;
    EXPECT_FALSE(outcome == run(rate, latency, depth, others)) << "another seed";
  }
}

TEST(ReliableLink, KeepsARoundTripOfFlits) {
  Topology topology = two_endpoints({1, 1}, 30, kFlits);
  // 2 x 30 and the ends' 6 edges, and 4 that may come late.
  EXPECT_EQ(ReliableLink::shape_of(topology.links[0]).depth, 128U);
  topology.links[0].rate = {1, 3};
  EXPECT_EQ(ReliableLink::shape_of(topology.links[0]).depth, 32U);
}

TEST(BitErrors, ComeAtTheirRate) {
  for (const double rate : {1e-2, 1e-4}) {
    BitErrors errors(rate, 1, 7);
    constexpr std::uint32_t kBits = 1000;
    std::uint64_t wrong = 0;
    const auto words = static_cast<std::uint64_t>(1e4 / rate / kBits);
    for (std::uint64_t i = 0; i < words; ++i) {
      std::int64_t last = -1;
      errors.pass(kBits, [&](std::uint32_t at) {
        EXPECT_GT(static_cast<std::int64_t>(at), last);
        EXPECT_LT(at, kBits);
        last = at;
        ++wrong;
      });
    }
    EXPECT_NEAR(static_cast<double>(wrong), 1e4, 500);  // five standard deviations
  }
}

TEST(BitErrors, ABurstStaysWithinItsLengthAndWord) {
  BitErrors errors(1e-4, 8, 7);
  std::uint64_t wrong = 0, words = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::uint32_t first = 0, number = 0;
    errors.pass(100, [&](std::uint32_t at) {
      if (number++ == 0) first = at;
      EXPECT_LT(at, 100U);
    });
    wrong += number;
    words += number != 0 ? 1 : 0;
  }
  // About 1000 words, in each the first bit and half of up to seven more.
  EXPECT_GT(static_cast<double>(wrong), 3.5 * static_cast<double>(words));
  EXPECT_LT(static_cast<double>(wrong), 5.0 * static_cast<double>(words));
}

// Long division, bit by bit, of what the errors change: the same remainder.
TEST(LinkCheck, IsTheRemainderOfTheErrors) {
  constexpr std::uint32_t kData = 50;
  const LinkCheck check(kData, link_pkg::CHECK_W, link_pkg::CHECK_POLYNOMIAL);
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    std::vector<bool> power(kData + link_pkg::CHECK_W);  // coefficient of x^i
    std::uint32_t remainder = 0;
    for (std::uint64_t errors = 1 + random.below(5); errors > 0; --errors) {
      const auto at = static_cast<std::uint32_t>(random.below(check.bits()));
      const std::uint32_t exponent = at < kData ? link_pkg::CHECK_W + at : at - kData;
      power[exponent] = !power[exponent];
      remainder ^= check.remainder(at);
    }
    for (std::size_t high = power.size(); high-- > link_pkg::CHECK_W;) {
      if (!power[high]) continue;
      power[high] = false;
      for (std::uint32_t bit = 0; bit < link_pkg::CHECK_W; ++bit) {
        if ((link_pkg::CHECK_POLYNOMIAL >> bit & 1U) != 0)
          power[high - link_pkg::CHECK_W + bit] = !power[high - link_pkg::CHECK_W + bit];
      }
    }
    for (std::uint32_t bit = 0; bit < link_pkg::CHECK_W; ++bit) {
      ASSERT_EQ(power[bit], (remainder >> bit & 1U) != 0);
    }
  }
}

}  // namespace
}  // namespace fredsim::test
