// SPDX-License-Identifier: Apache-2.0
// Packet networks on random works: conservation, no drop with PFC, equal runs of equal seeds.
#include "ethernet/packet_network.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"

namespace fredsim {
namespace {

struct Work {
  EthernetGraph graph;
  EthernetSettings settings;
  std::vector<EthernetMessage> messages;
};

Work random_work(std::uint64_t seed) {
  Random random(seed);
  Work work;
  const auto pick = [&](std::uint64_t low, std::uint64_t high) {
    return low + random.below(high - low + 1);
  };
  const Picoseconds latency = pick(1, 3000) * kNanosecond;
  const std::uint64_t rate = pick(1, 8) * 50'000'000'000;
  if (random.below(2) == 0) {
    work.graph = one_ethernet_switch(static_cast<int>(pick(2, 12)), rate, latency);
  } else {
    work.graph = ethernet_clos(static_cast<int>(pick(2, 4)), static_cast<int>(pick(1, 4)),
                               static_cast<int>(pick(1, 3)), rate, latency, 2 * latency);
  }
  EthernetSettings& settings = work.settings;
  settings.seed = seed;
  settings.congestion = congestion_controls()[random.below(congestion_controls().size())]->name;
  settings.window = static_cast<EthernetWindow>(random.below(3));
  settings.paths = static_cast<EthernetPaths>(random.below(3));
  settings.any_order = settings.paths == EthernetPaths::kSpray || random.below(4) == 0;
  settings.queue_pairs = static_cast<QueuePairs>(random.below(2));
  settings.ack_every = static_cast<int>(pick(1, 3));
  settings.pfc = random.below(2) == 0;
  settings.buffer = pick(12, 60) * 1'000'000;
  settings.kmin = pick(10'000, 200'000);
  settings.kmax = settings.kmin + pick(1, 400'000);
  const auto hosts = static_cast<std::uint64_t>(work.graph.hosts);
  for (std::uint64_t k = pick(1, 40); k > 0; --k) {
    const std::uint64_t source = random.below(hosts);
    const std::uint64_t destination = (source + 1 + random.below(hosts - 1)) % hosts;
    work.messages.push_back({.source = static_cast<int>(source),
                             .destination = static_cast<int>(destination),
                             .bytes = pick(1, 300'000)});
  }
  return work;
}

struct Outcome {
  std::vector<Picoseconds> received;
  EthernetCounts counts;
  bool operator==(const Outcome& other) const {
    return received == other.received && counts.packet_hops == other.counts.packet_hops &&
           counts.marks == other.counts.marks && counts.pauses == other.counts.pauses;
  }
};

Outcome run_of(const Work& work) {
  PacketNetwork net(work.graph, work.settings);
  Outcome outcome;
  outcome.received.resize(work.messages.size());
  for (std::size_t k = 0; k < work.messages.size(); ++k)
    net.send(work.messages[k], [&outcome, k](Picoseconds at) { outcome.received[k] = at; });
  net.run();
  outcome.counts = net.counts();
  EXPECT_EQ(net.packets_in_flight(), 0U);
  for (int node = work.graph.hosts; node < work.graph.nodes(); ++node)
    EXPECT_EQ(net.buffer_in_use(node), 0U) << node;
  return outcome;
}

TEST(PacketNetwork, ConservesBytesOnRandomWorks) {
  constexpr std::uint64_t kWorks = 1000;
  for (std::uint64_t seed = 1; seed <= kWorks; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Work work = random_work(seed);
    const Outcome found = run_of(work);
    std::uint64_t bytes = 0;
    for (std::size_t k = 0; k < work.messages.size(); ++k) {
      bytes += work.messages[k].bytes;
      EXPECT_GT(found.received[k], 0U) << k;
    }
    EXPECT_EQ(found.counts.payload, bytes);
    EXPECT_EQ(found.counts.messages, work.messages.size());
    if (work.settings.pfc) {
      EXPECT_EQ(found.counts.drops, 0U);
    } else {
      EXPECT_EQ(found.counts.pauses, 0U);
    }
    if (seed % 20 == 0) {
      EXPECT_TRUE(run_of(work) == found);
    }
    if (testing::Test::HasFailure()) break;
  }
}

// Latencies, and the time of each packet on each wire; no cycle more.
TEST(PacketNetwork, IdlePathsTakeTheirLatencies) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const std::uint64_t rate = (1 + random.below(800)) * 1'000'000'000;
    const Picoseconds near = 1 + random.below(5'000'000), far = 1 + random.below(5'000'000);
    const EthernetGraph graph = ethernet_clos(2, 1, 1, rate, near, far);
    const EthernetLink& wire = graph.links.front();
    const std::uint64_t packets = 1 + random.below(20);
    EthernetSettings settings;
    settings.window = EthernetWindow::kNone;
    PacketNetwork net(graph, settings);
    Picoseconds at = 0;
    net.send({.source = 0, .destination = 1, .bytes = 1000 * packets},
             [&](Picoseconds now) { at = now; });
    net.run();
    EXPECT_EQ(at, 2 * near + 2 * far + (packets + 3) * wire.time_of(1048)) << "seed " << seed;
  }
}

// Without PFC incasts lose packets; Go-Back-N brings them all.
TEST(PacketNetwork, DropsAreSentAgain) {
  Work work{one_ethernet_switch(9, 100'000'000'000, kMicrosecond), {}, {}};
  work.settings.pfc = false;
  work.settings.buffer = 300'000;
  work.settings.window = EthernetWindow::kNone;
  for (int source = 0; source < 8; ++source)
    work.messages.push_back({.source = source, .destination = 8, .bytes = 400'000});
  const Outcome found = run_of(work);
  EXPECT_GT(found.counts.drops, 0U);
  EXPECT_GT(found.counts.retransmitted, 0U);
  EXPECT_EQ(found.counts.duplicates, 0U);  // a NACK goes back to the gap, and no further
  EXPECT_EQ(found.counts.payload, 8U * 400'000);
}

// Packets over several paths overtake each other: each gap is a NACK, unless any order is taken.
TEST(PacketNetwork, SprayedPacketsNeedAnyOrder) {
  Work work{ethernet_clos(2, 4, 4, 100'000'000'000, kMicrosecond, kMicrosecond), {}, {}};
  for (int source = 0; source < 4; ++source)
    work.messages.push_back({.source = source, .destination = 4 + source, .bytes = 2'000'000});
  work.settings.paths = EthernetPaths::kSpray;
  EXPECT_GT(run_of(work).counts.nacks, 0U);
  work.settings.any_order = true;
  const Outcome found = run_of(work);
  EXPECT_EQ(found.counts.nacks, 0U);
  EXPECT_EQ(found.counts.retransmitted, 0U);
}

TEST(PacketNetwork, BadInputNamesTheKey) {
  const auto refusal = [](const EthernetGraph& graph, const EthernetSettings& settings) {
    try {
      const PacketNetwork net(graph, settings);
    } catch (const BadInput& bad) {
      return std::string(bad.what());
    }
    return std::string();
  };
  const EthernetGraph graph = one_ethernet_switch(4, 100'000'000'000, kMicrosecond);
  EthernetSettings settings;
  settings.congestion = "swift";
  EXPECT_EQ(refusal(graph, settings),
            "ethernet.congestion: found 'swift'; allowed: none, dcqcn, dctcp, timely, hpcc, "
            "hpcc_pint");
  settings = {};
  settings.buffer = 100'000;
  EXPECT_NE(refusal(graph, settings).find("ethernet.buffer: found 100000 bytes"),
            std::string::npos);
  settings = {};
  settings.kmin = settings.kmax + 1;
  EXPECT_NE(refusal(graph, settings).find("ethernet.kmin: found 2400001"), std::string::npos);
  settings = {};
  settings.pmax = 0;
  EXPECT_NE(refusal(graph, settings).find("ethernet.pmax: found 0"), std::string::npos);
  EthernetGraph apart = graph;
  apart.links.resize(6);
  EXPECT_EQ(refusal(apart, {}), "Ethernet host 3: found 0 cables; allowed: 1");
}

}  // namespace
}  // namespace fredsim
