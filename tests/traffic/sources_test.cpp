// SPDX-License-Identifier: Apache-2.0
// Sources beyond a Bernoulli process of one length: matrices of rates, bursts, lengths with their
// shares, requests and replies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "engine/machine.h"
#include "fabric/point_text.h"
#include "support/simulation.h"
#include "support/temporary_folder.h"
#include "traffic/traffic_run.h"

namespace fredsim::test {
namespace {

RateMatrix matrix_of(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = folder.file("rates.csv");
  std::ofstream(path) << text;
  return read_rate_matrix(path);
}

std::string refusal_of_rates(const std::string& text) {
  const std::string message = message_of<BadInput>([&] { matrix_of(text); });
  const std::size_t at = message.find("rates.csv");
  return at == std::string::npos ? message : message.substr(at);
}

TEST(RateMatrix, HasARowPerSourceAndAColumnPerDestination) {
  const RateMatrix matrix = matrix_of("# rates\n0, 1, 0.5\n\n2,0,0\r\n0,0 ,0\n");
  ASSERT_EQ(matrix.nodes(), 3);
  EXPECT_EQ(matrix.rows[0], (std::vector<std::pair<int, double>>{{1, 1}, {2, 0.5}}));
  EXPECT_EQ(matrix.rows[1], (std::vector<std::pair<int, double>>{{0, 2}}));
  EXPECT_TRUE(matrix.rows[2].empty());
  EXPECT_EQ(matrix.sum_of(0), 1.5);
  EXPECT_EQ(matrix.largest_sum(), 2);
}

TEST(RateMatrix, NamesLineAndColumnOfWhatIsWrong) {
  EXPECT_EQ(refusal_of_rates("0,1\n-1,0\n"),
            "rates.csv:2: found '-1' in column 1; allowed: a rate, 0 or 1e-05 to 1e+06");
  EXPECT_EQ(refusal_of_rates("#\n0,x\n1,0\n"),
            "rates.csv:2: found 'x' in column 2; allowed: a rate, 0 or 1e-05 to 1e+06");
  for (const char* const bad : {"nan", "inf", "1e999", "1e7", "1e-9", "", "1 2", "0x1"})
    EXPECT_NE(refusal_of_rates(fmt::format("0,{}\n1,0\n", bad)).find("in column 2"),
              std::string::npos)
        << bad;
  EXPECT_EQ(refusal_of_rates("0,1\n1,3\n"),
            "rates.csv:2: found '3' in column 2; allowed: 0, from an NPU to itself");
  EXPECT_EQ(refusal_of_rates("0,1\n1\n"),
            "rates.csv:2: found 1 rates; allowed: 2, as in the first row");
  EXPECT_EQ(refusal_of_rates("0,1\n"),
            "rates.csv: found 1 rows of 2 rates; allowed: as many rows as rates in each, one per "
            "NPU");
  EXPECT_NE(refusal_of_rates("").find("found 0 rows"), std::string::npos);
}

Topology small_mesh() { return load_config("configs/mesh_2x2.yaml").topology; }

PatternSpec spec_of(const std::string& text) {
  return {.kind = PatternKind::kMatrix,
          .matrix = std::make_shared<const RateMatrix>(matrix_of(text))};
}

TEST(RateMatrix, SendsByItsRates) {
  const Topology topology = small_mesh();
  const PatternSpec spec = spec_of("0,3,1,0\n0,0,0,0\n1,0,0,0\n0,0,0.5,0\n");
  const TrafficPattern pattern(spec, topology);
  EXPECT_EQ(pattern.sending_nodes(), 3);
  EXPECT_EQ(pattern.max_load(), 4);
  Random random(2);
  int to_second = 0;
  for (int i = 0; i < 40'000; ++i) to_second += pattern.destination(0, random) == 1 ? 1 : 0;
  EXPECT_NEAR(to_second, 30'000, 400);
  // Flits on the links of the NPUs: 0.1 times the sums of rows.
  const TrafficPoint point =
      TrafficRun(topology, {.pattern = spec, .window_cycles = 40'000}, factory_for({}))
          .measure(0.1);
  EXPECT_FALSE(point.saturated);
  EXPECT_NEAR(point.offered, 0.1 * 5.5 / 3, 0.005);
  std::vector<double> sent(4);
  for (const LinkResult& link : point.links)
    if (link.from.starts_with("npu"))
      sent[link.from.back() - '0'] += static_cast<double>(link.flits) / 40'000;
  EXPECT_NEAR(sent[0], 0.4, 0.02);
  EXPECT_EQ(sent[1], 0);
  EXPECT_NEAR(sent[2], 0.1, 0.01);
  EXPECT_NEAR(sent[3], 0.05, 0.01);
}

TEST(RateMatrix, OfAnotherSizeThanTheMachineIsRefused) {
  const std::string message =
      message_of<BadInput>([] { TrafficPattern(spec_of("0,1\n1,0\n"), small_mesh()); });
  EXPECT_NE(message.find("found 2 rows and columns; allowed: 4, one per NPU of mesh_2x2"),
            std::string::npos);
}

// All rates alike: what uniform traffic draws, by other random numbers.
TEST(RateMatrix, OfEqualRatesIsUniform) {
  const Topology topology = small_mesh();
  const PatternSpec spec = spec_of("0,1,1,1\n1,0,1,1\n1,1,0,1\n1,1,1,0\n");
  const auto latency = [&](const PatternSpec& pattern, double rate) {
    return TrafficRun(topology, {.pattern = pattern, .window_cycles = 40'000}, factory_for({}))
        .measure(rate)
        .latency_mean;
  };
  EXPECT_NEAR(latency(spec, 0.1), latency({}, 0.3), 1);
}

std::uint64_t created_by(PacketSource source, std::uint64_t cycles) {
  std::uint64_t packets = 0;
  for (; source.creation() < cycles; source.take()) ++packets;
  return packets;
}

TEST(Bursts, KeepTheRateAndAddToItsVariance) {
  const Topology topology = small_mesh();
  const TrafficPattern pattern({}, topology);
  const PacketKinds kinds(1);
  for (const char* const text : {"alpha=0.02,beta=0.1", "beta=0.1,r1=0.8", "alpha=0.02,r1=0.9",
                                 "alpha=0.5,beta=0.5", "alpha=1,beta=1"}) {
    SCOPED_TRACE(text);
    const CreationProcess process = make_process(0.1, 1, parse_bursts(text, "--burst"));
    constexpr std::uint64_t kCycles = 5'000;
    constexpr int kSeeds = 1'000;
    double sum = 0;
    double square = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const auto packets =
          static_cast<double>(created_by({pattern, 1, process, kinds, seed}, kCycles));
      sum += packets;
      square += packets * packets;
    }
    const double mean = sum / kSeeds;
    const double variance = square / kSeeds - mean * mean;
    EXPECT_NEAR(mean, 0.1 * kCycles, 4 * std::sqrt(process.dispersion * 0.1 * kCycles / kSeeds));
    EXPECT_LT(variance, 1.2 * process.dispersion * mean);
    if (process.dispersion > 1.5) {
      EXPECT_GT(variance, 0.75 * process.dispersion * mean);
    }
  }
}

TEST(Bursts, TakeTwoOfThreeParameters) {
  for (const char* const bad :
       {"alpha=0.1", "alpha=0.1,beta=0.2,r1=1", "alpha=2,beta=0.1", "alpha=0,beta=0.1",
        "gamma=1,beta=0.1", "alpha=0.1,alpha=0.2", "0.1,0.2", "alpha=x,beta=1", ""}) {
    const std::string message = message_of<BadInput>([&] { parse_bursts(bad, "--burst"); });
    EXPECT_NE(message.find("allowed: two of alpha, beta"), std::string::npos) << bad;
  }
  EXPECT_NE(message_of<BadInput>([] {
              make_process(0.5, 1, parse_bursts("beta=0.1,r1=0.4", "--burst"));
            }).find("found 'beta=0.1,r1=0.4' at a rate of 0.5; allowed: an r1 above the rate"),
            std::string::npos);
  EXPECT_NE(message_of<BadInput>([] {
              make_process(0.5, 1, parse_bursts("beta=0.9,r1=0.6", "--burst"));
            }).find("alpha is at most 1; it would be 4.5"),
            std::string::npos);
}

TEST(PacketSizes, AreDrawnByTheirShares) {
  const PacketSizes sizes = parse_packet_sizes("1:3,8:1", "--packet-flits");
  EXPECT_DOUBLE_EQ(sizes.mean(), 2.75);
  EXPECT_EQ(sizes.longest(), 8);
  Random random(4);
  int longs = 0;
  for (int i = 0; i < 40'000; ++i) longs += sizes.draw(random) == 8 ? 1 : 0;
  EXPECT_NEAR(longs, 10'000, 400);
  EXPECT_TRUE(parse_packet_sizes("4", "--packet-flits").is_single());
  for (const char* const bad : {"", "0", "9", "1.5", "x", "1:0", "1:-1", "1:0.5,1:0.5", "1:", ":1",
                                "1:0.5,", "9:1", "1:nan", "1:0.5:2"})
    EXPECT_NE(message_of<BadInput>([&] {
                parse_packet_sizes(bad, "--packet-flits");
              }).find("allowed: 1 to 8 flits, or several lengths"),
              std::string::npos)
        << bad;
}

TEST(RequestReply, ReadsLengthsAndShare) {
  const RequestReplyOptions options = parse_request_reply("write=4:2,writes=0.25", "--x");
  EXPECT_EQ(options.text, "read=1:8,write=4:2,writes=0.25");
  EXPECT_DOUBLE_EQ(PacketKinds(1, options).mean_flits(), 0.75 * 9 + 0.25 * 6);
  for (const char* const bad : {"", "read=1", "read=0:1", "read=1:9", "writes=2", "reads=1:1",
                                "read=1:1,read=1:1", "writes=-0.1", "read=1:1:1"})
    EXPECT_NE(message_of<BadInput>([&] {
                parse_request_reply(bad, "--x");
              }).find("allowed: read=REQUEST:REPLY"),
              std::string::npos)
        << bad;
}

// A request of a lone exchange on one hop takes 43 + flits cycles (TrafficLatency), and its reply
// as long again from the edge at which the request was consumed.
TEST(RequestReply, LatencyOfALoneExchangeIsThatOfBothWays) {
  const Topology topology = small_mesh();
  const TrafficOptions options{
      .pattern = {.kind = PatternKind::kNeighbor},
      .warmup_cycles = 0,
      .window_cycles = 40'000,
      .exchange = parse_request_reply("read=2:5,writes=0", "--request-reply")};
  const TrafficPoint p = TrafficRun(topology, options, factory_for({})).measure(0.005);
  ASSERT_GT(p.packets, 10U);
  EXPECT_EQ(p.arrived, p.packets);
  EXPECT_NEAR(*p.request_latency_mean, 43 + 2 - 1, 1);
  EXPECT_EQ(p.latency_p50, static_cast<std::uint64_t>(2 * 43 + (2 - 1) + (5 - 1)));
  EXPECT_NEAR(p.offered, 0.005, 0.0015);
  EXPECT_DOUBLE_EQ(p.hops, 1);
}

// Sources of every kind: with every implementation, when all nodes step, and in partitions.
TEST(EverySource, GivesTheSameHoweverItIsRun) {
  struct Case {
    const char* machine;
    PatternKind kind;
    const char* sizes;
    const char* burst;
    const char* exchange;
    double rate;
  };
  for (const Case& c :
       {Case{"mesh_2x2", PatternKind::kRandomPermutation, "1:0.5,8:0.5", "", "", 0.6},
        Case{"mesh_2x2", PatternKind::kShuffle, "3", "alpha=0.05,beta=0.1", "", 0.4},
        Case{"fred_small", PatternKind::kUniform, "1", "", "read=1:8,write=8:1,writes=0.5", 0.7},
        Case{"mesh_2x2", PatternKind::kUniform, "1", "alpha=0.1,beta=0.1",
             "read=1:4,write=5:1,writes=0.3", 1.2},
        Case{"fred_small", PatternKind::kAsymmetric, "2:1,5:2", "", "", 0.5}}) {
    SCOPED_TRACE(fmt::format("{} {} {} {}", c.machine, to_string(c.kind), c.burst, c.exchange));
    const Topology topology = load_config(fmt::format("configs/{}.yaml", c.machine)).topology;
    TrafficOptions options{.pattern = {.kind = c.kind},
                           .packet_flits = parse_packet_sizes(c.sizes, "--packet-flits"),
                           .warmup_cycles = 200,
                           .window_cycles = 600,
                           .seed = 5};
    if (*c.burst != '\0') options.bursts = parse_bursts(c.burst, "--burst");
    if (*c.exchange != '\0') options.exchange = parse_request_reply(c.exchange, "--request-reply");
    const auto outcome = [&](const FabricOptions& fabric, const Cut& cut, bool always_step) {
      TrafficRun run(topology, options, factory_for(fabric), cut);
      run.core().set_always_step(always_step);
      return text_of(run.measure(c.rate));
    };
    const std::string expected = outcome({}, {}, false);
    EXPECT_EQ(outcome({.model = SwitchModel::kRtl}, {}, false), expected);
    EXPECT_EQ(outcome({.model = SwitchModel::kLockstep}, {}, false), expected);
    EXPECT_EQ(outcome({}, {}, true), expected);
    EXPECT_EQ(outcome({}, cut_evenly(topology, 3), false), expected);
    options.threads = 3;
    EXPECT_EQ(outcome({.own_contexts = true}, cut_evenly(topology, 3), false), expected)
        << "threads";
    options.threads = 1;
    TrafficRun followed(topology, options, factory_for({}));
    followed.break_down({.is_on = true});
    EXPECT_EQ(text_of(followed.measure(c.rate)), expected) << "breakdown";
  }
}

// Rates far beyond saturation, with buffers of one packet: a deadlock would throw.
TEST(RequestReply, KeepsTurningOnATorusBeyondSaturation) {
  const Topology topology =
      load_config("configs/torus.yaml", {"switch.input_buffer=4.5 KiB"}).topology;
  const TrafficOptions options{.warmup_cycles = 500,
                               .window_cycles = 8'000,
                               .exchange = parse_request_reply("writes=0.5", "--request-reply")};
  const TrafficPoint p = TrafficRun(topology, options, factory_for({})).measure(3);
  EXPECT_TRUE(p.saturated);
  EXPECT_GT(p.accepted, 0.1);
}

}  // namespace
}  // namespace fredsim::test
