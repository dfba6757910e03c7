// SPDX-License-Identifier: Apache-2.0
// fred_switch_top: its traffic, at clocks of any periods and phases, against the traffic of a
// fred_switch alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "switch_top_bench.h"

namespace fredsim::switch_top {
namespace {

void run_traffic(Clocks clocks, std::uint64_t seed, Link link) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  const Queues queues = random_traffic(random, 150);
  Top top(std::move(clocks), seed, link);
  top.write_settings();
  top.send(queues);
  top.drain();
  expect_same(top.delivered(), through_the_switch_alone(queues));
  top.expect_quiet();
  for (int p = 0; p < kPorts; ++p)
    EXPECT_EQ(top.read(reg::kFlitsIn + 2 * p).data, flits_in(queues, p));
}

TEST(FredSwitchTop, GivesWhatTheSwitchGivesAtEqualClocks) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    run_traffic(equal_clocks(seed * 130, seed * 370), seed, {});
  }
}

TEST(FredSwitchTop, GivesWhatTheSwitchGivesAtUnequalClocks) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed + 100);
    Link link;
    if (seed % 2 == 0) {
      link = {.gap_percent = random.below(60),
              .pause_percent = random.below(60),
              .return_delay = random.below(60)};
    }
    run_traffic(random_clocks(random), seed, link);
  }
}

TEST(FredSwitchTop, StartsAnewAfterAResetInTheMiddleOfTraffic) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Top top(random_clocks(random), seed, {.pause_percent = 30, .return_delay = 20});
    for (int resets = 0; resets < 4; ++resets) {
      top.write_settings();
      top.send(random_traffic(random, 150));
      top.run((20 + random.below(40)) * kPeriod);
      EXPECT_FALSE(top.model().idle_o);
      top.reset(resets % 2 == 0 ? 1 : random.below(4 * kPeriod));  // shorter than a period, too
      EXPECT_TRUE(top.model().idle_o);
    }
    const Queues queues = random_traffic(random, 100);
    top.write_settings();
    top.send(queues);
    top.drain();
    expect_same(top.delivered(), through_the_switch_alone(queues));
    top.expect_quiet();
  }
}

// All registers, and the addresses between them.
TEST(FredSwitchTop, RegistersOnTheBusAreThoseOfThePort) {
  const auto core = make_switch(SwitchModel::kRtl, shape(), "alone");
  core->reset();
  SwitchPins pins(kPorts, 1);
  const auto port = [&](bool write, int address, std::uint32_t data = 0) {
    pins.reg = {true, write, static_cast<std::uint16_t>(address), data};
    core->step(pins);
    return pins.reg_rdata;
  };
  Top top(equal_clocks(), 1);
  Random random(1);
  const int words = num_phases(shape().fred) * phase_row_words(shape().fred);
  std::vector<int> addresses(0x340);
  std::iota(addresses.begin(), addresses.end(), 0);
  for (int a = 0; a < 12; ++a) addresses.push_back(reg::kRoute - 6 + a);
  for (int a = 0; a < 12; ++a) addresses.push_back(reg::kRoute + 1024 - 6 + a);
  for (int a = -6; a < words + 6; ++a) addresses.push_back(reg::kPhaseStore + a);
  addresses.push_back(0xFFFF);
  std::vector<int> known, writable;
  for (const int address : addresses) {
    const auto value = static_cast<std::uint32_t>(random.below(kPorts + 1));
    port(true, address, value);
    if (!top.transfer(true, static_cast<std::uint32_t>(address) * 4, value).error)
      writable.push_back(address);
  }
  for (const int address : addresses) {
    const std::uint32_t expected = port(false, address);
    const Top::Answer answer = top.read(address);
    ASSERT_EQ(answer.data, expected) << address;
    if (answer.error) {
      ASSERT_EQ(expected, 0U) << address;
    } else {
      known.push_back(address);
    }
  }
  EXPECT_EQ(writable.size(), 4U * kPorts + 6 + 6 + static_cast<unsigned>(words));
  EXPECT_EQ(known.size(), writable.size() + 3 + 4 * kPorts + 14);
  EXPECT_TRUE(top.transfer(false, 1).error);
  EXPECT_TRUE(top.transfer(true, reg::kRoute * 4 + 2, 1).error);
}

// ---------------------------------------------------------------- rate, latency, credit loops

Queues stream(int flits) {
  Random random(1);
  Queues queues;
  for (int i = 0; i < flits / kPacketFlits; ++i) {
    add_packet(queues, random, static_cast<std::uint32_t>(i), 2, kDp, 1, 0, kPacketFlits);
  }
  return queues;
}

TEST(FredSwitchTop, TakesAFlitEveryCycleAtEqualClocksInAnyPhase) {
  for (std::uint64_t rx = 0; rx < kPeriod; rx += 200) {
    for (std::uint64_t tx = 0; tx < kPeriod; tx += 200) {
      SCOPED_TRACE(fmt::format("phases {} {}", rx, tx));
      Top top(equal_clocks(rx, tx), 1);
      top.write_settings();
      top.send(stream(400));
      top.drain();
      const std::vector<std::uint64_t>& times = top.arrivals(3);
      ASSERT_EQ(times.size(), 400U);
      EXPECT_EQ(times.back() - times.front(), 399 * kPeriod);
    }
  }
}

// Times of a flit and a credit: the first flit from the edge that samples it to the one after which
// it leaves, and to the one after which its credit leaves; from flit to flit with one credit at the
// sender, with one at the receiver.
struct Times {
  std::uint64_t latency = 0, credit = 0, sender_loop = 0, receiver_loop = 0;
};

Times times_of_top(std::uint64_t rx, std::uint64_t tx) {
  Times times;
  for (const bool one_at_sender : {true, false}) {
    Top top(equal_clocks(rx, tx), 1);
    top.write_settings();
    if (one_at_sender) {
      top.set_credits(kDp, 1);
    } else {
      top.write(reg::kCredit + 4 * 3 + kDp, 1);
    }
    top.send(stream(80));
    top.drain();
    const std::vector<std::uint64_t>& out = top.arrivals(3);
    EXPECT_EQ(out.size(), 80U);
    const std::uint64_t loop = out.back() - out[out.size() - 2];
    (one_at_sender ? times.sender_loop : times.receiver_loop) = loop;
    times.latency = out.front() - top.first_sent;
    times.credit = top.returned.front() - top.first_sent;
  }
  return times;
}

Times times_of_the_switch_alone() {
  Times times;
  for (const bool one_at_sender : {true, false}) {
    const auto core = make_switch(SwitchModel::kRtl, shape(), "alone");
    core->reset();
    SwitchPins pins(kPorts, 1);
    auto writes = settings();
    if (!one_at_sender) writes.emplace_back(reg::kCredit + 4 * 3 + kDp, 1);
    for (const auto& [address, value] : writes) {
      pins.reg = {true, true, static_cast<std::uint16_t>(address), value};
      core->step(pins);
    }
    pins.reg = {};
    pins.out_ready = (1U << kPorts) - 1;
    auto queue = stream(80)[0][kDp];
    std::vector<std::uint64_t> out;
    std::uint64_t first_credit = 0;
    int credits = one_at_sender ? 1 : 48;
    for (std::uint64_t edge = 0; edge < 3000; ++edge) {
      pins.in_valid = credits > 0 && !queue.empty() ? 1 : 0;
      if (pins.in_valid != 0) {
        std::copy_n(queue.front().begin(), kWords, pins.in_flit.begin());
        queue.pop_front();
        --credits;
      }
      core->step(pins);
      pins.out_credit = {};
      if ((pins.in_credit[kDp] & 1U) != 0) {
        ++credits;
        if (first_credit == 0) first_credit = edge;
      }
      if ((pins.out_valid >> 3 & 1U) != 0) {
        out.push_back(edge);
        pins.out_credit[kDp] = 1U << 3;
      }
    }
    EXPECT_EQ(out.size(), 80U);
    const std::uint64_t loop = out.back() - out[out.size() - 2];
    (one_at_sender ? times.sender_loop : times.receiver_loop) = loop * kPeriod;
    times.latency = out.front() * kPeriod;
    times.credit = first_credit * kPeriod;
  }
  return times;
}

TEST(FredSwitchTop, AddsToLatencyAndCreditLoopsWhatItsContractSays) {
  const Times alone = times_of_the_switch_alone();
  for (std::uint64_t rx = 0; rx < kPeriod; rx += 250) {
    for (std::uint64_t tx = 0; tx < kPeriod; tx += 250) {
      SCOPED_TRACE(fmt::format("phases {} {}", rx, tx));
      const Times top = times_of_top(rx, tx);
      EXPECT_GT(top.latency, alone.latency + 5 * kPeriod);
      EXPECT_LE(top.latency, alone.latency + 7 * kPeriod);
      EXPECT_GT(top.credit, alone.credit + 5 * kPeriod);
      EXPECT_LE(top.credit, alone.credit + 7 * kPeriod);
      EXPECT_GE(top.sender_loop, alone.sender_loop + 6 * kPeriod);
      EXPECT_LE(top.sender_loop, alone.sender_loop + 7 * kPeriod);
      EXPECT_GE(top.receiver_loop, alone.receiver_loop + 7 * kPeriod);
      EXPECT_LE(top.receiver_loop, alone.receiver_loop + 8 * kPeriod);
    }
  }
}

}  // namespace
}  // namespace fredsim::switch_top
