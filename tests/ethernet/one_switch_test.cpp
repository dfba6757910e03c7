// SPDX-License-Identifier: Apache-2.0
// Incasts at one switch with links of 200 Gb/s and 5 µs, against closed forms: queues, use of the
// link, and ends of each congestion control.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "ethernet/packet_network.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kRate = 200'000'000'000;
constexpr double kBytesPerPs = kRate / 8e12;
constexpr Picoseconds kLatency = 5 * kMicrosecond;
// From the last byte at the destination to its acknowledgement at the source.
constexpr double kReturn_us = 10.0048;

PacketNetwork network(int sources, const EthernetSettings& settings) {
  return {one_ethernet_switch(sources + 1, kRate, kLatency), settings};
}

// Time at which the last source knows that all has arrived, µs.
double end_of_incast(PacketNetwork& net, int sources, std::uint64_t bytes) {
  Picoseconds last = 0;
  for (int source = 0; source < sources; ++source)
    net.send({.source = source, .destination = sources, .bytes = bytes},
             [&](Picoseconds at) { last = std::max(last, at); });
  net.run();
  return static_cast<double>(last) * 1e-6 + kReturn_us;
}

// Queues and use of the link to the destination between two times.
struct Steady {
  double use = 0, mean_queue = 0, least = 1e18, most = 0;
  std::vector<double> rates{};
};

Steady steady(int sources, const EthernetSettings& settings, double from_ms, double until_ms) {
  PacketNetwork net = network(sources, settings);
  const int link = 2 * sources + 1;
  for (int source = 0; source < sources; ++source)
    net.send({.source = source, .destination = sources, .bytes = std::uint64_t{1} << 40}, {});
  const auto ps = [](double ms) { return static_cast<Picoseconds>(ms * 1e9); };
  net.advance(ps(from_ms));
  const std::uint64_t before = net.port(link).counts.bytes;
  Steady found;
  int samples = 0;
  for (double at = from_ms; at < until_ms; at += 0.001) {
    net.advance(ps(at));
    const auto queue = static_cast<double>(net.port(link).queued[kDataPriority]);
    found.mean_queue += queue;
    found.least = std::min(found.least, queue);
    found.most = std::max(found.most, queue);
    ++samples;
  }
  net.advance(ps(until_ms));
  found.mean_queue /= samples;
  found.use = static_cast<double>(net.port(link).counts.bytes - before) /
              (kBytesPerPs * static_cast<double>(ps(until_ms) - ps(from_ms)));
  found.rates = net.rates();
  return found;
}

TEST(OneEthernetSwitch, RoundTrip) {
  PacketNetwork net = network(1, {});
  // 20 µs, and a packet of 1048 bytes over two links.
  EXPECT_EQ(net.longest_round_trip(), 20'083'840U);
}

class EndOfIncast
    : public testing::TestWithParam<std::tuple<const char*, EthernetWindow, double, double>> {};

TEST_P(EndOfIncast, OfTenMegabytesEach) {
  const auto& [control, window, us, tolerance] = GetParam();
  EthernetSettings settings;
  settings.congestion = control;
  settings.window = window;
  PacketNetwork net = network(16, settings);
  EXPECT_NEAR(end_of_incast(net, 16, 10'000'000), us, tolerance * us);
  EXPECT_EQ(net.counts().drops, 0U);
}

constexpr auto kRated = EthernetWindow::kRate;
constexpr auto kOpen = EthernetWindow::kNone;
INSTANTIATE_TEST_SUITE_P(
    By, EndOfIncast,
    testing::Values(
        std::tuple{"none", kRated, 6727, 0.01}, std::tuple{"none", kOpen, 6727, 0.01},
        std::tuple{"dctcp", kRated, 6727, 0.01}, std::tuple{"dctcp", kOpen, 6727, 0.01},
        std::tuple{"hpcc", kRated, 7085, 0.05}, std::tuple{"hpcc", kOpen, 8068, 0.05},
        std::tuple{"hpcc_pint", kRated, 7121, 0.05}, std::tuple{"hpcc_pint", kOpen, 7998, 0.05},
        std::tuple{"timely", kRated, 8296, 0.05}, std::tuple{"timely", kOpen, 8827, 0.05},
        std::tuple{"dcqcn", kRated, 8394, 0.05}, std::tuple{"dcqcn", kOpen, 11'927, 0.05}),
    [](const auto& name) {
      return std::string(std::get<0>(name.param)) +
             (std::get<1>(name.param) == kOpen ? "_no_window" : "_window");
    });

// Over within a round trip: no control acts.
TEST(OneEthernetSwitch, ShortIncastsAreAlikeUnderAllControls) {
  for (const CongestionControlKind* kind : congestion_controls()) {
    EthernetSettings settings;
    settings.congestion = kind->name;
    PacketNetwork net = network(16, settings);
    EXPECT_NEAR(end_of_incast(net, 16, 65'536), 64.0, 0.05) << kind->name;
  }
}

// 16 queues at α of what is left: 16 α / (1 + 16 α) of the shared part, then headroom.
TEST(OneEthernetSwitch, PausesBoundTheBuffer) {
  EthernetSettings settings;
  settings.window = kOpen;
  PacketNetwork net = network(16, settings);
  end_of_incast(net, 16, 10'000'000);
  EXPECT_NEAR(static_cast<double>(net.counts().largest_buffer), 22.2e6, 0.2e6);
  EXPECT_NEAR(static_cast<double>(net.counts().pauses), 496, 25);
  EXPECT_EQ(net.counts().drops, 0U);
  settings.window = kRated;
  PacketNetwork windowed = network(16, settings);
  end_of_incast(windowed, 16, 10'000'000);
  EXPECT_NEAR(static_cast<double>(windowed.counts().largest_buffer), 7.93e6, 0.02e6);
  EXPECT_EQ(windowed.counts().pauses, 0U);
}

// Two windows of a BDP fill the path and leave one of them, with headers, in the queue.
TEST(OneEthernetSwitch, TwoWindowsStayBelowKmin) {
  EthernetSettings settings;
  const Steady found = steady(2, settings, 2, 4);
  EXPECT_NEAR(found.mean_queue, 550e3, 5e3);
  EXPECT_LT(found.most, static_cast<double>(settings.kmin));
}

// Two sources at line rate: when packet j departs, j - 2 packets stay behind, before those that
// arrive at that instant. The first one that leaves
// more than K = 100 packets is marked, and the sources are cut 4 µs after its acknowledgement.
TEST(OneEthernetSwitch, MarksPacketsThatLeaveALongQueue) {
  EthernetSettings settings;
  settings.congestion = "dcqcn";
  settings.window = kOpen;
  settings.kmin = settings.kmax = 100 * 1048;
  settings.pmax = 1;
  PacketNetwork net = network(2, settings);
  for (const int source : {0, 1})
    net.send({.source = source, .destination = 2, .bytes = 10'000'000}, {});
  Picoseconds at = 20 * kMicrosecond;
  while (net.rates().front() >= kRate) net.advance(at += kNanosecond);
  const Picoseconds packet = 41'920;
  // Packet 103 departs 102 packets after the first, which has come in 5 µs and a packet.
  const Picoseconds marked = kLatency + 103 * packet;
  const Picoseconds known = marked + packet + 3 * kLatency + 2 * 2'400;
  EXPECT_NEAR(static_cast<double>(at), static_cast<double>(known + 4 * kMicrosecond), 1e3);
}

TEST(OneEthernetSwitch, HpccUsesItsShare) {
  for (const int sources : {1, 2, 16, 64}) {
    EthernetSettings settings;
    settings.congestion = "hpcc";
    const Steady found = steady(sources, settings, 4, 8);
    EXPECT_NEAR(found.use, 0.95 + sources * 50e6 / kRate, 0.01) << sources;
    EXPECT_LT(found.mean_queue, 0.05 * 502e3) << sources;
    settings.congestion = "hpcc_pint";
    EXPECT_NEAR(steady(sources, settings, 4, 8).use, found.use, 0.005) << sources;
  }
}

TEST(OneEthernetSwitch, TimelySettlesAtItsLowThreshold) {
  for (const auto& [low, queue] : {std::pair{50, 748e3}, std::pair{40, 498e3}}) {
    EthernetSettings settings;
    settings.congestion = "timely";
    settings.timely.low = static_cast<Picoseconds>(low) * kMicrosecond;
    EXPECT_NEAR(steady(16, settings, 60, 100).mean_queue, queue, 0.05 * queue) << low;
  }
}

TEST(OneEthernetSwitch, DcqcnSettlesAtKminAndIsFair) {
  for (const int sources : {4, 16}) {
    EthernetSettings settings;
    settings.congestion = "dcqcn";
    const Steady found = steady(sources, settings, 200, 240);
    EXPECT_NEAR(found.mean_queue, 603e3, 15e3) << sources;
    double sum = 0, squares = 0;
    for (const double rate : found.rates) {
      sum += rate;
      squares += rate * rate;
    }
    EXPECT_GE(sum * sum / (squares * sources), 0.99) << sources;
  }
}

// Swing of DCTCP with a packet per round: half of √(2 N (C · RTT + K)) packets.
TEST(OneEthernetSwitch, DctcpSwings) {
  for (const int sources : {2, 16}) {
    EthernetSettings settings;
    settings.congestion = "dctcp";
    settings.dctcp.g = 1.0 / 16;
    settings.dctcp.raise = 417e6;
    settings.kmin = settings.kmax = 120'000;
    settings.pmax = 1;
    const Steady found = steady(sources, settings, 20, 40);
    const double packets = (502e3 + 120e3) / 1048;
    const double swing = 0.5 * std::sqrt(2 * sources * packets) * 1048;
    EXPECT_NEAR(found.most - found.least, swing, 0.35 * swing) << sources;
    EXPECT_GT(found.least, 0) << sources;
  }
}

}  // namespace
}  // namespace fredsim
