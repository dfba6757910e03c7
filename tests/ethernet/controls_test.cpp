// SPDX-License-Identifier: Apache-2.0
// Congestion controls step by step, against tables worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "ethernet/congestion_control.h"

namespace fredsim {
namespace {

constexpr double kLine = 200e9;
constexpr ControlledPath kPath{kLine, 20 * kMicrosecond};

std::unique_ptr<CongestionControl> control(const EthernetSettings& settings) {
  return congestion_control(settings.congestion).make(settings, kPath);
}

EthernetSettings settings_of(const std::string& name) {
  EthernetSettings settings;
  settings.congestion = name;
  return settings;
}

Acknowledgement at(double us, std::uint64_t acknowledged, std::uint64_t next, bool marked) {
  const auto now = static_cast<Picoseconds>(us * 1e6);
  return {now, now, marked, acknowledged, next, {}, 0};
}

TEST(CongestionControls, NoneStaysAtTheLine) {
  const EthernetSettings settings = settings_of("none");
  const auto none = control(settings);
  none->acknowledged(at(20, 1000, 2000, true));
  EXPECT_EQ(none->rate(20 * kMicrosecond), kLine);
}

// The first notification at 10 µs: α 1. Notified at 12 µs, too, which counts at 12 or 13 µs.
TEST(CongestionControls, Dcqcn) {
  const EthernetSettings settings = settings_of("dcqcn");
  const auto dcqcn = control(settings);
  const double g = 1.0 / 256;
  dcqcn->acknowledged(at(10, 1000, 2000, true));
  EXPECT_EQ(dcqcn->rate(13'900'000), kLine);  // the first cut is due at 14 µs
  // α: (1 - g) at 11, 12, 13 and 14 µs.
  double alpha = std::pow(1 - g, 4);
  double rate = kLine * (1 - alpha / 2);
  EXPECT_NEAR(dcqcn->rate(14'000'000), rate, 1);
  EXPECT_NEAR(dcqcn->rate(30'000'000), rate, 1);  // no notification, no cut
  // A notification at 30.5 µs: + g at 31 µs; a cut at 34 µs.
  dcqcn->acknowledged(at(30.5, 2000, 3000, true));
  alpha = std::pow(1 - g, 16) * alpha;  // 15 … 30 µs
  alpha = (1 - g) * alpha + g;          // 31 µs
  alpha *= std::pow(1 - g, 3);          // 32 … 34 µs
  rate *= 1 - alpha / 2;
  EXPECT_NEAR(dcqcn->rate(34'000'000), rate, 1);
  // Raises at 934, 1834, 2734 and 3634 µs; the target is the rate of before the first cut.
  double target = kLine;
  rate = (rate + target) / 2;
  EXPECT_NEAR(dcqcn->rate(934'000'000), rate, 1);
  rate = (rate + target) / 2;  // target + 50 Mb/s, at most the line
  EXPECT_NEAR(dcqcn->rate(1'834'000'000), rate, 1);
  // A cut after raises: the target is the rate of before it, and grows by 50, then 100 Mb/s.
  dcqcn->acknowledged(at(1835, 3000, 4000, true));
  target = rate;
  const double before = rate;
  rate = dcqcn->rate(1'840'000'000);
  EXPECT_LT(rate, before);
  rate = (rate + target) / 2;
  const Picoseconds cut = 1'838'000'000;
  EXPECT_NEAR(dcqcn->rate(cut + 900'000'000), rate, 1);
  target += 50e6;
  rate = (rate + target) / 2;
  EXPECT_NEAR(dcqcn->rate(cut + 1'800'000'000), rate, 1);
  target += 100e6;
  rate = (rate + target) / 2;
  EXPECT_NEAR(dcqcn->rate(cut + 2'700'000'000), rate, 1);
}

TEST(CongestionControls, Dctcp) {
  EthernetSettings settings = settings_of("dctcp");
  settings.dctcp.g = 0.25;
  const auto dctcp = control(settings);
  dctcp->acknowledged(at(20, 1000, 4000, false));  // a round up to 4000 begins
  dctcp->acknowledged(at(21, 2000, 5000, true));   // a cut by α 0: a cut round up to 5000
  EXPECT_EQ(dctcp->rate(0), kLine);
  dctcp->acknowledged(at(22, 3000, 6000, true));
  dctcp->acknowledged(at(23, 4000, 7000, false));
  // 5000 ends the round: two of five were marked, α 0.25 · 0.4. The cut round is not over.
  dctcp->acknowledged(at(24, 5000, 8000, false));
  EXPECT_EQ(dctcp->rate(0), kLine);
  dctcp->acknowledged(at(25, 6000, 9000, true));
  const double rate = kLine * (1 - 0.25 * 0.4 / 2);
  EXPECT_NEAR(dctcp->rate(0), rate, 1);
  dctcp->acknowledged(at(26, 9000, 12'000, false));  // a round ends within the cut round
  EXPECT_NEAR(dctcp->rate(0), rate, 1);
  dctcp->acknowledged(at(27, 12'001, 15'000, false));
  EXPECT_NEAR(dctcp->rate(0), rate + 1e9, 1);
}

TEST(CongestionControls, Timely) {
  const EthernetSettings settings = settings_of("timely");
  const auto timely = control(settings);
  std::uint64_t byte = 0;
  // One round: its round-trip time in µs.
  const auto round = [&](double us) {
    byte += 1000;
    Acknowledgement news = at(1000 + us, byte, byte, false);
    news.sent = 1000 * kMicrosecond;
    timely->acknowledged(news);
    return timely->rate(0);
  };
  EXPECT_EQ(round(100), kLine);  // the first has no gradient
  // d: 0.875 · 20 = 17.5 µs.
  double rate = kLine * (1 - 0.8 * 17.5 / 20);
  EXPECT_NEAR(round(120), rate, 1);
  // d: 0.125 · 17.5 - 0.875 · 10 < 0: + 50 Mb/s.
  EXPECT_NEAR(round(110), rate += 50e6, 1);
  // Above 500 µs whatever the gradient.
  EXPECT_NEAR(round(1000), rate *= 1 - 0.8 * 0.5, 1);
  // Below 50 µs: + 50 Mb/s five times, then 100.
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(round(40), rate += 50e6, 1);
  EXPECT_NEAR(round(40), rate += 100e6, 1);
}

TEST(CongestionControls, Hpcc) {
  const EthernetSettings settings = settings_of("hpcc");
  const auto hpcc = control(settings);
  std::vector<PortRecord> ports{{1'000'000, 0, 0, 200'000'000'000},
                                {2'000'000, 0, 50'000, 100'000'000'000}};
  const auto acknowledge = [&](std::uint64_t byte, std::uint64_t next) {
    Acknowledgement news = at(0, byte, next, false);
    news.ports = ports;
    hpcc->acknowledged(news);
    return hpcc->rate(0);
  };
  EXPECT_EQ(acknowledge(1000, 4000), kLine);
  // 2 µs later: half of the first link; all of the second, and 25 000 bytes in its queue.
  ports = {{3'000'000, 25'000, 0, 200'000'000'000}, {4'000'000, 25'000, 25'000, 100'000'000'000}};
  double use = 1 + 25'000 * 8 / (100e9 * 20e-6);
  double smooth = 1 * (1 - 0.1) + use * 0.1;
  EXPECT_NEAR(acknowledge(2000, 5000), kLine * 0.95 / smooth + 50e6, 1e3);
  // The round ends at byte 4001; the rate is the base of the next one.
  ports = {{5'000'000, 50'000, 0, 200'000'000'000}, {6'000'000, 50'000, 0, 100'000'000'000}};
  smooth = smooth * (1 - 0.1) + 1 * 0.1;
  const double base = kLine * 0.95 / smooth + 50e6;
  EXPECT_NEAR(acknowledge(4001, 9000), base, 1e3);
  ports = {{7'000'000, 50'000, 0, 200'000'000'000}, {8'000'000, 62'500, 0, 100'000'000'000}};
  smooth = smooth * (1 - 0.1) + 0.5 * 0.1;
  EXPECT_NEAR(acknowledge(5000, 9000), std::min(kLine, base * 0.95 / smooth + 50e6), 1e3);
}

TEST(CongestionControls, HpccPint) {
  const EthernetSettings settings = settings_of("hpcc_pint");
  const auto pint = control(settings);
  const auto acknowledge = [&](std::uint64_t byte, std::uint64_t next, int power) {
    Acknowledgement news = at(0, byte, next, false);
    news.pint = power;
    pint->acknowledged(news);
    return pint->rate(0);
  };
  EXPECT_EQ(acknowledge(1000, 4000, 200), kLine);
  const double use = std::pow(1.05, 180) / 4096;
  const double rate = kLine * 0.95 / use + 50e6;
  EXPECT_NEAR(acknowledge(2000, 5000, 180), rate, 1);
  EXPECT_NEAR(acknowledge(3000, 6000, 180), rate, 1);  // per acknowledgement, of the base
  EXPECT_NEAR(acknowledge(4001, 6000, 180), rate, 1);  // the round ends
  EXPECT_NEAR(acknowledge(5000, 7000, 180), rate * 0.95 / use + 50e6, 1);
}

}  // namespace
}  // namespace fredsim
