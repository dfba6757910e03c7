// SPDX-License-Identifier: Apache-2.0
// The Clos of "Impact of RoCE Congestion Control Policies on Distributed Training of DNNs": 128
// hosts, 8 leaves, 8 spines, 200 Gb/s, links of 5 and 12.5 µs.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "ethernet/packet_network.h"

namespace fredsim {
namespace {

constexpr int kHosts = 128;

PacketNetwork clos(const EthernetSettings& settings) {
  return {ethernet_clos(8, 16, 8, 200'000'000'000, 5 * kMicrosecond, 12'500 * kNanosecond),
          settings};
}

// Each host sends `bytes` to the one 64 further; ms.
double shift(const std::string& control, std::uint64_t seed) {
  EthernetSettings settings;
  settings.congestion = control;
  settings.seed = seed;
  PacketNetwork net = clos(settings);
  Picoseconds last = 0;
  for (int host = 0; host < kHosts; ++host)
    net.send({.source = host, .destination = (host + 64) % kHosts, .bytes = 2'000'000},
             [&](Picoseconds at) { last = std::max(last, at); });
  net.run();
  EXPECT_EQ(net.counts().drops, 0U);
  return static_cast<double>(last) * 1e-9;
}

TEST(EthernetClos, RoundTrip) {
  PacketNetwork net = clos({});
  EXPECT_EQ(net.longest_round_trip(), 70'167'680U);  // 70 µs, 1048 bytes over four links
}

// Messages of 500 KB end within a round trip: controls make no difference to a ring.
TEST(EthernetClos, RingsAreAlikeUnderAllControls) {
  const auto ring = [](const std::string& control) {
    EthernetSettings settings;
    settings.congestion = control;
    PacketNetwork net = clos(settings);
    constexpr int kSteps = 8;  // first steps, out of 254
    Picoseconds last = 0;
    std::vector<std::function<void(Picoseconds)>> next(kHosts);
    std::vector<int> steps(kHosts);
    for (int host = 0; host < kHosts; ++host) {
      const int to = (host + 1) % kHosts;
      next[host] = [&, to](Picoseconds at) {
        last = std::max(last, at);
        if (++steps[to] < kSteps)
          net.send({.source = to, .destination = (to + 1) % kHosts, .bytes = 500'000}, next[to]);
      };
    }
    for (int host = 0; host < kHosts; ++host)
      net.send({.source = host, .destination = (host + 1) % kHosts, .bytes = 500'000}, next[host]);
    net.run();
    return last;
  };
  const Picoseconds none = ring("none");
  for (const char* control : {"dcqcn", "dctcp", "timely", "hpcc"})
    EXPECT_EQ(ring(control), none) << control;
  const auto pint = static_cast<double>(ring("hpcc_pint"));
  EXPECT_NEAR(pint / static_cast<double>(none), 1.0, 0.002);
}

// A hash that puts several flows on one link decides more than the control.
TEST(EthernetClos, HashesDecide) { EXPECT_NE(shift("none", 1), shift("none", 2)); }

}  // namespace
}  // namespace fredsim
