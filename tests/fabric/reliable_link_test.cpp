// SPDX-License-Identifier: Apache-2.0
// Links with retransmission in a fabric: without errors a flit arrives as on any link, plus a fixed
// number of edges; with errors every flit arrives once, in order, and flits and credits balance.
#include "links/retransmission/reliable_link.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rtl/link_pkg.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fabric/fabric_core.h"
#include "fabric/two_endpoints.h"
#include "links/retransmission/bit_errors.h"
#include "links/retransmission/link_check.h"
#include "links/retransmission/retransmission.h"
#include "links/retransmission/wire_errors.h"

namespace fredsim::test {
namespace {

constexpr int kFlits = 400;

// Sends numbered flits as link and credits allow; records received flits with their edges, and
// returns credits at once.
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
           count.of_policy == other.count.of_policy;
  }
};

Outcome run(Rational rate, int latency, int depth, const std::optional<LinkErrors>& errors) {
  Topology topology = two_endpoints(rate, latency, depth);
  if (errors) retransmit(topology, *errors);
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
      const Outcome reliable = run(rate, latency, kFlits, LinkErrors{});
      ASSERT_EQ(bare.received.size(), reliable.received.size());
      for (std::size_t i = 0; i < bare.received.size(); ++i) {
        EXPECT_EQ(reliable.received[i].first - bare.received[i].first,
                  static_cast<int>(link_pkg::TX_EDGES + link_pkg::RX_EDGES))
            << "flit " << i;
      }
      EXPECT_EQ(reliable.count.again, 0U);
    }
  }
}

TEST(ReliableLink, CreditsComeTwoEdgesLater) {
  // One slot: a flit per round trip.
  const Outcome bare = run({1, 1}, 7, 1, {});
  const Outcome reliable = run({1, 1}, 7, 1, LinkErrors{});
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
    const LinkErrors errors{.bit_error_rate = 1e-3 / static_cast<double>(1 + random.below(100)),
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
    EXPECT_GT(outcome.count.again, 0U);
    EXPECT_GT(outcome.count.of_policy[1], 0U);
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

// The ratio of wrong bits equals the rate, in both directions, for any length of bursts, even if
// words in between were skipped.
TEST(WireErrors, ComeAtTheirRate) {
  struct Case {
    double rate;
    int burst, bursts;
    double tolerance;  // four standard deviations
  };
  for (const auto& [rate, burst, bursts, tolerance] :
       {Case{1e-2, 1, 100'000, 0.014}, Case{1e-4, 1, 10'000, 0.041}, Case{1e-2, 2, 50'000, 0.02},
        Case{1e-3, 64, 4'000, 0.074}, Case{1e-4, 20, 3'000, 0.085}, Case{1e-2, 4096, 2'000, 0.1}}) {
    for (const bool restarts : {false, true}) {
      SCOPED_TRACE(fmt::format("{} in bursts of {}{}", rate, burst, restarts ? ", restarts" : ""));
      WireErrors errors({.bit_error_rate = rate, .burst_bits = burst, .seed = 7}, 3);
      const double bits = bursts * (burst + 1) / 2.0 / rate;
      const auto share_of = [&](std::uint32_t word_bits, const auto& pass) {
        const auto words = static_cast<std::uint64_t>(bits / word_bits);
        std::uint64_t wrong = 0;
        for (std::uint64_t i = 0; i < words; ++i) {
          std::int64_t last = -1;
          pass([&](std::uint32_t at) {
            ASSERT_GT(static_cast<std::int64_t>(at), last);
            ASSERT_LT(at, word_bits);
            last = at;
            ++wrong;
          });
        }
        return static_cast<double>(wrong) / (static_cast<double>(words) * word_bits);
      };
      if (!restarts) {
        const double flits =
            share_of(WireErrors::kWireBits, [&](const auto& wrong) { errors.on_flit(wrong); });
        EXPECT_NEAR(flits / rate, 1, tolerance);
      }
      if (burst > 64) continue;
      const double back = share_of(link_pkg::BACK_W, [&](const auto& wrong) {
        if (restarts) errors.restart_back();
        errors.on_word_back(wrong);
      });
      EXPECT_NEAR(back / rate, 1, tolerance);
    }
  }
}

// The first bit of a burst, followed by the bits of its length, also in the next word; then none
// for long.
TEST(BitErrors, ABurstIsAsLongAsItIs) {
  constexpr int kBurst = 40;
  constexpr std::uint32_t kBits = 30;
  BitErrors errors(1e-6, kBurst, 7);
  std::uint64_t first = 0, last = 0, wrong = 0, bursts = 0, longest = 0, across = 0;
  for (std::uint64_t word = 0; word < 200'000'000 / kBits; ++word) {
    errors.pass(kBits, [&](std::uint32_t at) {
      const std::uint64_t bit = word * kBits + at;
      if (wrong == 0 || bit - first >= kBurst) {
        first = bit;
        ++bursts;
      }
      across += at < 2 && last + at + 1 == bit ? 1 : 0;
      last = bit;
      longest = std::max(longest, bit - first + 1);
      ++wrong;
    });
  }
  EXPECT_EQ(longest, static_cast<std::uint64_t>(kBurst));
  EXPECT_NEAR(static_cast<double>(bursts), 200 / 20.5, 15);
  EXPECT_NEAR(static_cast<double>(wrong) / static_cast<double>(bursts), 20.5, 4);
  EXPECT_GT(across, 0U);
}

// Words back as on a link that gives credits alone, more errors than any machine has: none passes
// its check damaged, which would end the run.
TEST(ReliableLink, NoDamagedWordBackPassesItsCheck) {
  const Topology topology = two_endpoints({1, 1}, 5, 16);
  ReliableLink link(topology.links[0], 0, {.bit_error_rate = 1e-2, .burst_bits = 64}, 4);
  LinkTx tx(topology.links[0], 0, depths_behind(topology, topology.links[0]));
  tx.set_channel(link);
  link.set_active();
  std::uint64_t late = 0;
  for (std::uint64_t edge = 0; edge < 8'000'000; ++edge) {
    if (edge % 8 == 0) link.give_credit(kDp);
    const ReliableLink::Out out = link.step(edge, tx);
    // Visible after the latency, if the word is intact.
    if (edge % 8 == 5 && edge > 8 && out.credits == 0) ++late;
  }
  // A burst of 64 bits begins with one in 3250; it has a wrong bit in a word of 80 where it begins
  // there or, but for one in 2^n, in the 63 bits before, of which n are left for the word.
  EXPECT_NEAR(static_cast<double>(late) / 1e6, 142.0 / 3250, 0.002);
}

// Long division of the errors, bit by bit: the same remainder.
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
